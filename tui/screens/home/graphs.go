package home

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/diagram"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

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
