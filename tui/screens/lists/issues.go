package lists

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

type issue = *accesspatterns.Finding

// Findings lists the documented schema issues and additional lint findings.
var Findings = listing.Open(func(e *screen.Env, to screen.Findings) *listing.Spec[issue] {
	spec := &listing.Spec[issue]{
		Name: "findings", Title: "Schema issues", Does: "Lists the issues of the schema and their workarounds.", Noun: "issue",
		Layout: listing.Beside, Costly: true, InitialID: to.ID,
		Guide: screen.Guide{
			Purpose: "Problems in the schema document, ddbdesk's workaround for each, and the issues that lint finds.",
			First:   "select an issue, or filter with /. Press enter to open the patterns, changes and entities that it affects.",
			Signs: []screen.Sign{
				{Glyph: "✗", Meaning: "impossible or wrong: the documented request fails or returns wrong results"},
				{Glyph: "!", Meaning: "integrity or security: data can become inconsistent, or visible to the wrong users"},
				{Glyph: "$", Meaning: "cost: slow and expensive"},
				{Glyph: "·", Meaning: "latent: works today and breaks with a small change"},
				{Glyph: "≠", Meaning: "contradiction: the document contradicts itself"},
				{Glyph: "?", Meaning: "gap: the document omits something"},
				{Glyph: "⚠", Meaning: "a pattern that does not run as documented because of this issue"},
			},
		},
		ID: func(f issue) string { return f.ID },
		Group: func(f issue) string {
			_, words, _ := present.DescribeFinding(f.Kind)
			return string(f.Kind[:1]) + strings.ToLower(string(f.Kind[1:])) + ": " + words
		},
		Empty: listing.None("No issues", "The schema declares no issues, and lint finds none."),
		Load:  loadIssues,
		Search: func(f issue) string {
			return strings.Join(slices.Concat([]string{string(f.Kind), f.Text, f.Workaround, f.Source}, f.Patterns,
				f.Entities, f.Tables), " ")
		},
		Columns: []listing.Column[issue]{
			{Column: widget.Column{Title: "", Width: 1}, Cell: func(_ *screen.Env, f issue) widget.Cell {
				sign, _, role := present.DescribeFinding(f.Kind)
				return widget.Cell{Text: sign, Role: role}
			}},
			listing.Styled(widget.Column{Title: "Issue", Max: 200, Weight: 1}, widget.RoleText, func(_ *screen.Env, f issue) string {
				return present.FindingTitle(f)
			}),
		},
		Facts: issueFacts,
		Actions: []listing.Action[issue]{{
			Name: "enter", Keys: "enter", Desc: "open",
			Long: "open the affected part: a pattern, the plan of a change, an entity on the schema map",
			Can: func(e *screen.Env, f issue) error {
				if len(issueLinks(e, f)) == 0 {
					return errors.New("the issue affects the document as a whole")
				}
				return nil
			},
			Run: openAffected,
		}},
	}
	if !e.Plain() {
		spec.Columns = append(spec.Columns, listing.Text("ID", func(f issue) string { return f.ID }))
	}
	return spec
})

func loadIssues(ctx context.Context, e *screen.Env, r *listing.Reading[issue]) (listing.Rows[issue], error) {
	p := e.Session.Profile()
	var list []issue
	for _, k := range accesspatterns.FindingKinds() {
		list = append(list, models.Filter(p.Findings, func(f issue) bool { return f.Kind == k })...)
	}
	r.Found(listing.Rows[issue]{List: slices.Clone(list)})
	documentedCount := len(list)
	found, err := lint.Issues(ctx, p)
	if err != nil {
		return listing.Rows[issue]{}, err
	}
	list = append(list, found...)
	note := ""
	if found := len(list) - documentedCount; found > 0 {
		note = fmt.Sprintf("%d found by lint", found)
	}
	return listing.Rows[issue]{List: list, Note: note}, nil
}

