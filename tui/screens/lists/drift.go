package lists

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A defectiveItem is an item with its defects.
type defectiveItem struct {
	drift.Result
	state string // outcome of the repair; "" before the repair

	masker *models.Masker // masker that key and defects use
	key    string
	shown  []change.Defect
}

// maxDefects is the maximum number of items to list. More items have a common cause, and listing them does not help.
const maxDefects = 20_000

var errTooMany = errors.New("more than 20,000 items do not match the schema; repair these first, or look for the common cause")

// Defects searches for items with stale derived keys or times, and can repair them.
var Defects = listing.Open(func(_ *screen.Env, to screen.Defects) *listing.Spec[*defectiveItem] {
	spec := &listing.Spec[*defectiveItem]{
		Name: "defects", Title: "Drift", Heading: "Drift in " + cmp.Or(to.Entity, "all entities"), Noun: "problem", Costly: true,
		Does: "Lists items that do not match the schema.",
		Guide: screen.Guide{
			Purpose: "Items that do not match the schema: stale index keys, wrong times, missing attributes and invalid values.",
			First:   "press o f to repair the marked items, or the selected one. Press enter to open the Keys tab of an item.",
			Signs: screen.Signs([]screen.Sign{
				{Glyph: "→", Meaning: "the stored value and the expected one"},
				{Glyph: "✓", Meaning: "consistent, or repaired"},
				{Glyph: "✗", Meaning: "not repaired, with the reason"},
			}, screen.GridSigns),
		},
		ID:    func(d *defectiveItem) string { return defectID(d.Table, d.Item) },
		Label: func(e *screen.Env, d *defectiveItem) string { return d.remask(e).key },
		Tabs: []listing.Tab[*defectiveItem]{{
			Title: "All", Has: func(*defectiveItem) bool { return true },
			Empty: listing.None("✓ All items match the schema", "Press r to search again, or esc to search another entity."),
		}},
		Load: func(ctx context.Context, e *screen.Env, r *listing.Reading[*defectiveItem]) (listing.Rows[*defectiveItem], error) {
			return findDefects(ctx, e, to.Entity, r)
		},
		Columns: defectColumns, Facts: defectFacts, Committed: markChanged,
		Actions: []listing.Action[*defectiveItem]{
			{
				Name: "enter", Keys: "enter", Desc: "open", Long: "open the Keys tab of the item",
				Open: func(d *defectiveItem) screen.Target {
					item := screen.Item{Table: d.Table, Item: d.Item}
					if slices.ContainsFunc(d.Defects, func(x change.Defect) bool { return x.Kind == change.StaleKey }) {
						item.Tab = "keys"
					}
					return item
				},
			},
			{
				Name: "repair", Keys: "o>f", Desc: "repair", Long: "repair the marked rows, or the current one", Danger: true,
				CanAll: cannotRepair, All: repair,
			},
			{
				Name: "mark-all", Keys: "o>M", Desc: "mark all", Long: "mark all repairable rows of this kind, or none",
				Run: func(s *listing.Screen[*defectiveItem], _ *defectiveItem) tea.Cmd {
					s.MarkAll(func(d *defectiveItem) bool { return d.Repairable && d.state == "" })
					return nil
				},
			},
			{
				Name: "reload", Keys: "r ctrl+r f5", Desc: "repeat", Long: "repeat the search", Free: true,
				Run: func(s *listing.Screen[*defectiveItem], _ *defectiveItem) tea.Cmd {
					return confirmSearch(s, to.Entity, s.Reload)
				},
			},
		},
	}
	for _, k := range change.DefectKinds() {
		spec.Tabs = append(spec.Tabs, listing.Tab[*defectiveItem]{
			Title: strings.ToUpper(k.Word()[:1]) + k.Word()[1:], Ended: true,
			Empty: listing.None("No problems of this kind", "Press v for the other kinds."),
			Has: func(d *defectiveItem) bool {
				return slices.ContainsFunc(d.Defects, func(of change.Defect) bool { return of.Kind == k })
			},
		})
	}
	return spec
})

