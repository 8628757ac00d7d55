// Package session is the use cases of ddbdesk: run a pattern, open an item,
// decode a key, reveal personal data. The console and the commands both stop
// here.
package session

import (
	"context"
	"sync"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	core "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// What a session is made of, and what it decides.
type (
	Options = core.Options
	Role    = core.Role
	Refusal = core.Refusal
	Denial  = core.Denial
)

// The roles.
const (
	Support   = core.Support
	Developer = core.Developer
	Admin     = core.Admin
)

// See package core.
var (
	ErrRefused  = core.ErrRefused
	ErrInput    = core.ErrInput
	Roles       = core.Roles
	SignIn      = core.SignIn
	NeedsReason = core.NeedsReason
)

// A Session is one profile against one database, for one person.
type Session struct {
	*core.Session

	mu     sync.Mutex
	tables map[string]store.TableInfo
	pacers map[string]*store.Pacer // by table
	sound  bool                    // the journal was verified
	marks  []Bookmark              // as they were read last

	checks   map[string]TableCheck // how live tables compare, by name; nil until that is known
	compared uint64                // times that it came out differently

	marking sync.Mutex // held while bookmarks without a file change
}

// New returns the session. It does no I/O.
func New(o Options) *Session {
	return &Session{Session: core.New(o), tables: map[string]store.TableInfo{}, pacers: map[string]*store.Pacer{}}
}

// Denied lists what the store refused to the session's credentials and did not
// allow since, oldest first.
func (s *Session) Denied() []Denial { return s.Denials().List() }

// Get reads one item by its key, strongly consistent; nil when there is none.
func (s *Session) Get(ctx context.Context, table *models.Table, key models.Item) (models.Item, error) {
	page, err := s.fetch(ctx, accesspatterns.GetLeg(table, key), nil, 0)
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	return page.Items[0], nil
}

// Related returns the patterns that can be run from the item.
func (s *Session) Related(table *models.Table, it models.Item) []accesspatterns.Related {
	r, ok := s.Recognise(table, it)
	if !ok {
		return nil
	}
	return accesspatterns.Relations(s.Profile().Patterns, s.Profile().Entities, accesspatterns.ItemView(r.Entity, it))
}

// NearlyRelated returns the patterns that the item fills in part: what they lack
// has to be given.
func (s *Session) NearlyRelated(table *models.Table, it models.Item) []accesspatterns.Related {
	r, ok := s.Recognise(table, it)
	if !ok {
		return nil
	}
	return accesspatterns.Nearly(s.Profile().Patterns, s.Profile().Entities, accesspatterns.ItemView(r.Entity, it))
}
