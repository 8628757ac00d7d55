// Package compare contains the screen that lists the differences between two states of an item, or between two items.
package compare

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Compare lists the differences between an item and a side that the user chooses.
var Compare = screen.Registration{
	Scope: func() screen.Scope {
		return screen.Scope{
			Name: "compare", Title: "Compare", Does: "Shows an item next to another item, or next to its earlier state.",
			Actions: listing.Keys((&comparison{}).spec()), Pieces: screen.TabbedKeys(),
		}
	},
	Open: screen.OpenFunc(func(env *screen.Env, to screen.Compare) screen.Screen { return newComparison(env, to) }),
}

// A comparison is the screen. It replaces its sides as a whole, because another goroutine reads them.
type comparison struct {
	*listing.Screen[*pair]
	rows     []models.Item // items in the list from which the user opened the item
	row      models.Item   // item as the list showed it, or nil if that is the same state
	left     atomic.Pointer[side]
	right    atomic.Pointer[source]        // nil until the user chooses it
	compared atomic.Pointer[comparedSides] // nil until the screen has read both sides
}

func newComparison(env *screen.Env, to screen.Compare) *comparison {
	c := &comparison{rows: to.Rows, row: to.Row}
	c.left.Store(&side{title: to.As, table: to.Table, item: to.Item})
	c.Screen = listing.New(env, c.spec())
	if to.With != nil {
		c.right.Store(readSource(env, to.Table, to.With))
	} else {
		c.Box = c.choose()
	}
	return c
}

func (c *comparison) spec() *listing.Spec[*pair] {
	return &listing.Spec[*pair]{
		Name: "compare", Title: "Compare", Noun: "attribute", Layout: listing.Below,
		Guide: screen.Guide{
			Purpose: "Compares two items, or two states of one item, side by side.",
			First:   "choose an item to compare with, or paste a key or an item. Press 2 to also list equal attributes.",
			Signs: screen.Signs([]screen.Sign{
				{Glyph: "≠", Meaning: "has different values"},
				{Glyph: "◂", Meaning: "only on the left"},
				{Glyph: "▸", Meaning: "only on the right"},
			}, screen.StateSigns, screen.MaskSigns),
		},
		ID:      func(p *pair) string { return p.path },
		Search:  func(p *pair) string { return p.group + " " + words[p.state] },
		Missing: c.missing, Load: c.load, Facts: facts, Committed: c.applyCommitted,
		Brief: func(*listing.Screen[*pair]) bool { return true },
		Tabs: []listing.Tab[*pair]{
			{
				Title: "Differences", Has: func(p *pair) bool { return p.state != same },
				Empty: listing.None("✓ No differences", "Press 2 to list all attributes."),
			},
			{
				Title: "All attributes", Has: func(*pair) bool { return true }, Ended: true,
				Empty: listing.None("Both items are empty", ""),
			},
		},
		Columns: []listing.Column[*pair]{
			{Column: widget.Column{Width: 1}, Cell: func(_ *screen.Env, p *pair) widget.Cell {
				return widget.Cell{Text: signs[p.state], Role: roles[p.state]}
			}},
			listing.Styled(widget.Column{Title: "attribute", Max: 40}, widget.RoleKey,
				func(_ *screen.Env, p *pair) string { return p.label }),
			c.valueColumn(0, func(p *pair) value { return p.left }),
			c.valueColumn(1, func(p *pair) value { return p.right }),
		},
		Actions: []listing.Action[*pair]{{
			Name: "other", Keys: "=", Desc: "compare with", Long: "choose the item to compare with", Free: true,
			Run: func(*listing.Screen[*pair], *pair) tea.Cmd {
				c.Box = c.choose()
				return nil
			},
		}},
	}
}

func (c *comparison) missing(*screen.Env) *listing.Advice {
	if c.right.Load() != nil {
		return nil
	}
	return &listing.Advice{
		Title: "Nothing selected to compare with",
		Text:  "Press = to choose another item, or another state of this one.",
	}
}

func (c *comparison) load(ctx context.Context, e *screen.Env, _ *listing.Reading[*pair]) (rows listing.Rows[*pair], err error) {
	left := *c.left.Load()
	right, err := c.right.Load().read(ctx)
	if err != nil {
		return rows, err
	}
	both := newSides(e, left, right)
	c.compared.Store(both)
	rows.List = both.pairs()
	rows.Note = both.title()
	counts := map[state]int{}
	for _, p := range rows.List {
		counts[p.state]++
	}
	var parts []string
	for _, s := range []state{differs, onlyLeft, onlyRight, undecided, same} {
		if n := counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words[s]))
		}
	}
	rows.Status = strings.Join(parts, ", ")
	return rows, nil
}

