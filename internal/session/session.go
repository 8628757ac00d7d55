// Package session contains the state of one user's work with a schema on a database: the connection, the role, and
// whether personal data is revealed. It makes every decision about roles, read-only mode, production and masking for
// commands and screens. Other packages read and change items.
package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// ErrInput means that the input is invalid. ddbdesk sent nothing.
var ErrInput = errors.New("bad input")

type inputError struct{ msg, plain string }

func (e *inputError) Error() string        { return e.msg }
func (e *inputError) Plain() string        { return e.plain }
func (e *inputError) Is(target error) bool { return target == ErrInput }

// InputErrorf returns an error that wraps ErrInput without repeating its text. Front ends show the text unchanged, so
// write it in lower case, without a period, and with the remedy after a semicolon.
func InputErrorf(format string, args ...any) error {
	e := &inputError{}
	e.msg, e.plain = models.FormatWordings(format, args...)
	return e
}

// Options configures a session. Profile is required; the zero value of every other field is valid. New and NewViewer
// copy the options, so later changes have no effect.
type Options struct {
	Profile  *profiles.Profile
	Store    store.Reader
	Target   store.Target
	Role     Role
	ReadOnly bool
	Context  string // name of the context, or ""
	// CommandLine is the command line without the program name. It is empty in a console that can switch the context.
	CommandLine []string
	Console     bool   // the session belongs to the console, not to a command
	Actor       string // user's name for journal and audit entries
	Person      Person // real user; New sets User if it is empty

	JournalPath string // "" uses the default path
	// JournalFault makes steps of journal writes fail; see [journal.Journal.Intercept]. Only tests set it.
	JournalFault func(step string) error
	// Shipper sends the journal's entries to a sink; may be nil.
	Shipper  *journal.Shipper
	StateDir string           // folder of the encryption key and of locks; "" uses the default
	Clock    func() time.Time // nil means time.Now

	// BookmarkPath is the bookmarks file; "" keeps bookmarks in memory.
	BookmarkPath string
	// Environment is the environment of the context, such as "prod", or "". Stage uses it.
	Environment string
	// Declared is the context's declaration about production.
	Declared Declaration
	// Budget is the maximum number of RCU per second and table for scans and long reads. 0 is the default: no
	// limit, except on production, where it is a quarter of the table's provisioned capacity, or 500 on demand. A
	// negative budget means no limit anywhere. It never limits single queries.
	Budget float64
	// SessionRules contains the context's requirements for reading anything, in addition to the schema's.
	SessionRules []profiles.SessionRules
	Purpose      Purpose
	// RawEdits controls changes of items without an action. "" permits them except on production, "true" also on
	// production, and "override" even in place of an action of the schema, with a second person.
	RawEdits string
	// JournalReads determines whether the journal records reads; nil records them on production.
	JournalReads *bool
	// Requests determines where change requests are stored.
	Requests Requests
	// Identity asks AWS for the identity of the credentials; a nil Identity returns Actor.
	Identity func(ctx context.Context) (string, error)
}

// settings contains the options of a session. They never change.
type settings struct{ o Options }

// A Viewer reads one schema on one database for one user, and masks the results. It cannot reveal personal data or
// write, and its type guarantees this, because nothing reachable from it can. A [Session] adds both. A Viewer is safe
// for concurrent use.
type Viewer struct {
	settings
	original   Options // as passed by the front end, to start a session for another version of the schema
	denials    *Denials
	fullMasker *models.Masker // always masks personal data and undeclared attributes
	roleMasker *models.Masker // masker of the role, regardless of Reveal
	hasWriter  bool           // belongs to a session with a writer

	mu     sync.Mutex
	masker *models.Masker
	reason change.Reason // reason for revealing personal data, "" while it is masked
}

