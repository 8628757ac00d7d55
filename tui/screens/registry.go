// Package screens contains the registry of screens, with one line for each screen.
package screens

import (
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/compare"
	"github.com/ddbdesk/ddbdesk/tui/screens/decode"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
	"github.com/ddbdesk/ddbdesk/tui/screens/item"
	"github.com/ddbdesk/ddbdesk/tui/screens/lists"
	"github.com/ddbdesk/ddbdesk/tui/screens/workbench"
)

// registry lists the screens in the order of the documentation.
var registry = []screen.Registration{
	{Scope: home.Scope, Open: nil},
	{Scope: workbench.Scope, Open: screen.OpenFunc(workbench.New)},
	lists.Bookmarks,
	{Scope: item.Scope, Open: screen.OpenFunc(item.New)},
	compare.Compare,
	lists.Map,
	{Scope: decode.Scope, Open: screen.OpenFunc(decode.New)},
	lists.Queue,
	lists.Requests,
	lists.Drift,
	lists.Defects,
	lists.Environments,
	lists.Differences,
	lists.Journal,
	lists.Audit,
	lists.AuditEntries,
	lists.Findings,
	lists.CommandLog,
	lists.Visited,
	lists.Tail,
	lists.Draft,
}

// Summary implements screen.Env.Summary.
var Summary = item.SummaryOf

// Open returns the screen for a target.
func Open(env *screen.Env, to screen.Target) screen.Screen {
	for _, r := range registry {
		if r.Open == nil {
			continue
		}
		if s := r.Open(env, to); s != nil {
			return s
		}
	}
	return nil
}

// Scopes returns the key tables of all screens in the order of the documentation.
func Scopes() []screen.Scope {
	return models.MapSlice(registry, func(r screen.Registration) screen.Scope { return r.Scope() })
}
