package home

import (
	"fmt"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// numbers makes the rows about the database of a profile: the states of its items, drift and changes.
type numbers struct {
	h *Home
	p *profiles.Profile
	w int    // cells of a row
	b *board // nil if nothing is known

	label int // cells of the column of names
}

// The widths of the columns.
const (
	widestLabel = 40
	widestBar   = 40
	countWidth  = 8
	oldestWidth = 19
	sparkCells  = 8
	sparkFrom   = 80 // cells of a row with the ages of the items
	pastWidth   = 12
)

func (n *numbers) rows() []row {
	n.label = n.labelWidth()
	rows := append(n.problems(), n.offers()...)
	states := n.graphs()
	if states == nil {
		for _, l := range n.p.Lifecycles {
			states = append(states, n.lifecycle(l)...)
		}
	}
	rows = append(rows, states...)
	if n.connected() {
		rows = append(rows, n.past()...)
	}
	return rows
}

func (n *numbers) connected() bool { return n.b != nil && n.b.workspace != nil }

func (n *numbers) labelWidth() int {
	longest := 0
	for _, l := range n.p.Lifecycles {
		for _, s := range l.States {
			longest = max(longest, len([]rune(s.Name))+2)
		}
	}
	return min(longest, widestLabel, n.w/2)
}

func (n *numbers) heading(title, note string) row {
	return row{draw: func(t *widget.Strip) {
		t.Put(widget.RoleStrong, title+" ")
		if note != "" {
			note = models.Truncate(note, max(t.Room()-4, 0))
		}
		t.Put(widget.RoleBorder, strings.Repeat("─", max(t.Room()-len([]rune(note))-3, 0)))
		if note != "" {
			t.Put(widget.RoleMuted, " "+note)
		}
	}}
}

func (n *numbers) problems() []row {
	s := n.h.styles
	var lines []string
	switch {
	case n.b == nil:
		missing := n.h.opener.Source().Missing
		if missing == "" {
			return nil
		}
		lines = widget.Wrap(s, widget.RoleText, missing, n.w)
	case n.b.err != nil:
		lines = append([]string{s.Paint(widget.RoleBad, "✗ "+n.p.Name+" cannot be counted")},
			widget.Wrap(s, widget.RoleText, n.b.err.Error(), n.w)...)
	case n.b.sum.Err != nil:
		lines = append([]string{s.Paint(widget.RoleBad, "✗ Counts are incomplete")},
			widget.Wrap(s, widget.RoleText, n.b.sum.Err.Error(), n.w)...)
	case len(n.b.sum.Missing) > 0:
		lines = widget.Wrap(s, widget.RoleWarn, "✗ The database has no table "+strings.Join(n.b.sum.Missing, ", ")+".", n.w)
		lines = append(lines, widget.Wrap(s, widget.RoleMuted,
			"Create it with "+n.b.workspace.Session.SchemaCommand("table", "create"), n.w)...)
	case n.b.sum.Unread:
		lines = widget.Wrap(s, widget.RoleText,
			"Production is not read automatically. Press ctrl+o, then c to count the items.", n.w)
	default:
		return nil
	}
	return textRows(append(lines, ""))
}

func (n *numbers) offers() []row {
	if n.b == nil || len(n.b.sum.Offers) == 0 {
		return nil
	}
	e := n.b.sum.Offers[0].Estimate
	names := []string{n.b.sum.Offers[0].Table.Name}
	for _, o := range n.b.sum.Offers[1:] {
		e, names = e.Plus(o.Estimate), append(names, o.Table.Name)
	}
	text := fmt.Sprintf("⌕ Scan %s to count the rest: about %s, %g RCU",
		strings.Join(names, ", "), present.Plural(int(e.Items), "item"), e.ReadUnits)
	if d := e.Duration(); d > 0 {
		text += ", " + present.Short(d.Round(time.Second))
	}
	return []row{{entry: entry{id: "scan", open: n.h.counter.count}, draw: func(t *widget.Strip) {
		t.Put(widget.RoleWarn, models.PrintableCell(text, t.Room()))
	}}, {}}
}

func (n *numbers) statesOf(l *models.Lifecycle) *dashboard.States {
	if n.b == nil {
		return nil
	}
	for i := range n.b.sum.States {
		if n.b.sum.States[i].Lifecycle == l {
			return &n.b.sum.States[i]
		}
	}
	return nil
}

func (n *numbers) totalOf(got *dashboard.States) string {
	switch {
	case got == nil:
		return n.h.counter.unknown(n.p, nil)
	case len(got.Counts) == 0 || got.Err != nil:
		return n.h.counter.unknown(n.p, &got.Progress)
	}
	total := got.Total()
	if total == (dashboard.Count{N: 1}) {
		return "1 item"
	}
	return total.String() + " items"
}

func (n *numbers) lifecycle(l *models.Lifecycle) []row {
	got := n.statesOf(l)
	rows := []row{n.heading(present.EntityName(l.Entity)+" by "+l.Attribute, n.totalOf(got))}
	most := 1
	if got != nil {
		for _, c := range got.Counts {
			most = max(most, c.N)
		}
	}
	for _, s := range l.States {
		rows = append(rows, n.state(l, s, got, most))
	}
	return append(rows, row{})
}

func stateID(l *models.Lifecycle, s *models.State) string { return "state " + l.Name + " " + s.Name }

func (n *numbers) stateEntry(l *models.Lifecycle, s *models.State) entry {
	e := entry{id: stateID(l, s), title: present.EntityName(l.Entity) + " " + s.Name}
	e.open = n.h.counter.opens(n.p, func(env *screen.Env) screen.Target {
		q, args := env.Session.Profile().Listed(l, s.Name)
		return screen.Patterns{Pattern: q, Args: args, Run: true}
	})
	if got := n.statesOf(l); got != nil && len(got.Items[s.Name]) > 0 {
		e.items = func(w int) []string { return n.b.cards(n.h.styles, l.Entity.Table, got.Items[s.Name], w) }
	}
	return e
}

func (n *numbers) state(l *models.Lifecycle, s *models.State, got *dashboard.States, most int) row {
	badge := present.StateBadge(l, s.Name)
	return row{entry: n.stateEntry(l, s), draw: func(t *widget.Strip) {
		t.Cell(badge.Role, badge.Text, n.label, widget.AlignLeft)
		if got == nil {
			return
		}
		c, known := got.Counts[s.Name]
		if !known {
			return
		}
		role := widget.RoleStrong
		if c.N == 0 {
			role = widget.RoleFaint
		}
		t.Cell(role, c.String(), countWidth, widget.AlignRight)
		t.Put(widget.RoleText, "  ")
		t.Put(badge.Role, widget.BarOf(c.N, most, min(t.Room(), widestBar)))
	}}
}

func (b *board) cards(styles *widget.Styles, t *models.Table, items []models.Item, w int) []string {
	var lines []string
	session := b.workspace.Session
	for _, it := range items {
		hit := find.Hit{Workspace: b.workspace, Table: t, Item: it}
		if r, ok := session.Recognize(t, it); ok {
			hit.Entity = r.Entity
		}
		card := hit.Card()
		line := widget.NewStrip(styles, widget.SurfacePlain, w)
		line.Cell(widget.RoleStrong, models.PrintableCell(card.Title, 200), min(max(w-32, 12), 44), widget.AlignLeft)
		badge := widget.Cell{}
		if len(card.States) > 0 {
			badge = present.StateBadge(card.States[0].Lifecycle, card.States[0].Name)
		}
		line.Put(widget.RoleText, "  ")
		line.Cell(badge.Role, badge.Text, 16, widget.AlignLeft)
		line.Put(widget.RoleText, "  ")
		if !card.Changed.IsZero() {
			line.Put(widget.RoleMuted, present.Age(card.Changed, session.Now()))
		}
		lines = append(lines, line.String())
	}
	return append(lines, "", styles.Paint(widget.RoleFaint, "enter lists them"))
}

func (n *numbers) past() []row {
	now := n.b.workspace.Session.Now()
	sum := n.b.sum
	role, text := widget.RoleMuted, "not checked yet"
	switch d := sum.Drift; {
	case d != nil && d.Items > 0:
		role, text = widget.RoleWarn, fmt.Sprintf("%s of %s with defects", present.Thousands(d.Items), present.Plural(d.Scanned, "item"))
	case d != nil:
		role, text = widget.RoleGood, "✓ no defects in "+present.Plural(d.Scanned, "item")
	}
	rows := []row{n.heading("Drift and changes", ""), {
		entry: entry{id: "drift", open: n.h.counter.opens(n.p, func(*screen.Env) screen.Target { return screen.Drift{} })},
		draw: func(t *widget.Strip) {
			t.Cell(widget.RoleText, "Drift", pastWidth, widget.AlignLeft)
			t.Put(role, text)
			if sum.Drift != nil {
				t.Put(widget.RoleFaint, " · "+present.Age(sum.Drift.At, now))
			}
		},
	}}
	for i, c := range sum.Changes {
		rows = append(rows, row{
			entry: entry{id: fmt.Sprintf("change %d", i), open: n.h.counter.opens(n.p, func(*screen.Env) screen.Target { return screen.Journal{} })},
			draw:  func(t *widget.Strip) { n.change(t, c, now) },
		})
	}
	switch {
	case sum.Journal != nil:
		text := models.Truncate("journal: "+models.Printable(sum.Journal.Error()), n.w)
		rows = append(rows, row{text: n.h.styles.Paint(widget.RoleWarn, text)})
	case len(sum.Changes) == 0:
		rows = append(rows, row{draw: func(t *widget.Strip) {
			t.Cell(widget.RoleText, "Changes", pastWidth, widget.AlignLeft)
			t.Put(widget.RoleMuted, "no changes in the journal of this machine")
		}})
	}
	return rows
}

func (n *numbers) change(t *widget.Strip, c changes.PastChange, now time.Time) {
	e := c.Intent
	what := strings.TrimPrefix(e.Subject, e.Profile+".")
	if c.IsUndo() {
		what = "undo " + what
	}
	role, sign := widget.RoleGood, "✓ "
	switch {
	case c.Open():
		role, sign = widget.RoleBad, "? "
	case c.Undone:
		role, sign = widget.RoleMuted, "↶ "
	case !c.Committed():
		role, sign = widget.RoleWarn, "✗ "
	}
	t.Cell(widget.RoleMuted, present.Age(e.Time, now), pastWidth, widget.AlignLeft)
	t.Put(role, sign)
	t.Put(widget.RoleKey, models.PrintableCell(what, t.Room())+"  ")
	t.Put(widget.RoleText, models.PrintableCell(e.Detail.Key, max(t.Room(), 1)))
}
