// Package session gathers the use cases of ddbdesk for the console and the commands, until these name the
// packages that hold them.
package session

import (
	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	core "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/exporter"
	"github.com/ddbdesk/ddbdesk/internal/history"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/tables"
)

// A Session is one profile against one database, for one person.
type Session struct {
	*core.Session
	*tables.Catalog
	*reading.Reader
	*changes.Planner
	*changes.Committer
	*changes.Journal
	*history.History
	*bookmarks.List
	*exporter.Exporter
	finder *drift.Finder
}

// New returns the session. It does no I/O.
func New(o Options) *Session {
	s := core.New(o)
	c := tables.New(s)
	rd := reading.New(s, c)
	f := drift.New(s, c, rd)
	all := &Session{Session: s, Catalog: c, Reader: rd, finder: f, History: history.New(s), List: bookmarks.New(s), Exporter: exporter.New(s)}
	all.Planner, all.Committer, all.Journal = changes.New(s, c, rd, f)
	return all
}