// Remask rebuilds the rows, because masked values have neither parts nor names.
func (c *comparison) Remask() tea.Cmd {
	if old := c.compared.Load(); old != nil {
		both := newSides(c.Env, old.left, old.right)
		c.compared.Store(both)
		c.Show(both.pairs())
	}
	return c.Screen.Remask()
}

// applyCommitted updates the left item after a change, and reads the right item again, because it may have changed too.
func (c *comparison) applyCommitted(_ *listing.Screen[*pair], list []screen.CommittedChange) tea.Cmd {
	left := *c.left.Load()
	for _, change := range list {
		if left.table != change.Table || results.Key(left.table, left.item) != results.Key(change.Table, change.Key) {
			continue
		}
		if left.title = "as it was"; change.Item != nil {
			left.title, left.item = "current", change.Item
		}
		c.left.Store(&left)
	}
	if c.right.Load() == nil {
		return nil
	}
	return c.ReadAgain()
}

// These texts mark and name the left and the right side.
var sideSigns, sideNames = [2]string{"◂ ", "▸ "}, [2]string{"left", "right"}

func (c *comparison) valueColumn(i int, valueOf func(p *pair) value) listing.Column[*pair] {
	return listing.Column[*pair]{
		Column: widget.Column{Title: sideSigns[i], Max: 120, Weight: 1, Middle: true},
		Heading: func() string {
			if both := c.compared.Load(); both != nil {
				return sideSigns[i] + both.ids[i]
			}
			return sideSigns[i] + sideNames[i]
		},
		Cell: func(e *screen.Env, p *pair) widget.Cell {
			shown := p.shown(e, valueOf(p))
			c := widget.Cell{Text: shown.Text, Note: shown.Note, Role: shown.Role}
			if p.state == same {
				c.Role = widget.RoleMuted
			}
			return c
		},
	}
}

// shown masks the whole value if the row was built with another masker.
func (p *pair) shown(e *screen.Env, v value) present.FormattedValue {
	switch {
	case v.stored == nil:
		return present.FormattedValue{Text: present.NoValue, Role: widget.RoleFaint}
	case p.sides.masker != e.Session.Masker():
		return present.FormattedValue{Text: models.MaskedText, Role: widget.RoleFaint}
	}
	show := present.Presenter.Show
	if e.Plain() {
		show = present.Presenter.Plain
	}
	shown := show(present.NewPresenter(e), p.entity(v), p.path, v.shown)
	shown.Text = models.PrintableCell(shown.Text, present.CellRunes)
	return shown
}

func (p *pair) entity(v value) *models.Entity {
	if v == p.right {
		return p.sides.entities[1]
	}
	return p.sides.entities[0]
}

// factCells is the maximum width of a value in the details.
const factCells = 4000

func facts(e *screen.Env, p *pair) []listing.Fact {
	list := []listing.Fact{{Text: present.Join(p.group, p.label, " · "), Role: widget.RoleTitle}}
	for i, v := range []value{p.left, p.right} {
		shown := p.shown(e, v)
		if text, ok := models.ValueText(v.shown); ok && shown.Text != models.MaskedText {
			shown.Text = models.PrintableCell(text, factCells)
		}
		list = append(list, listing.Fact{
			Label: sideSigns[i] + sideNames[i], Text: present.Join(shown.Text, shown.Note, "  "), Role: shown.Role,
		})
	}
	list = append(list, listing.Fact{Text: p.relation(e), Role: roles[p.state]})
	if entity := p.sides.entities[0]; entity != nil {
		list = append(list, listing.Fact{Text: present.MeaningOf(entity, p.path), Role: widget.RoleMuted})
	}
	return list
}

// relation describes how the sides relate: the time between them, or the types of their values.
func (p *pair) relation(e *screen.Env) string {
	text := words[p.state]
	if p.state != differs || p.sides.masker != e.Session.Masker() {
		return text
	}
	if p.left.isHidden() || p.right.isHidden() {
		return "hidden, " + text
	}
	if a, b := models.ValueType(p.left.stored), models.ValueType(p.right.stored); a != b {
		return text + ": " + string(a) + " and " + string(b)
	}
	format := present.ValueOf(p.sides.entities[0], p.path).Format
	leftText, _ := models.ValueText(p.left.shown)
	rightText, _ := models.ValueText(p.right.shown)
	t, ok := format.ReadTime(leftText)
	u, rightOK := format.ReadTime(rightText)
	if !format.IsTime() || !ok || !rightOK {
		return text
	}
	laterSide := "the right one is "
	if u.Before(t) {
		t, u, laterSide = u, t, "the left one is "
	}
	return text + ": " + laterSide + present.RoundDuration(u.Sub(t)) + " later"
}
