// Package session is the use cases of ddbdesk: run a pattern, open an item,
// decode a key, reveal personal data. The console and the commands both stop
// here; role, read-only and guard decisions are made here and nowhere else.
package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/memory"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Role says what a person may do here. The real fence is IAM.
type Role string

// The roles. Support and developer read; support may not reveal.
const (
	Support   Role = "support"
	Developer Role = "developer"
	Admin     Role = "admin"
)

// Roles lists the roles, from least to most.
func Roles() []Role { return []Role{Support, Developer, Admin} }

// ErrRefused is wrapped by everything that a guard refuses. Nothing was sent.
var ErrRefused = errors.New("refused")

// A Refusal says what was refused, why, and what to do.
type Refusal struct {
	Why  string
	Next string
}

func (r *Refusal) Error() string {
	if r.Next == "" {
		return r.Why
	}
	return r.Why + "; " + r.Next
}

// Is makes errors.Is(err, ErrRefused) true.
func (r *Refusal) Is(target error) bool { return target == ErrRefused }

// ErrInput is wrapped by errors about what the caller gave: nothing was sent.
var ErrInput = errors.New("bad input")

type inputError struct{ msg string }

func (e *inputError) Error() string        { return e.msg }
func (e *inputError) Is(target error) bool { return target == ErrInput }

func inputErrorf(format string, args ...any) error {
	return &inputError{fmt.Sprintf(format, args...)}
}

// Options are what a session is made of.
type Options struct {
	Profile     *profiles.Profile
	Store       store.Reader
	Writer      store.Writer // nil when the session may not change anything
	Target      store.Target
	Role        Role
	ReadOnly    bool
	Context     string // the named context, "" without
	Actor       string
	JournalPath string           // "" is the default path
	StateDir    string           // where the key that seals page tokens lives
	Clock       func() time.Time // nil is time.Now
	Memory      *memory.Memory   // what is remembered between runs; nil remembers until the program ends

	// BookmarkPath is the file of the bookmarks; "" keeps them in Memory.
	BookmarkPath string

	// Environment is what the context says it is, such as "prod": it may count as
	// production.
	Environment string
	// Budget is how many read units per second the reads of whole tables and of
	// long answers may take, of each table. 0 leaves it to the session: no bound,
	// but on production a quarter of what a table has provisioned, or 500 on demand.
	// Unlimited lifts that. Single questions are not counted.
	Budget float64
	// Identity asks the store whose credentials these are; nil is the actor.
	Identity func(ctx context.Context) (string, error)
}

// A Session is one profile against one database, for one person.
type Session struct {
	o Options

	mu     sync.Mutex
	tables map[string]store.TableInfo
	pacers map[string]*store.Pacer // by table
	masker *models.Masker
	reason string     // why personal data is revealed
	sound  bool       // the journal was verified
	marks  []Bookmark // as they were read last

	checks   map[string]TableCheck // how live tables compare, by name; nil until that is known
	compared uint64                // times that it came out differently
	refused  refusals

	marking sync.Mutex // held while bookmarks without a file change
}

// New returns the session. It does no I/O.
func New(o Options) *Session {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Memory == nil {
		o.Memory = memory.New()
		o.Memory.SetClock(o.Clock)
	}
	s := &Session{
		o: o, masker: models.NewMasker(o.Profile.Entities, false),
		tables: map[string]store.TableInfo{}, pacers: map[string]*store.Pacer{},
	}
	s.watch()
	return s
}

// Profile returns the profile of the session.
func (s *Session) Profile() *profiles.Profile { return s.o.Profile }

// Target returns what the session is connected to.
func (s *Session) Target() store.Target { return s.o.Target }

// Role returns the role, which no command of the session can change.
func (s *Session) Role() Role { return s.o.Role }

// ReadOnly reports whether the session may not change anything.
func (s *Session) ReadOnly() bool { return s.o.ReadOnly || s.o.Role != Admin }

// Actor returns who acts, as journal and audit entries name them.
func (s *Session) Actor() string { return s.o.Actor }

// Context returns the name of the context, "" without one.
func (s *Session) Context() string { return s.o.Context }

// Production reports whether the context, its environment, or a variable's value
// counts as production.
func (s *Session) Production() bool {
	names := []string{s.o.Context, s.o.Environment}
	for _, v := range s.o.Profile.Variables {
		names = append(names, v.Value)
	}
	return s.o.Profile.IsProduction(names...)
}

// Now returns the session's time.
func (s *Session) Now() time.Time { return s.o.Clock() }

// Masker returns what hides sensitive values: all of them until Reveal.
func (s *Session) Masker() *models.Masker {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.masker
}

// CanReveal returns why the role may not reveal personal data, nil when it may.
func (s *Session) CanReveal() error {
	if s.o.Role == Support || s.o.Role == "" {
		return &Refusal{Why: "the role support may not reveal personal data", Next: "start with --role developer"}
	}
	return nil
}

// Reveal shows personal data from now on, for a reason that goes to the
// journal together with what is revealed (subject). Secrets stay hidden.
func (s *Session) Reveal(ctx context.Context, subject, reason string) error {
	if err := s.CanReveal(); err != nil {
		return err
	}
	if strings.TrimSpace(reason) == "" {
		return inputErrorf("revealing personal data needs a reason: --reason TEXT")
	}
	j, err := s.journal()
	if err != nil {
		return fmt.Errorf("nothing is revealed without a journal: %w", err)
	}
	if _, err := j.Append(ctx, s.entry(journal.Reveal, subject, map[string]string{"reason": reason})); err != nil {
		return fmt.Errorf("nothing is revealed without a journal: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.masker, s.reason = models.NewMasker(s.o.Profile.Entities, true), strings.TrimSpace(reason)
	return nil
}

// Hide masks personal data again.
func (s *Session) Hide() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.masker, s.reason = models.NewMasker(s.o.Profile.Entities, false), ""
}

// Get reads one item by its key, strongly consistent; nil when there is none.
func (s *Session) Get(ctx context.Context, table *models.Table, key models.Item) (models.Item, error) {
	page, err := s.fetch(ctx, accesspatterns.GetLeg(table, key), nil, 0)
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	return page.Items[0], nil
}

// Recognise returns what the item is; false when no entity of its table
// matches.
func (s *Session) Recognise(table *models.Table, it models.Item) (models.Recognition, bool) {
	return models.Recognise(s.o.Profile.Entities, table, it)
}

// Related returns the patterns that can be run from the item.
func (s *Session) Related(table *models.Table, it models.Item) []accesspatterns.Related {
	r, ok := s.Recognise(table, it)
	if !ok {
		return nil
	}
	return accesspatterns.Relations(s.o.Profile.Patterns, s.o.Profile.Entities, accesspatterns.ItemView(r.Entity, it))
}

// NearlyRelated returns the patterns that the item fills in part: what they lack
// has to be given.
func (s *Session) NearlyRelated(table *models.Table, it models.Item) []accesspatterns.Related {
	r, ok := s.Recognise(table, it)
	if !ok {
		return nil
	}
	return accesspatterns.Nearly(s.o.Profile.Patterns, s.o.Profile.Entities, accesspatterns.ItemView(r.Entity, it))
}