func issueFacts(e *screen.Env, f issue) []listing.Fact {
	sign, words, role := present.DescribeFinding(f.Kind)
	id := e.Session.Profile().Name + " " + f.ID + " · "
	if e.Plain() {
		id = ""
	}
	list := []listing.Fact{
		{Text: f.Title, Role: widget.RoleTitle}, // Without a title, Title is the start of the text.
		{Text: fmt.Sprintf("%s %s%s: %s", sign, id, strings.ToLower(string(f.Kind)), words), Role: role},
	}
	list = append(list, listing.Heading("Problem"), listing.Fact{Text: f.Text},
		listing.Fact{Text: present.FindingRisk(f.Kind), Role: widget.RoleMuted})
	if f.Workaround != "" {
		list = append(list, listing.Heading("Workaround"), listing.Fact{Text: f.Workaround, Role: widget.RoleGood})
	}
	if f.Source != "" && !e.Plain() {
		list = append(list, listing.Blank(), listing.Fact{Text: "Source: " + f.Source, Role: widget.RoleFaint})
	}
	list = append(list, listing.Heading("Affects"))
	for _, l := range issueLinks(e, f) {
		list = append(list, listing.Fact{Label: l.kind, Text: present.Join(l.title, l.note, " · ")})
	}
	return list
}

// An affectedPart is a part of the schema that an issue affects.
type affectedPart struct {
	section, kind, title, note string
	to                         screen.Target
}

func issueLinks(e *screen.Env, f issue) (links []affectedPart) {
	p := e.Session.Profile()
	for _, decides := range []bool{true, false} {
		for _, q := range p.Patterns {
			if !slices.Contains(f.Patterns, q.ID) && !slices.Contains(q.Findings, f) || f.DecidesPattern(q.ID) != decides {
				continue
			}
			note := ""
			if decides {
				note = "⚠ not run as documented"
			}
			links = append(links, affectedPart{"Patterns", e.OperationWord(q.Read.Operation), q.Title, note, screen.Patterns{Pattern: q}})
		}
	}
	for _, a := range p.Actions {
		if slices.Contains(a.Findings, f) {
			to := screen.Patterns{Pattern: p.Pattern(a.ID), Plan: a}
			links = append(links, affectedPart{"Changes", "change", a.Title, present.EntityName(a.Entity), to})
		}
	}
	for _, name := range f.Entities {
		if entity := p.Entity(name); entity != nil {
			links = append(links, affectedPart{"Entities", "entity", present.EntityName(entity), "", screen.Map{Entity: entity}})
		}
	}
	for _, name := range f.Tables {
		if t := p.Table(name); t != nil {
			links = append(links, affectedPart{"Tables", "table", t.Name, "", screen.Map{Table: t}})
		}
	}
	return links
}

func openAffected(s *listing.Screen[issue], f issue) tea.Cmd {
	links := issueLinks(s.Env, f)
	if len(links) == 1 {
		return screen.Open(links[0].to)
	}
	m, section := &overlay.Menu{Title: "Affected by this issue", At: 1}, ""
	for _, l := range links {
		if l.section != section {
			section = l.section
			m.Entries = append(m.Entries, overlay.MenuEntry{Label: section})
		}
		m.Entries = append(m.Entries, overlay.MenuEntry{
			Label: l.title, Note: present.Join(l.kind, l.note, " · "), Run: func() tea.Cmd { return screen.Open(l.to) },
		})
	}
	s.Box = m
	return nil
}

// A scope contains the data that a search for drift reads.
type scope = *searchScope

type searchScope struct {
	entity *models.Entity // nil for every table
	tables []*models.Table
	cost   string // cost of the search; "" until known
}

func (s scope) name() string {
	if s.entity == nil {
		return ""
	}
	return s.entity.Name
}

