package lists

import (
	"cmp"
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A scope is what a search for drift reads.
type scope struct {
	entity *models.Entity // nil for every table
	tables []*models.Table
	cost   string // of the search, once it was asked for
}

func (s scope) name() string {
	if s.entity == nil {
		return ""
	}
	return s.entity.Name
}

// Drift lists what can be searched for items whose derived keys and times are stale.
var Drift = listing.Open(func(_ *screen.Env, to screen.Drift) *listing.Spec[scope] {
	return &listing.Spec[scope]{
		Name: "drift", Title: "Drift", Heading: "Search for drift in", Does: "What can be searched for inconsistent index keys or times.",
		Noun: "scope", Layout: listing.Beside, At: to.Entity,
		Guide: screen.Guide{
			Purpose: "Items whose index keys or times are inconsistent, for example after a status change that did not update " +
				"the index. Queries miss such items or return them in the wrong place.",
			First: "choose a table or an entity and press enter. ddbdesk reads every item once, which is expensive for a " +
				"large table; esc stops it.",
			Signs: screen.GridSigns,
		},
		ID:    func(s scope) string { return cmp.Or(s.name(), "everything") },
		Empty: listing.None("The schema has no entities", ""),
		Load: func(_ context.Context, e *screen.Env, _ *listing.Reading[scope]) (listing.Rows[scope], error) {
			p := e.Session.Profile()
			list := []scope{{tables: p.Tables}}
			for _, entity := range p.Entities {
				list = append(list, scope{entity: entity, tables: searched(p, entity.Name)})
			}
			return listing.Rows[scope]{List: list}, nil
		},
		Search: func(s scope) string {
			if s.entity == nil {
				return ""
			}
			return s.entity.Title
		},
		Columns: []listing.Column[scope]{
			listing.Text("entity", func(s scope) string { return cmp.Or(s.name(), "Everything") }),
			{Column: widget.Column{Title: "table", Max: 40, Weight: 1}, Cell: func(_ *screen.Env, s scope) widget.Cell {
				c := widget.Cell{Text: s.tables[0].Name, Role: widget.RoleFaint}
				if s.entity == nil {
					c.Text = present.Plural(len(s.tables), "table")
				}
				return c
			}},
		},
		Read: func(ctx context.Context, e *screen.Env, s scope) (func(*scope), error) {
			cost := searchCost(ctx, e, s.name())
			return func(s *scope) { s.cost = cost }, nil
		},
		Facts: scopeFacts,
		Actions: []listing.Action[scope]{{
			Name: "enter", Keys: "enter", Desc: "search", Long: "preview what the search reads, then search",
			Run: func(s *listing.Screen[scope], of scope) tea.Cmd {
				return askSearch(s, of.name(), of.cost, func() tea.Cmd { return screen.Open(screen.Defects{Entity: of.name()}) })
			},
		}},
	}
})

// estimating is shown until the cost of a search is known.
const estimating = "Estimating the size …"

func searchCost(ctx context.Context, e *screen.Env, entity string) string {
	return cmp.Or(e.Drift.Cost(ctx, drift.Options{Entity: entity}), "The size is unknown.")
}

func scopeFacts(e *screen.Env, s scope) []listing.Fact {
	list := listing.Heading("Reads")[1:]
	for _, t := range s.tables {
		list = append(list, listing.Fact{Text: t.Name, Role: widget.RoleKey})
		if known := e.Tables.ObstacleToDrift(t); known != nil {
			list = append(list, listing.Fact{Lines: func(w int) []string { return present.AsksAgain(e.Styles, known, w) }})
		}
	}
	list = append(list, listing.Fact{Text: s.cost, Role: widget.RoleWarn},
		listing.Fact{Text: "The search asks before it reads, and writes nothing.", Role: widget.RoleMuted})
	list = append(list, listing.Heading("Finds")...)
	for _, k := range change.DefectKinds() {
		list = append(list, listing.Fact{Label: present.DefectBadge(k).Text, Text: present.WordsOf(k).Means, Role: widget.RoleMuted})
	}
	return append(list, listing.Blank(),
		listing.Fact{Text: "Queries miss such items or return them in the wrong place.", Role: widget.RoleMuted})
}

func searched(p *profiles.Profile, entity string) []*models.Table {
	if e := p.Entity(entity); e != nil {
		return []*models.Table{e.Table}
	}
	return p.Tables
}

func askSearch[R any](s *listing.Screen[R], entity, cost string, yes func() tea.Cmd) tea.Cmd {
	var names []string
	for _, t := range searched(s.Env.Session.Profile(), entity) {
		names = append(names, t.Name)
	}
	what := "It reads the whole table " + names[0] + "."
	if len(names) > 1 {
		what = "It reads these tables completely: " + strings.Join(names, ", ") + "."
	}
	q := overlay.NewQuestion("Search for drift?", "SCAN", "Search", yes, what, cmp.Or(cost, estimating),
		"It reads page by page and writes nothing. esc stops it and keeps the defects found so far.")
	s.Box = q
	if cost != "" {
		return nil
	}
	env := s.Env
	return func() tea.Msg {
		cost := searchCost(env.Context, env, entity)
		return listing.Answer[R](func(*listing.Screen[R]) tea.Cmd {
			q.Warn(cost)
			return nil
		})
	}
}
