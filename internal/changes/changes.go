// Package changes changes items. A Planner plans actions, repairs and undos without writing, a Committer applies plans
// and records them in the journal, and a Journal reads past changes. A Set is one action on one or many items; each
// item has its own transaction, and one item is in memory at a time. A File stores a set. Package accesspatterns/change
// determines an action's writes, and package session determines who may apply it.
package changes

import (
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
)

// A Planner plans changes and lists the changes that an item allows. It writes nothing, and every role may use it. It
// is safe for concurrent use.
type Planner struct {
	s       *session.Viewer
	tables  *tables.Catalog
	rd      *reading.Reader
	drift   *drift.Finder
	journal *Journal
}

// A Committer applies plans. It is safe for concurrent use.
type Committer struct {
	s       *session.Session
	rd      *reading.Reader
	planner *Planner

	mu       sync.Mutex
	verified bool // this session has verified the journal
}

// A Journal reads the journal entries of a session's schema and tables. It is safe for concurrent use.
type Journal struct {
	s  *session.Viewer
	rd *reading.Reader
}

// NewPlanner returns the planner of a viewer, without a Committer. It sends no requests.
func NewPlanner(v *session.Viewer, t *tables.Catalog, rd *reading.Reader, d *drift.Finder) *Planner {
	return &Planner{s: v, tables: t, rd: rd, drift: d, journal: &Journal{s: v, rd: rd}}
}

// New returns the planner, committer and journal of a session. It sends no requests.
func New(s *session.Session, t *tables.Catalog, rd *reading.Reader, d *drift.Finder) (*Planner, *Committer, *Journal) {
	p := NewPlanner(s.Viewer, t, rd, d)
	return p, &Committer{s: s, rd: rd, planner: p}, p.journal
}