// Drift lists the scopes in which the user can search for stale derived keys or times.
var Drift = listing.Open(func(_ *screen.Env, to screen.Drift) *listing.Spec[scope] {
	return &listing.Spec[scope]{
		Name: "drift", Title: "Drift", Heading: "Search for drift in", Does: "Searches entities for items that do not match the schema.",
		Noun: "scope", Layout: listing.Beside, InitialID: to.Entity,
		Guide: screen.Guide{
			Purpose: "Items that do not match the schema, for example after a status change that did not update " +
				"the index. Queries miss such items or return them in the wrong place.",
			First: "choose a table or an entity and press enter. ddbdesk reads every item once, which is expensive for a " +
				"large table; press esc to stop.",
			Signs: screen.GridSigns,
		},
		ID:    func(s scope) string { return cmp.Or(s.name(), "everything") },
		Empty: listing.None("The schema has no entities", ""),
		Load: func(_ context.Context, e *screen.Env, _ *listing.Reading[scope]) (listing.Rows[scope], error) {
			p := e.Session.Profile()
			list := []scope{{tables: p.Tables}}
			for _, entity := range p.Entities {
				list = append(list, &searchScope{entity: entity, tables: searchedTables(p, entity.Name)})
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
			listing.Styled(widget.Column{Title: "Entity"}, widget.RoleText, func(e *screen.Env, s scope) string {
				if s.entity == nil {
					return "Everything"
				}
				return entityName(e, s.entity)
			}),
			{Column: widget.Column{Title: "Table", Max: 40, Weight: 1}, Cell: func(_ *screen.Env, s scope) widget.Cell {
				c := widget.Cell{Text: s.tables[0].Name, Role: widget.RoleFaint}
				if s.entity == nil {
					c.Text = present.Plural(len(s.tables), "table")
				}
				return c
			}},
		},
		Read: func(ctx context.Context, e *screen.Env, s scope) (func(*scope), error) {
			cost := searchCost(ctx, e, s.name())
			return func(s *scope) { *s = &searchScope{(*s).entity, (*s).tables, cost} }, nil
		},
		Facts: scopeFacts,
		Actions: []listing.Action[scope]{{
			Name: "enter", Keys: "enter", Desc: "search", Long: "search; asks first if the search is expensive",
			Run: func(s *listing.Screen[scope], of scope) tea.Cmd {
				return confirmSearch(s, of.name(), func() tea.Cmd { return screen.Open(screen.Defects{Entity: of.name()}) })
			},
		}},
	}
})

func searchCost(ctx context.Context, e *screen.Env, entity string) string {
	return cmp.Or(e.Drift.Cost(ctx, drift.Options{Entity: entity}), "The size is unknown.")
}

func scopeFacts(e *screen.Env, s scope) []listing.Fact {
	list := []listing.Fact{{Text: "Reads", Role: widget.RoleMuted}}
	for _, t := range s.tables {
		list = append(list, listing.Fact{Text: t.Name, Role: widget.RoleKey})
		if obstacle := e.Tables.ObstacleToDrift(t); obstacle != nil {
			list = append(list, listing.Fact{Lines: func(w int) []string { return present.ObstacleWarning(e.Styles, obstacle, w) }})
		}
	}
	list = append(list, listing.Fact{Text: s.cost},
		listing.Fact{Text: "The search is read-only. ddbdesk asks first if it is expensive.", Role: widget.RoleMuted}, listing.Heading("Finds"))
	for _, k := range change.DefectKinds() {
		list = append(list, listing.Fact{
			Label: present.DefectBadge(k).Text, Text: present.DescribeDefect(k).Meaning,
			Role: widget.RoleMuted,
		})
	}
	return append(list, listing.Blank(),
		listing.Fact{Text: "Queries miss such items or return them in the wrong place.", Role: widget.RoleMuted})
}

func searchedTables(p *profiles.Profile, entity string) []*models.Table {
	if e := p.Entity(entity); e != nil {
		return []*models.Table{e.Table}
	}
	return p.Tables
}

func confirmSearch[R any](s *listing.Screen[R], entity string, yes func() tea.Cmd) tea.Cmd {
	list := searchedTables(s.Env.Session.Profile(), entity)
	names := models.MapSlice(list, func(t *models.Table) string { return t.Name })
	text := "It reads the whole table " + names[0] + "."
	if len(names) > 1 {
		text = "It reads these tables completely: " + strings.Join(names, ", ") + "."
	}
	return s.ConfirmScan(s.Env.Context, s.Env, accesspatterns.Read{}, overlay.NewQuestion("Search for drift?", "SCAN", "Search", yes, text,
		"Estimating the size …",
		"It reads page by page and writes nothing. Press esc to stop and keep the problems found so far."), list...)
}
