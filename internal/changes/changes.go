// Package changes changes items: a Planner plans actions, repairs and undos without writing, a Committer applies
// plans and records them in the journal, and a Journal reads back what was changed. What is changed is a Set: one
// action on one or many items, each in a transaction of its own, in memory one at a time. It can be kept in a File.
// Which writes an action makes is decided by accesspatterns/change, and who may apply it by session.
package changes

import (
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
)

// A Planner plans changes and identifies which ones an item allows. It writes nothing, and every role may use it. It
// is safe for concurrent use.
type Planner struct {
	s      *session.Viewer
	tables *tables.Catalog
	rd     *reading.Reader
	drift  *drift.Finder
	past   *Journal
}

// A Committer applies plans. It is safe for concurrent use.
type Committer struct {
	s       *session.Session
	rd      *reading.Reader
	planner *Planner

	mu       sync.Mutex
	verified bool // the journal was verified in this session
}

// A Journal reads the journal entries of a session's schema and tables. It is safe for concurrent use.
type Journal struct {
	s  *session.Viewer
	rd *reading.Reader
}

// NewPlanner returns the planner of a viewer, which no Committer can be had from. It sends nothing.
func NewPlanner(v *session.Viewer, t *tables.Catalog, rd *reading.Reader, d *drift.Finder) *Planner {
	return &Planner{s: v, tables: t, rd: rd, drift: d, past: &Journal{s: v, rd: rd}}
}

// New returns the three parts for a session. It sends nothing.
func New(s *session.Session, t *tables.Catalog, rd *reading.Reader, d *drift.Finder) (*Planner, *Committer, *Journal) {
	p := NewPlanner(s.Viewer, t, rd, d)
	return p, &Committer{s: s, rd: rd, planner: p}, p.past
}