func findDefects(ctx context.Context, e *screen.Env, entity string, r *listing.Reading[*defectiveItem]) (
	rows listing.Rows[*defectiveItem], err error,
) {
	o := drift.Options{Entity: entity, AllowScan: true, Progress: func(_ *models.Table, sum drift.Summary) {
		r.Found(listing.Rows[*defectiveItem]{List: slices.Clone(rows.List), Status: driftFigures(sum)})
	}}
	sum, err := e.Drift.Find(ctx, o, func(found drift.Result) error {
		if len(rows.List) == maxDefects {
			return errTooMany
		}
		rows.List = append(rows.List, &defectiveItem{Result: found})
		return nil
	})
	r.Found(listing.Rows[*defectiveItem]{List: rows.List, Status: driftFigures(sum)})
	if err == nil && entity == "" {
		e.History.SetDrift(local.DriftCheck{At: e.Session.Now(), Items: sum.Items, Scanned: sum.Scanned})
	}
	rows.Status = present.Plural(len(rows.List), "problem") + " in " + driftFigures(sum)
	return rows, err
}

func driftFigures(sum drift.Summary) string {
	text := present.Plural(sum.Scanned, "item")
	if sum.Capacity > 0 {
		text += fmt.Sprintf(" · %g RCU", sum.Capacity)
	}
	return text
}

var valuesColumn = widget.Column{Title: "Stored → expected", Weight: 1, Min: 43, Max: 120} // Min fits two times.

var defectColumns = []listing.Column[*defectiveItem]{
	{Column: widget.Column{Title: "Problem", Min: 13, Max: 13, Frozen: true}, Cell: func(e *screen.Env, d *defectiveItem) widget.Cell {
		c := present.DefectBadge(d.remask(e).first().Kind)
		c.Text = cmp.Or(d.state, c.Text)
		return d.dimmed(c)
	}},
	{Column: widget.Column{Title: "Entity", Max: 16}, Cell: func(e *screen.Env, d *defectiveItem) widget.Cell {
		return d.dimmed(results.KindCell(e.Plain(), d.Entity))
	}},
	{Column: widget.Column{Title: "Item", Min: 18, Max: 64, Middle: true}, Cell: func(e *screen.Env, d *defectiveItem) widget.Cell {
		return d.dimmed(widget.Cell{Text: d.remask(e).key})
	}},
	{Column: widget.Column{Title: "Attribute", Max: 20}, Cell: func(e *screen.Env, d *defectiveItem) widget.Cell {
		c := widget.Cell{Text: d.remask(e).first().Attribute, Role: widget.RoleKey}
		if n := len(d.shown); n > 1 {
			c.Text = strings.TrimSpace(c.Text + " +" + strconv.Itoa(n-1))
		}
		return d.dimmed(c)
	}},
	{Column: valuesColumn, Cell: func(e *screen.Env, d *defectiveItem) widget.Cell {
		c := widget.Cell{Text: d.remask(e).first().Text, Role: widget.RoleMuted}
		if stored, expected, ok := present.DefectValues(d.Entity, d.first()); ok {
			c.Text = stored + " → " + expected
		}
		return d.dimmed(c)
	}},
}

func (d *defectiveItem) remask(e *screen.Env) *defectiveItem {
	if m := e.Session.Masker(); d.masker != m {
		d.masker = m
		d.key, d.shown = e.Drift.Shown(d.Result)
	}
	return d
}

func (d *defectiveItem) first() change.Defect {
	if len(d.shown) == 0 {
		return change.Defect{}
	}
	return d.shown[0]
}

func (d *defectiveItem) dimmed(c widget.Cell) widget.Cell {
	if d.state != "" {
		c.Role = widget.RoleFaint
	}
	return c
}

