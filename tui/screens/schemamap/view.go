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
	below := max(s.h-s.height()-2, min(max(s.h*2/5, 8), 16))
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
	s.details.SetSize(iw-1, ih)
	s.refresh()
}

// View draws the patterns, the map and the details.
func (s *mapScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	st, l := s.env.Styles, s.lay
	if s.lines == nil {
		s.draw()
	}
	to := min(s.top+l.grid.H, len(s.lines))
	grid := widget.Panel{Title: s.gridTitle(), Note: s.gridNote(), Focused: s.focus == mapGrid}
	right := widget.Rows(
		grid.Render(st, strings.Join(s.lines[min(s.top, to):to], "\n"), l.right.W, l.right.H),
		s.viewDetails(),
	)
	if l.list.W <= 0 {
		return right
	}
	return widget.Columns(s.viewList(), right)
}

func (s *mapScreen) viewList() string {
	p := widget.Panel{Title: "Patterns", Note: strconv.Itoa(s.list.Len()), Focused: s.focus == mapList}
	if s.narrow {
		p.Title = "Patterns of this"
	}
	return p.Render(s.env.Styles, s.list.View(), s.lay.list.W, s.lay.list.H)
}

func (s *mapScreen) viewDetails() string {
	l := s.lay.details
	p := widget.Panel{Title: s.detailTitle(), Focused: s.focus == mapText}
	if !s.details.AtEnd() {
		p.Note = "more ↓"
	}
	iw, ih := widget.PanelInner(l.W, l.H)
	return p.Render(s.env.Styles, widget.Indent(s.details.View(), iw, ih), l.W, l.H)
}

func (s *mapScreen) gridTitle() string {
	if s.lit != nil {
		if s.lit.IsRead() {
			return "What it reads"
		}
		return "What it writes"
	}
	return "Schema"
}

func (s *mapScreen) gridNote() string {
	left, right := s.hidden()
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
func (s *mapScreen) hidden() (left, right bool) {
	b := s.here()
	return s.shift[b] > 0, s.plan.blocks[b].reach(s.shift[b]) > s.room()
}

// here is the block that is looked at.
func (s *mapScreen) here() int {
	if s.lit != nil {
		return s.plan.blockOf(s.lit.Table)
	}
	return s.at.block
}

// nameWidth is the width of the frozen column, with the sign before the name.
func (s *mapScreen) nameWidth() int { return s.plan.name + 4 }

// room is how many cells there are for columns.
func (s *mapScreen) room() int { return max(s.lay.grid.W-s.nameWidth(), 1) }

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
func (s *mapScreen) startOf(block int) int {
	at := 0
	for _, b := range s.plan.blocks[:block] {
		at += blockHead + len(b.entities) + 1
	}
	return at
}

// height is how many lines the whole map has.
func (s *mapScreen) height() int { return s.startOf(len(s.plan.blocks)) - 1 }

// reveal scrolls so that what was chosen is on the screen: the cell under the
// cursor, or the columns that the pattern reads.
func (s *mapScreen) reveal() {
	block := s.here()
	b := s.plan.blocks[block]
	from, to, row := s.at.column, s.at.column, s.at.row
	if s.lit != nil {
		from, to, row = s.litColumns(b)
	}
	if from >= 0 {
		s.showColumns(block, from, to)
	} else {
		s.shift[block] = 0
	}
	first, last := s.startOf(block), s.startOf(block)+blockHead-1+row
	if row == 0 {
		last = first + blockHead - 2
	}
	h := s.lay.grid.H
	if last >= s.top+h {
		s.top = last - h + 1
	}
	if first < s.top && (last-first < h || s.lit != nil) {
		s.top = first
	} else if last < s.top {
		s.top = last
	}
	s.scroll(0)
}

func (s *mapScreen) scroll(by int) {
	s.top = min(max(s.top+by, 0), max(s.height()-s.lay.grid.H, 0))
}

// litColumns are the columns that the lit pattern goes by, and the last row that
// it reads.
func (s *mapScreen) litColumns(b *mapBlock) (from, to, row int) {
	from, to = -1, -1
	for i, c := range b.columns {
		if c.asked(s.lit.Read) || s.rewritten(b, c) {
			to = i
			if from < 0 {
				from = i
			}
		}
	}
	for i, e := range b.entities {
		if s.returns(e) {
			row = i + 1
		}
	}
	return from, to, row
}

// showColumns scrolls a block so that these columns are on the screen, the first
// one at least.
func (s *mapScreen) showColumns(block, from, to int) {
	b := s.plan.blocks[block]
	shift := min(s.shift[block], from)
	for shift < from && b.reach(shift)-b.reach(to+1) > s.room() {
		shift++
	}
	if b.reach(0) <= s.room() {
		shift = 0
	}
	s.shift[block] = shift
}

// hit is the place of the map at x, y of the grid.
func (s *mapScreen) hit(x, y int) (mapSpot, bool) {
	line := s.top + y
	for i, b := range s.plan.blocks {
		row := line - s.startOf(i) - blockHead + 1
		if row < -blockHead+1 || row > len(b.entities) {
			continue
		}
		at := mapSpot{block: i, row: max(row, 0), column: -1}
		edge := s.nameWidth()
		for c := s.shift[i]; c < len(b.columns) && x >= edge; c++ {
			at.column = c
			edge += b.gap(c) + b.widths[c]
		}
		return at, true
	}
	return mapSpot{}, false
}