// NewViewer returns a viewer. It performs no I/O.
func NewViewer(o Options) *Viewer {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Person.User == "" {
		o.Person.User = SystemUser()
	}
	v := &Viewer{
		settings: settings{o}, original: o, fullMasker: models.NewMasker(o.Profile.Entities, false),
		denials: &Denials{clock: o.Clock},
	}
	if v.roleMasker = v.fullMasker; o.Role == Developer || o.Role == Admin {
		v.roleMasker = v.fullMasker.WithUndeclared()
	}
	v.masker = v.roleMasker
	if o.Store != nil {
		v.o.Store = guardedReader{o.Store, v.watch(), v}
	}
	return v
}

func (v *Viewer) watch() watch { return watch{v.denials, v.o, v.o.CheckPurpose()} }

// A Session is one user's work with one schema on one database. It is a Viewer that can also change items. It is safe
// for concurrent use.
type Session struct {
	*Viewer
	writer         store.Writer
	originalWriter store.Writer // as passed by the front end
}

// New returns a session that cannot change items. It performs no I/O.
func New(o Options) *Session { return NewWriting(o, nil) }

// NewWriting returns a session that changes items with w. It drops w if the options do not allow changes.
func NewWriting(o Options, w store.Writer) *Session {
	s := &Session{Viewer: NewViewer(o), originalWriter: w}
	if w != nil && o.MayChange() {
		s.writer, s.hasWriter = watchedWriter{w, s.watch()}, true
	}
	return s
}

// WithProfile returns a session for another version of the schema, on the same connection. The new session masks
// personal data, keeps the purpose, and has no denied permissions.
func (s *Session) WithProfile(p *profiles.Profile) *Session {
	o := s.original
	o.Profile = p
	return NewWriting(o, s.originalWriter)
}

// ConfinedTo returns a session for another schema on the same connection. Its writer commits only items of one table
// whose partition key begins with prefix. It can write for every role, except in a read-only session, because its items
// do not belong to the schema.
func (s *Session) ConfinedTo(p *profiles.Profile, t *models.Table, prefix string) *Session {
	o := s.original
	o.Profile, o.Role, o.BookmarkPath = p, Admin, ""
	o.SessionRules = append(slices.Clone(o.SessionRules), s.o.Profile.Session)
	return NewWriting(o, store.ConfineWriter(s.originalWriter, t, prefix))
}

// Profile returns the session's schema.
func (s *settings) Profile() *profiles.Profile { return s.o.Profile }

// Target returns the session's database.
func (s *settings) Target() store.Target { return s.o.Target }

// Store returns the reader of the database, which records denied permissions. It is nil in a session without a
// connection, which can only check and explain.
func (s *settings) Store() store.Reader { return s.o.Store }

// Writer returns the writer of the database, or nil if the session cannot change items; see CanChange. The writer sends
// nothing while CheckPurpose refuses.
func (s *Session) Writer() store.Writer { return s.writer }

// Denials returns the permissions that the database denied in this session.
func (v *Viewer) Denials() *Denials { return v.denials }

// Context returns the name of the context, or "".
func (s *settings) Context() string { return s.o.Context }

// Now returns the current time of the session's clock.
func (s *settings) Now() time.Time { return s.o.Clock() }

// Budget returns the read budget; see Options.
func (s *settings) Budget() float64 { return s.o.Budget }

// BookmarkPath returns the path of the bookmarks file, or "" if bookmarks stay in memory.
func (s *settings) BookmarkPath() string { return s.o.BookmarkPath }

// StateDir returns ddbdesk's state folder, never "".
func (s *settings) StateDir() string { return cmp.Or(s.o.StateDir, appdir.State()) }

// Sealer returns a Sealer with this machine's key.
func (s *settings) Sealer() Sealer { return NewSealer(s.o.StateDir) }

// Recognize returns the entity of an item. It returns false if no entity of the table matches.
func (s *settings) Recognize(table *models.Table, it models.Item) (models.Recognition, bool) {
	return models.Recognize(s.o.Profile.Entities, table, it)
}
