// Package session holds the state of one user's work with a schema on a database: the connection, the role, and
// whether personal data is revealed. Every decision about roles, read-only mode, production and masking is made
// here; commands and screens call it. Reading and changing items belong to other packages.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/memory"
	"github.com/ddbdesk/ddbdesk/internal/seal"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// ErrInput is wrapped by errors about invalid input. Nothing was sent.
var ErrInput = errors.New("bad input")

type inputError struct{ msg string }

func (e *inputError) Error() string        { return e.msg }
func (e *inputError) Is(target error) bool { return target == ErrInput }

// InputErrorf returns an error that wraps ErrInput without repeating its text.
func InputErrorf(format string, args ...any) error {
	return &inputError{fmt.Sprintf(format, args...)}
}

// Options are the parts of a session.
type Options struct {
	Profile  *profiles.Profile
	Store    store.Reader
	Writer   store.Writer // used only when MayChange
	Target   store.Target
	Role     Role
	ReadOnly bool
	Context  string // name of the context, "" for none
	Actor    string // as journal and audit entries name the user
	Person   Person // who the user really is; New sets User if it is empty

	JournalPath string           // "" for the default path
	StateDir    string           // folder of the encryption key and of locks, "" for the default
	Clock       func() time.Time // nil for time.Now
	Memory      *memory.Memory   // what is remembered between runs; nil remembers until the program ends

	// BookmarkPath is the file of the bookmarks; "" keeps them in Memory.
	BookmarkPath string
	// Environment is the environment of the context, such as "prod", "" for none. Stage reads it.
	Environment string
	// Declared is what the context declares about production.
	Declared Declaration
	// Budget limits the read units per second of scans and long reads, for each table. 0 is the default: no
	// limit, but in production a quarter of the table's provisioned capacity, or 500 on demand. A negative
	// budget is no limit anywhere. Single queries are not limited.
	Budget float64
	// Identity asks AWS for the user of the credentials; nil returns Actor.
	Identity func(ctx context.Context) (string, error)
}

// A Session is one user's work with one schema on one database. It is safe for concurrent use.
type Session struct {
	o       Options
	denials *Denials
	full    *models.Masker // masks personal data always

	mu     sync.Mutex
	masker *models.Masker
	reason string // why personal data is revealed, "" while it is masked
}

// New returns a session. It does no I/O. A session that may not change items does not keep the writer.
func New(o Options) *Session {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Person.User == "" {
		o.Person.User = SystemUser()
	}
	if o.Memory == nil {
		o.Memory = memory.New()
		o.Memory.SetClock(o.Clock)
	}
	s := &Session{o: o, full: models.NewMasker(o.Profile.Entities, false), denials: &Denials{clock: o.Clock}}
	s.masker = s.full
	watched := watch{s.denials, SchemaName(o.Profile)}
	if o.Store != nil {
		s.o.Store = watchedReader{o.Store, watched}
	}
	switch {
	case !o.MayChange():
		s.o.Writer = nil
	case o.Writer != nil:
		s.o.Writer = watchedWriter{o.Writer, watched}
	}
	return s
}

// Profile returns the schema of the session.
func (s *Session) Profile() *profiles.Profile { return s.o.Profile }

// Target returns the database of the session.
func (s *Session) Target() store.Target { return s.o.Target }

// Store returns the reader of the database, which records denied permissions. It is nil in a session without a
// connection, which can only check and explain.
func (s *Session) Store() store.Reader { return s.o.Store }

// Writer returns the writer of the database, nil in a session that may not change items; see CanChange.
func (s *Session) Writer() store.Writer { return s.o.Writer }

// Denials returns the permissions that the database denied to the session.
func (s *Session) Denials() *Denials { return s.denials }

// Context returns the name of the context, "" for none.
func (s *Session) Context() string { return s.o.Context }

// Now returns the current time of the session's clock.
func (s *Session) Now() time.Time { return s.o.Clock() }

// Budget returns the read budget; see Options.
func (s *Session) Budget() float64 { return s.o.Budget }

// Memory returns the store of what is remembered between runs.
func (s *Session) Memory() *memory.Memory { return s.o.Memory }

// BookmarkPath returns the file of the bookmarks, "" if they are kept in Memory.
func (s *Session) BookmarkPath() string { return s.o.BookmarkPath }

// StateDir returns the folder of ddbdesk's state, never "".
func (s *Session) StateDir() string { return cmp.Or(s.o.StateDir, appdir.State()) }

// Sealer returns the encryption with the key of this machine.
func (s *Session) Sealer() seal.Sealer { return seal.New(s.o.StateDir) }

// Recognize returns the entity of an item, and false if no entity of its table matches.
func (s *Session) Recognize(table *models.Table, it models.Item) (models.Recognition, bool) {
	return models.Recognize(s.o.Profile.Entities, table, it)
}
