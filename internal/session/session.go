// Package session holds who works with which schema against which database: connection, role, guard rails,
// and whether personal data is revealed. Every decision about roles, read-only mode, production and masking is
// made here; commands and screens ask for it. Reading and changing items belong to other packages.
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

// ErrInput is wrapped by errors about what the caller gave. Nothing was sent.
var ErrInput = errors.New("bad input")

type inputError struct{ msg string }

func (e *inputError) Error() string        { return e.msg }
func (e *inputError) Is(target error) bool { return target == ErrInput }

// InputErrorf returns an error that wraps ErrInput without repeating its text.
func InputErrorf(format string, args ...any) error {
	return &inputError{fmt.Sprintf(format, args...)}
}

// Options are what a session is made of.
type Options struct {
	Profile  *profiles.Profile
	Store    store.Reader
	Writer   store.Writer // used only when MayChange
	Target   store.Target
	Role     Role
	ReadOnly bool
	Context  string // the named context, "" without one
	Actor    string // who acts, as journal and audit entries name them

	JournalPath string           // "" is the default path
	StateDir    string           // holds the sealing key and locks; "" is the default
	Clock       func() time.Time // nil is time.Now
	Memory      *memory.Memory   // what is remembered between runs; nil remembers until the program ends

	// BookmarkPath is the file of the bookmarks; "" keeps them in Memory.
	BookmarkPath string
	// Environment is what the context calls itself, such as "prod". It may count as production.
	Environment string
	// Budget is how many read units per second full scans and long reads may take of each table. 0 is the
	// default: no limit, but on production a quarter of a table's provisioned capacity, or 500 on demand.
	// A negative budget is no limit anywhere. Single queries are not limited.
	Budget float64
	// Identity asks the store whose credentials these are; nil returns Actor.
	Identity func(ctx context.Context) (string, error)
}

// A Session is one schema against one database, for one person. It is safe for concurrent use.
type Session struct {
	o       Options
	denials *Denials

	mu     sync.Mutex
	masker *models.Masker
	reason string // why personal data is revealed
}

// New returns the session. It does no I/O. Without the right to change items it drops the writer.
func New(o Options) *Session {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Memory == nil {
		o.Memory = memory.New()
		o.Memory.SetClock(o.Clock)
	}
	s := &Session{o: o, masker: models.NewMasker(o.Profile.Entities, false), denials: &Denials{clock: o.Clock}}
	if o.Store != nil {
		s.o.Store = watchedReader{o.Store, s.denials, SchemaName(o.Profile)}
	}
	switch {
	case !o.MayChange():
		s.o.Writer = nil
	case o.Writer != nil:
		s.o.Writer = watchedWriter{o.Writer, s.denials, SchemaName(o.Profile)}
	}
	return s
}

// Profile returns the schema of the session.
func (s *Session) Profile() *profiles.Profile { return s.o.Profile }

// Target returns what the session is connected to.
func (s *Session) Target() store.Target { return s.o.Target }

// Store returns the reader of the database. Its requests note denied permissions. It is nil in a session
// without a connection, which can check and explain.
func (s *Session) Store() store.Reader { return s.o.Store }

// Writer returns what sends changes, nil in a session that may not change items; CanChange says why.
func (s *Session) Writer() store.Writer { return s.o.Writer }

// Denials returns the permissions that the database denied to the session.
func (s *Session) Denials() *Denials { return s.denials }

// Context returns the name of the context, "" without one.
func (s *Session) Context() string { return s.o.Context }

// Now returns the session's time.
func (s *Session) Now() time.Time { return s.o.Clock() }

// Budget returns the read budget as Options.Budget gives it.
func (s *Session) Budget() float64 { return s.o.Budget }

// Memory returns what is remembered between runs.
func (s *Session) Memory() *memory.Memory { return s.o.Memory }

// BookmarkPath returns the file of the bookmarks, "" when they are kept in Memory.
func (s *Session) BookmarkPath() string { return s.o.BookmarkPath }

// StateDir returns the directory of the program's state, never "".
func (s *Session) StateDir() string { return cmp.Or(s.o.StateDir, appdir.State()) }

// Sealer returns what encrypts texts for this machine alone.
func (s *Session) Sealer() seal.Sealer { return seal.New(s.o.StateDir) }

// Recognize returns what the item is; false when no entity of its table matches.
func (s *Session) Recognize(table *models.Table, it models.Item) (models.Recognition, bool) {
	return models.Recognize(s.o.Profile.Entities, table, it)
}
