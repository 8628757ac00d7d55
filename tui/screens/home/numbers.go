package home

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/diagram"
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

const (
	// graphFrom is the width of the screen from which lifecycles are graphs. Below it, they are lists.
	graphFrom = present.NarrowBelow
	graphGap  = 4  // cells between graphs side by side
	boxWidth  = 11 // of the text in a box, at least: a number and a bar
	boxBar    = 6  // cells of the longest bar in a box
)

// layoutOf identifies a layout: the boxes have the width of their text.
type layoutOf struct {
	l     *models.Lifecycle
	w     int
	texts string
}

// layouts keeps the layouts of lifecycles, because they take long, and the numbers in the boxes change often.
type layouts map[layoutOf]*diagram.Layout

// A graphBlock is a lifecycle as a graph, with its place among others.
type graphBlock struct {
	*diagram.Layout
	l           *models.Lifecycle
	x, w        int
	title, note string
	lines       [][]diagram.Run
}

// graphs returns nil where the screen is too narrow for one of them.
func (n *numbers) graphs() []row {
	if n.h.w < graphFrom {
		return nil
	}
	var shelves [][]*graphBlock
	right := 0
	for _, l := range n.p.Lifecycles {
		b := n.block(l)
		if b == nil {
			return nil
		}
		if len(shelves) == 0 || right+graphGap+b.w > n.w {
			shelves, right = append(shelves, nil), -graphGap
		}
		b.x = right + graphGap
		right = b.x + b.w
		last := &shelves[len(shelves)-1]
		*last = append(*last, b)
	}
	var rows []row
	for _, shelf := range shelves {
		rows = append(rows, n.shelfRows(shelf)...)
	}
	return rows
}

func (n *numbers) block(l *models.Lifecycle) *graphBlock {
	got := n.statesOf(l)
	b := &graphBlock{l: l, title: present.EntityName(l.Entity) + " by " + l.Attribute, note: n.totalOf(got)}
	height := n.h.frame.layout().about.Inner().H - 1
	for _, bars := range []bool{true, false} {
		b.Layout = n.layout(l, got, bars)
		if b.Layout == nil {
			return nil
		}
		if b.H <= height {
			break
		}
	}
	b.lines = b.Draw()
	b.w = max(b.W, min(len([]rune(b.title))+len([]rune(b.note))+3, n.w))
	return b
}

func (n *numbers) layout(l *models.Lifecycle, got *dashboard.States, bars bool) *diagram.Layout {
	g := diagram.Of(l, func(s *models.State) []string { return n.boxText(l, s, got, bars) })
	texts := ""
	for _, node := range g.Nodes {
		texts += fmt.Sprint(len(node.Lines), ansi.StringWidth(node.Lines[0]), " ")
	}
	key := layoutOf{l, n.w, texts}
	kept, known := n.h.layouts[key]
	switch {
	case !known && n.h.connect.opening != nil:
		return nil // The screen is about to be left: a layout would only delay that.
	case !known:
		kept, _ = diagram.New(g, n.w)
		n.h.layouts[key] = kept
	}
	if kept == nil {
		return nil
	}
	with := *kept
	with.Graph = g
	return &with
}

func (n *numbers) boxText(l *models.Lifecycle, s *models.State, got *dashboard.States, bars bool) []string {
	name := present.StateBadge(l, s.Name).Text
	if s.Kind == models.StateOpen {
		name = models.PrintableCell(s.Name, widestLabel)
	}
	number, most := "", 1
	var c dashboard.Count
	if got != nil {
		for _, other := range got.Counts {
			most = max(most, other.N)
		}
		if known, ok := got.Counts[s.Name]; ok {
			c, number = known, known.String()
		}
	}
	if !bars {
		return []string{fmt.Sprintf("%s %2s", name, number)}
	}
	w := max(ansi.StringWidth(name), boxWidth)
	bar := widget.BarOf(c.N, most, boxBar)
	count := fmt.Sprintf("%*s", max(w-boxBar-1, 0), number)
	pad := func(text string) string { return text + strings.Repeat(" ", max(w-ansi.StringWidth(text), 0)) }
	return []string{pad(name), pad(bar + strings.Repeat(" ", max(boxBar-ansi.StringWidth(bar), 0)+1) + count)}
}

func (n *numbers) shelfRows(shelf []*graphBlock) []row {
	h := 0
	for _, b := range shelf {
		h = max(h, b.H)
	}
	rows := []row{{text: n.h.frame.titles(shelf)}}
	for y := range h {
		r := row{graph: func(w int, chosen string) string { return n.graphLine(shelf, y, w, chosen) }}
		for _, b := range shelf {
			for i, box := range b.Boxes {
				if y == box.Y+box.H-2 { // its last line of text, so that a box is scrolled into view as a whole
					r.stops = append(r.stops, stop{n.stateEntry(b.l, b.l.States[i]), b.x + box.X, box.W})
				}
			}
		}
		slices.SortFunc(r.stops, func(a, b stop) int { return a.x - b.x })
		rows = append(rows, r)
	}
	return append(rows, row{})
}

func (f frame) titles(shelf []*graphBlock) string {
	var line strings.Builder
	at := 0
	for _, b := range shelf {
		t := widget.NewStrip(f.h.styles, widget.SurfacePlain, b.w)
		t.Put(widget.RoleStrong, b.title+" ")
		t.Put(widget.RoleBorder, strings.Repeat("─", max(t.Room()-len([]rune(b.note))-1, 0)))
		t.Put(widget.RoleMuted, " "+b.note)
		line.WriteString(strings.Repeat(" ", b.x-at) + t.String())
		at = b.x + b.w
	}
	return line.String()
}

func (n *numbers) graphLine(shelf []*graphBlock, y, w int, chosen string) string {
	var line strings.Builder
	at := 0
	for _, b := range shelf {
		if y >= len(b.lines) {
			continue
		}
		line.WriteString(strings.Repeat(" ", b.x-at))
		for _, r := range b.lines[y] {
			role, on := n.look(b, r, chosen)
			text := r.Text
			if on == widget.SurfaceFill {
				text = "▌" + text[1:] // A terminal without colors shows the cursor too.
			}
			line.WriteString(n.h.styles.PaintOn(role, on, text))
		}
		at = b.x + b.W
	}
	return widget.Place(line.String(), w, 1)
}

func (n *numbers) look(b *graphBlock, r diagram.Run, chosen string) (widget.Role, widget.Surface) {
	if r.Part != diagram.Inside && r.Part != diagram.Border {
		return widget.RoleFaint, widget.SurfacePlain
	}
	s := b.l.States[r.Index]
	got := n.statesOf(b.l)
	c, known := dashboard.Count{}, false
	if got != nil {
		c, known = got.Counts[s.Name]
	}
	role := widget.KindOf(string(s.Kind)).Role()
	if known && c.N == 0 {
		role = widget.RoleFaint
	}
	here := n.h.has == paneAbout && chosen == stateID(b.l, s)
	switch {
	case here && r.Part == diagram.Inside:
		return role, widget.SurfaceFill
	case r.Part == diagram.Border && here:
		return role, widget.SurfacePlain
	case r.Part == diagram.Border:
		return widget.RoleBorder, widget.SurfacePlain
	}
	return role, widget.SurfacePlain
}