func defectFacts(e *screen.Env, d *defectiveItem) []listing.Fact {
	d.remask(e)
	text := "unknown item"
	if d.Entity != nil {
		text = d.Entity.Title
	}
	list := []listing.Fact{{Text: text + " · " + d.key, Role: widget.RoleTitle}}
	for _, defect := range d.shown {
		list = append(list, listing.Fact{Lines: func(w int) []string { return present.DefectLines(e.Styles, d.Entity, defect, w) }})
	}
	switch {
	case d.state != "":
		list = append(list, listing.Fact{Text: d.state, Role: widget.RoleGood})
	case d.Obstacle != "":
		list = append(list, listing.Fact{Text: "This item cannot be repaired: " + d.Obstacle, Role: widget.RoleMuted})
	}
	return list
}

func defectID(t *models.Table, it models.Item) string { return t.Name + " " + results.Key(t, it) }

func repairables(rows []*defectiveItem) []*defectiveItem {
	return slices.DeleteFunc(slices.Clone(rows), func(d *defectiveItem) bool { return d.state != "" })
}

func cannotRepair(e *screen.Env, rows []*defectiveItem) error {
	cause := errors.New("nothing to repair")
	for _, d := range repairables(rows) {
		if d.Repairable {
			return e.Session.CanChange(e.Session.Profile().RepairOf(d.Entity))
		}
		cause = errors.New("this item cannot be repaired: " + d.Obstacle)
	}
	return cause
}

func repair(s *listing.Screen[*defectiveItem], rows []*defectiveItem) tea.Cmd {
	if rows = repairables(rows); !s.Marked() {
		return repairOne(s, rows[0])
	}
	items := models.MapSlice(rows, func(d *defectiveItem) changes.Item { return changes.Item{Table: d.Table, Item: d.Item} })
	var cmd tea.Cmd
	s.Box, cmd = planner.NewManyItems(s.Env, planner.ChangeRequest{
		Title: "Repair · " + present.Plural(len(items), "item"), Items: items,
		About: "Recomputes each item's derived attributes: index keys and duplicated times.",
		Done: func(done *changes.Commitment) tea.Cmd {
			w := done.Plan.Writes[0]
			for _, d := range rows {
				if defectID(d.Table, d.Item) == defectID(w.Table, w.Key) {
					d.markRepaired(done)
				}
			}
			s.Redraw()
			return nil
		},
		Ended: func() tea.Cmd {
			s.UnmarkIf(func(d *defectiveItem) bool { return d.state != "" })
			return nil
		},
	})
	return cmd
}

func repairOne(s *listing.Screen[*defectiveItem], d *defectiveItem) tea.Cmd {
	env := s.Env
	a := env.Session.Profile().RepairOf(d.Entity)
	about := make([]string, len(d.remask(env).shown))
	for i, defect := range d.shown {
		about[i] = strings.TrimSpace(defect.Attribute + " " + defect.Text)
	}
	s.Box = planner.NewChange(env, planner.ChangeRequest{
		Action: a, Title: a.Title + " · " + d.key, About: strings.Join(about, ". ") + ".", Verb: "Repair", Item: d.Item,
		Args: changes.ActionArgs(a, d.Entity, d.Item),
		Plan: func(ctx context.Context, _ map[string]string, reason string) (*change.Plan, error) {
			return env.Planner.PlanRepair(ctx, d.Table, d.Item, reason)
		},
		Done: func(done *changes.Commitment) tea.Cmd {
			if done != nil {
				d.markRepaired(done)
				s.Unmark()
				s.Redraw()
			}
			return nil
		},
	})
	return nil
}

func (d *defectiveItem) markRepaired(done *changes.Commitment) {
	if d.state = "✓ repaired"; done.Plan.Undoes != nil {
		d.state = ""
	}
}

func markChanged(s *listing.Screen[*defectiveItem], list []screen.CommittedChange) tea.Cmd {
	changed := map[string]bool{}
	for _, c := range list {
		changed[defectID(c.Table, c.Key)] = true
	}
	for _, d := range s.All() {
		if d.state == "" && changed[defectID(d.Table, d.Item)] {
			d.state = "≠ changed"
		}
	}
	s.Redraw()
	return nil
}
