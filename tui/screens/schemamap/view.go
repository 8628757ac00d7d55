package schemamap

import (
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// mapLayout is where things are. list and details include their frames, grid
// does not.
type mapLayout struct {
	list, right, grid, details overlay.Rect
}

// blockHead is how many lines of a block stand above its entities: its name, the
// ways to ask it, its key attributes, and what is asked of them.
const blockHead = 4

// SetSize sets the rectangle.
func (s *mapScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.place()
}

// place computes the layout. On a narrow screen the list makes room when it does
// not have the keys.
func (s *mapScreen) place() {
	left := min(max(s.w*30/100, 30), 46)
	if s.w < present.NarrowBelow && s.focus != mapList {
		left = 0
	}
	// The map has the room that it needs, as far as the details keep some.
	below := max(s.h-s.drawing.height()-2, min(max(s.h*2/5, 8), 16))
	l := mapLayout{
		list:    overlay.Rect{X: 0, Y: 0, W: left, H: s.h},
		right:   overlay.Rect{X: left, Y: 0, W: s.w - left, H: max(s.h-below, 0)},
		details: overlay.Rect{X: left, Y: max(s.h-below, 0), W: s.w - left, H: min(below, s.h)},
	}
	iw, ih := widget.PanelInner(l.right.W, l.right.H)
	l.grid = overlay.Rect{X: l.right.X + 1, Y: l.right.Y + 1, W: iw, H: ih}
	s.lay = l
	s.list.SetSize(widget.PanelInner(l.list.W, l.list.H))
	iw, ih = widget.PanelInner(l.details.W, l.details.H)
	s.about.details.SetSize(iw-1, ih)
	s.refresh()
}

// View draws the patterns, the map and the details.
func (s *mapScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	st, l := s.env.Styles, s.lay
	if s.drawing.lines == nil {
		s.drawing.draw()
	}
	to := min(s.drawing.top+l.grid.H, len(s.drawing.lines))
	grid := widget.Panel{Title: s.drawing.gridTitle(), Note: s.drawing.gridNote(), Focused: s.focus == mapGrid}
	right := widget.Rows(
		grid.Render(st, strings.Join(s.drawing.lines[min(s.drawing.top, to):to], "\n"), l.right.W, l.right.H),
		s.about.viewDetails(),
	)
	if l.list.W <= 0 {
		return right
	}
	return widget.Columns(s.viewList(), right)
}

func (s *mapScreen) viewList() string {
	p := widget.Panel{Title: "Patterns", Note: strconv.Itoa(s.list.Len()), Focused: s.focus == mapList}
	if s.patterns.narrow {
		p.Title = "Patterns of this"
	}
	return p.Render(s.env.Styles, s.list.View(), s.lay.list.W, s.lay.list.H)
}

func (d *mapDetails) viewDetails() string {
	l := d.s.lay.details
	p := widget.Panel{Title: d.detailTitle(), Focused: d.s.focus == mapText}
	if !d.details.AtEnd() {
		p.Note = "more ↓"
	}
	iw, ih := widget.PanelInner(l.W, l.H)
	return p.Render(d.s.env.Styles, widget.Indent(d.details.View(), iw, ih), l.W, l.H)
}

func (g *mapDrawing) gridTitle() string {
	if g.s.patterns.lit != nil {
		if g.s.patterns.lit.IsRead() {
			return "What it reads"
		}
		return "What it writes"
	}
	return "Schema"
}

func (g *mapDrawing) gridNote() string {
	left, right := g.hidden()
	note := ""
	if left {
		note = "← "
	}
	if left || right {
		note += "more columns"
	}
	if right {
		note += " →"
	}
	return note
}

// hidden reports whether the table in view has columns that are scrolled out at
// the left, or do not fit at the right.
func (g *mapDrawing) hidden() (left, right bool) {
	b := g.here()
	return g.shift[b] > 0, g.s.plan.blocks[b].reach(g.shift[b]) > g.room()
}

// here is the block that is looked at.
func (g *mapDrawing) here() int {
	if g.s.patterns.lit != nil {
		return g.s.plan.blockOf(g.s.patterns.lit.Table)
	}
	return g.s.at.block
}

// nameWidth is the width of the frozen column, with the sign before the name.
func (g *mapDrawing) nameWidth() int { return g.s.plan.name + 4 }

// room is how many cells there are for columns.
func (g *mapDrawing) room() int { return max(g.s.lay.grid.W-g.nameWidth(), 1) }

// reach is how many cells the columns from one on take.
func (b *mapBlock) reach(from int) int {
	w := 0
	for i := from; i < len(b.columns); i++ {
		w += b.gap(i) + b.widths[i]
	}
	return w
}

// gap is the room before a column: a line before another way to ask.
func (b *mapBlock) gap(i int) int {
	if b.columns[i].first {
		return 3
	}
	return 2
}

// startOf is the first line of a block.
func (g *mapDrawing) startOf(block int) int {
	at := 0
	for _, b := range g.s.plan.blocks[:block] {
		at += blockHead + len(b.entities) + 1
	}
	return at
}

// height is how many lines the whole map has.
func (g *mapDrawing) height() int { return g.startOf(len(g.s.plan.blocks)) - 1 }

// reveal scrolls so that what was chosen is on the screen: the cell under the
// cursor, or the columns that the pattern reads.
func (g *mapDrawing) reveal() {
	block := g.here()
	b := g.s.plan.blocks[block]
	from, to, row := g.s.at.column, g.s.at.column, g.s.at.row
	if g.s.patterns.lit != nil {
		from, to, row = g.litColumns(b)
	}
	if from >= 0 {
		g.showColumns(block, from, to)
	} else {
		g.shift[block] = 0
	}
	first, last := g.startOf(block), g.startOf(block)+blockHead-1+row
	if row == 0 {
		last = first + blockHead - 2
	}
	h := g.s.lay.grid.H
	if last >= g.top+h {
		g.top = last - h + 1
	}
	if first < g.top && (last-first < h || g.s.patterns.lit != nil) {
		g.top = first
	} else if last < g.top {
		g.top = last
	}
	g.scroll(0)
}

func (g *mapDrawing) scroll(by int) {
	g.top = min(max(g.top+by, 0), max(g.height()-g.s.lay.grid.H, 0))
}

// litColumns are the columns that the lit pattern goes by, and the last row that
// it reads.
func (g *mapDrawing) litColumns(b *mapBlock) (from, to, row int) {
	from, to = -1, -1
	for i, c := range b.columns {
		if c.asked(g.s.patterns.lit.Read) || g.rewritten(b, c) {
			to = i
			if from < 0 {
				from = i
			}
		}
	}
	for i, e := range b.entities {
		if g.returns(e) {
			row = i + 1
		}
	}
	return from, to, row
}

// showColumns scrolls a block so that these columns are on the screen, the first
// one at least.
func (g *mapDrawing) showColumns(block, from, to int) {
	b := g.s.plan.blocks[block]
	shift := min(g.shift[block], from)
	for shift < from && b.reach(shift)-b.reach(to+1) > g.room() {
		shift++
	}
	if b.reach(0) <= g.room() {
		shift = 0
	}
	g.shift[block] = shift
}

// hit is the place of the map at x, y of the grid.
func (g *mapDrawing) hit(x, y int) (mapSpot, bool) {
	line := g.top + y
	for i, b := range g.s.plan.blocks {
		row := line - g.startOf(i) - blockHead + 1
		if row < -blockHead+1 || row > len(b.entities) {
			continue
		}
		at := mapSpot{block: i, row: max(row, 0), column: -1}
		edge := g.nameWidth()
		for c := g.shift[i]; c < len(b.columns) && x >= edge; c++ {
			at.column = c
			edge += b.gap(c) + b.widths[c]
		}
		return at, true
	}
	return mapSpot{}, false
}
