// Package workspace combines a session with the packages that work on it: reading, changes, tables, exports and others.
// Both the commands and the console start with a [Workspace]. The package makes no decisions itself.
package workspace

import (
	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Workspace provides a front end with the operations on one schema and one database. Its parts are safe for
// concurrent use.
type Workspace struct {
	Session   *session.Session   // connection, role and masking
	Tables    *tables.Catalog    // live tables, compared with the schema
	Reading   *reading.Reader    // runs patterns
	Drift     *drift.Finder      // finds inconsistent items
	Planner   *changes.Planner   // plans changes, for every role
	Committer *changes.Committer // applies plans, if the session allows it
	Journal   *changes.Journal   // past changes of this schema and connection
	Requests  *requests.Inbox    // changes that one user requests and another user applies
	History   *local.History     // values that the user entered, and items that the user opened
	Bookmarks *bookmarks.List    // bookmarks of items and queries
	Exporter  *items.Exporter    // exports and copies, masked
	Cases     *cases.Collector   // case files, with pseudonyms

	local *local.Store
}

// New returns the workspace of a new session that cannot change items. It performs no I/O.
func New(o session.Options) *Workspace { return NewWriting(o, nil) }

// NewWriting returns the workspace of a new session that changes items with to, if its options allow changes. It
// performs no I/O.
func NewWriting(o session.Options, to store.Writer) *Workspace {
	store := local.New()
	s := session.NewWriting(o, to)
	store.SetClock(s.Now)
	return assemble(s, store)
}

// WithProfile returns the workspace for another version of the schema, on the same connection. It masks personal data.
func (w *Workspace) WithProfile(p *profiles.Profile) *Workspace {
	return assemble(w.Session.WithProfile(p), w.local)
}

// WithLocalStore stores the history, and bookmarks without a file, in a store; nil keeps them in memory.
func (w *Workspace) WithLocalStore(in *local.Store) *Workspace {
	if in == nil {
		return w
	}
	return assemble(w.Session, in)
}

func assemble(s *session.Session, store *local.Store) *Workspace {
	w := &Workspace{Session: s, local: store}
	w.Tables = tables.New(s.Viewer)
	w.Reading = reading.New(s.Viewer, w.Tables)
	w.Drift = drift.New(s.Viewer, w.Tables, w.Reading)
	w.Planner, w.Committer, w.Journal = changes.New(s, w.Tables, w.Reading, w.Drift)
	w.Requests = requests.New(s, w.Planner, w.Committer)
	w.History, w.Bookmarks, w.Exporter = local.NewHistory(s.Viewer, store), bookmarks.New(s.Viewer, store), items.NewExporter(s)
	w.Cases = cases.New(s.Viewer, w.Reading)
	return w
}
