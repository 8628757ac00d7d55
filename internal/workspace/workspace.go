// Package workspace puts together what a person can do with one schema and one database: it opens a session and
// everything that works on it. Both front ends, the commands and the screens, start here. It decides nothing.
package workspace

import (
	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/exporter"
	"github.com/ddbdesk/ddbdesk/internal/history"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
)

// A Workspace is a session with everything that works on it. Its parts are safe for concurrent use.
type Workspace struct {
	Session   *session.Session
	Tables    *tables.Catalog
	Reading   *reading.Reader
	Drift     *drift.Finder
	Planner   *changes.Planner
	Committer *changes.Committer
	Journal   *changes.Journal
	History   *history.History
	Bookmarks *bookmarks.List
	Exporter  *exporter.Exporter
}

// New returns the workspace of a new session. It does no I/O.
func New(o session.Options) *Workspace {
	w := &Workspace{Session: session.New(o)}
	s := w.Session
	w.Tables = tables.New(s)
	w.Reading = reading.New(s, w.Tables)
	w.Drift = drift.New(s, w.Tables, w.Reading)
	w.Planner, w.Committer, w.Journal = changes.New(s, w.Tables, w.Reading, w.Drift)
	w.History, w.Bookmarks, w.Exporter = history.New(s), bookmarks.New(s), exporter.New(s)
	return w
}
