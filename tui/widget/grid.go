package widget

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Cell is a value in a grid. Text may be hostile and of any length.
type Cell struct {
	Text  string
	Role  Role
	Align Align // AlignDefault uses the column's alignment
}

// Source supplies the rows of a grid. Cell is called only for visible rows, about 400 times per frame, and must be
// cheap. Len may grow between frames. The drawing goroutine calls the methods, so a source that another goroutine fills
// needs a lock or a copy.
type Source interface {
	Len() int
	Cell(row, col int) Cell
}

// Column describes a column of a grid. Widths are in cells.
type Column struct {
	Title  string
	Min    int   // minimum; 0 means the width of the content, at most 16
	Max    int   // maximum content width while space is short; 0 means 40
	Weight int   // share of the remaining width; 0 for no share
	Width  int   // fixed width; 0 measures the content
	Whole  bool  // never narrower than its content, up to Max; for dates
	Middle bool  // shortens the longest word in its middle; for IDs, which differ at their ends
	Frozen bool  // does not scroll; frozen columns must be first
	Sorted Order // shown as an arrow after the title
	Align  Align // AlignDefault means left
}

// Order is the order of rows by a column.
type Order uint8

// The orders.
const (
	Unsorted   Order = iota // in the order of the source
	Ascending               // ↑
	Descending              // ↓
)

// Arrow returns the symbol of the order, one cell wide; "" for Unsorted.
func (o Order) Arrow() string {
	return map[Order]string{Ascending: "↑", Descending: "↓"}[o]
}

// Marker is a Source whose rows can be marked. It keeps the marks itself, because after sorting and filtering a mark
// must stay with its item, not with its row number.
type Marker interface {
	Source
	Marked(row int) bool
	SetMarked(row int, on bool)
	// MarkCount returns the number of marks, including those of hidden rows.
	MarkCount() int
}

// Signer is a Source whose rows can have a sign of one cell, in place of a mark.
type Signer interface{ Sign(row int) string }

// gridGutter is the width of the cursor bar and the mark.
const gridGutter = 2

// Grid is a table with a cursor, marks, frozen columns and scrolling in both directions. The cost of a frame depends on
// the size of the screen, not on the number of rows.
//
// Column widths are measured once, when the first rows are available, and again only when the size or the columns
// change, so that the layout is stable while rows arrive.
type Grid struct {
	scroller
	height  int // includes the header line
	src     Source
	cols    []Column
	marking bool

	left     int   // first visible column after the frozen ones
	widths   []int // nil until measured
	measured bool  // widths include rows, not only titles
	visible  []span

	empty, hint string

	scrollLeft, scrollRight, mark key.Binding
}

// NewGrid returns a grid without rows.
func NewGrid(s *Styles, cols ...Column) *Grid {
	g := &Grid{
		scroller: newScroller(s), src: noRows{},
		empty:       "No rows",
		scrollLeft:  key.NewBinding(key.WithKeys("left", "h"), key.WithHelp("←/h", "columns left")),
		scrollRight: key.NewBinding(key.WithKeys("right", "l"), key.WithHelp("→/l", "columns right")),
		mark:        key.NewBinding(key.WithKeys("space"), key.WithHelp("space", "mark")),
	}
	g.source = gridLines{g}
	g.SetColumns(cols...)
	return g
}

type noRows struct{}

func (noRows) Len() int           { return 0 }
func (noRows) Cell(int, int) Cell { return Cell{} }

// SetColumns replaces the columns. Frozen columns must be first. The column numbers of the source are the indexes of
// the arguments.
func (g *Grid) SetColumns(cols ...Column) {
	g.cols = slices.Clone(cols)
	g.left = g.frozen()
	g.widths, g.measured = nil, false
}

// SetSource replaces the rows, moves the cursor to the first row and measures the columns again. It need not be called
// when rows are added to the same source.
func (g *Grid) SetSource(src Source) {
	if src == nil {
		src = noRows{}
	}
	g.src = src
	g.win.top, g.win.cursor = 0, 0
	g.widths, g.measured = nil, false
	g.sync(1)
}

// SetEmpty sets the lines that are shown if there are no rows: a text, and a hint about the next step below it.
func (g *Grid) SetEmpty(text, hint string) { g.empty, g.hint = text, hint }

// SetMarkable makes space mark the row under the cursor and move to the next row.
func (g *Grid) SetMarkable(on bool) { g.marking = on }

// SetSize sets the size in cells, including the header line.
func (g *Grid) SetSize(w, h int) {
	if w = max(w, 0); w != g.w {
		g.widths, g.measured = nil, false
	}
	g.height = max(h, 0)
	g.scroller.SetSize(w, h-1)
}

// Cursor returns the index of the row under the cursor, -1 if there are no rows.
func (g *Grid) Cursor() int {
	g.sync(1)
	if row, ok := g.current(); ok {
		return row
	}
	return -1
}

// SetCursor moves the cursor to a row and scrolls to it. It moves an index out of range to the nearest row.
func (g *Grid) SetCursor(row int) {
	g.sync(1)
	g.moveTo(row)
}

// AtEnd reports whether the last row is visible, so that the caller can read the next page.
func (g *Grid) AtEnd() bool {
	g.sync(1)
	return g.win.top+g.win.height >= g.win.n
}

// ToggleMark marks or unmarks a row of a Marker.
func (g *Grid) ToggleMark(row int) {
	if m, ok := g.src.(Marker); ok && row >= 0 && row < m.Len() {
		m.SetMarked(row, !m.Marked(row))
	}
}

// Position returns the cursor's position, "3/50", and the number of marks if there are any. The number of rows is the
// source's current length, which may still grow.
func (g *Grid) Position() string {
	g.sync(1)
	if g.win.n == 0 {
		return ""
	}
	pos := fmt.Sprintf("%d/%d", g.win.cursor+1, g.win.n)
	if m, ok := g.src.(Marker); ok && m.MarkCount() > 0 {
		pos = fmt.Sprintf("%d marked · %s", m.MarkCount(), pos)
	}
	return pos
}

// Update handles navigation keys, marking and the mouse wheel.
func (g *Grid) Update(msg tea.Msg) bool {
	g.sync(1)
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(press, g.scrollLeft):
			g.scrollColumns(-1)
			return true
		case key.Matches(press, g.scrollRight):
			g.scrollColumns(1)
			return true
		case g.marking && key.Matches(press, g.mark):
			g.ToggleMark(g.win.cursor)
			g.win.move(1)
			return true
		}
	}
	return g.scroller.Update(msg)
}

// Actions returns the grid's actions beyond NavigationActions, for the help.
func (g *Grid) Actions() Actions {
	as := Actions{
		{Name: "columns-left", Binding: g.scrollLeft, Desc: "columns left"},
		{Name: "columns-right", Binding: g.scrollRight, Desc: "columns right"},
	}
	if g.marking {
		as = append(as, Action{Name: "mark", Binding: g.mark, Desc: "mark", Long: "mark the row and go to the next"})
	}
	return as
}

// ColumnAt returns the column at x, for a click on its title; ok is false if there is none. x is relative to the grid.
// A partly visible column at the edge counts.
func (g *Grid) ColumnAt(x int) (col int, ok bool) {
	at := gridGutter
	for _, sp := range g.spans() {
		if x >= at && x < at+sp.w {
			return sp.col, true
		}
		at += sp.w + gridGap
	}
	return 0, false
}

// Click moves the cursor to the row at y (0 is the header). ok reports whether there is a row, again whether the cursor
// was already on it.
func (g *Grid) Click(x, y int) (second, ok bool) {
	g.sync(1)
	if x < 0 || x >= g.w {
		return false, false
	}
	return g.scroller.Click(x, y-1)
}

const (
	gridSample     = 100 // number of rows that are measured
	gridDefaultMax = 40
	gridDefaultMin = 16 // a column is never cut below this to make room for others
	gridScrollMax  = 24 // maximum if the grid scrolls sideways anyway
	gridPartMin    = 6  // minimum of a partly visible column at the edge
	gridGap        = 2  // space between two columns
)

func (g *Grid) frozen() int {
	if i := slices.IndexFunc(g.cols, func(c Column) bool { return !c.Frozen }); i >= 0 {
		return i
	}
	return len(g.cols)
}

func (g *Grid) room() int { return max(g.w-gridGutter-1, 0) }

// measure uses the titles and the first rows, and keeps the widths until the size changes.
func (g *Grid) measure() {
	n := g.src.Len()
	if g.widths != nil && (g.measured || n == 0) {
		return
	}
	g.measured = n > 0
	wanted, minimum := make([]int, len(g.cols)), make([]int, len(g.cols))
	for i := range g.cols {
		wanted[i], minimum[i] = g.demand(i, n)
	}
	g.widths = fitColumns(g.cols, g.room(), wanted, minimum, func(i, room int) int { return g.content(i, n, room) })
	g.left = min(max(g.left, g.frozen()), g.lastLeft())
}

func (c Column) most() int {
	if c.Max > 0 {
		return c.Max
	}
	return gridDefaultMax
}

func (g *Grid) demand(i, rows int) (wanted, minimum int) {
	c := g.cols[i]
	if c.Width > 0 {
		return c.Width, c.Width
	}
	maximum := c.most()
	title := textWidth(c.Title, maximum)
	if c.Sorted != Unsorted {
		title += 2
	}
	wanted = max(title, c.Min, g.content(i, rows, maximum))
	switch {
	case c.Whole:
		return wanted, wanted
	case c.Min > 0:
		return wanted, min(c.Min, wanted)
	}
	return wanted, min(wanted, gridDefaultMin)
}

// content returns the width of the widest cell in a column, limited to most.
func (g *Grid) content(col, rows, maximum int) int {
	widest := 0
	for row := range min(rows, gridSample) {
		if widest >= maximum {
			break
		}
		widest = max(widest, textWidth(g.src.Cell(row, col).Text, maximum))
	}
	return widest
}

// fitColumns gives surplus width to columns that cut their content, then to weighted ones, and takes missing width from
// the widest. If not all fit, the first columns share the room, and only very wide ones of the rest are cut.
func fitColumns(cols []Column, room int, wanted, minimum []int, content func(i, maximum int) int) []int {
	n := len(wanted)
	if total(wanted) > room {
		n = columnsInFront(room, wanted, minimum)
		for i := n; i < len(wanted); i++ {
			wanted[i] = min(wanted[i], max(minimum[i], gridScrollMax))
		}
	}
	shown := wanted[:n]
	if rest := room - total(shown); rest < 0 {
		shrink(shown, minimum, -rest)
	} else if n == len(cols) {
		for i, c := range cols {
			if c.Width == 0 && rest > 0 && wanted[i] >= c.most() {
				more := max(content(i, wanted[i]+rest)-wanted[i], 0)
				wanted[i], rest = wanted[i]+more, rest-more
			}
		}
		share(cols, shown, rest)
	}
	return wanted
}

// FitPage returns the widths of as many columns as fit on a page, which does not scroll: their wanted widths, reduced
// to least if necessary. The first column is always included, and only cut if it is wider than the page.
func FitPage(room int, wanted, minimum []int) []int {
	shown := 1
	for used := minimum[0]; shown < len(minimum) && used+gridGap+minimum[shown] <= room; shown++ {
		used += gridGap + minimum[shown]
	}
	widths := slices.Clone(wanted[:shown])
	shrink(widths, minimum, total(widths)-room)
	widths[0] = min(widths[0], room)
	return widths
}

func total(widths []int) int {
	sum := max(len(widths)-1, 0) * gridGap
	for _, w := range widths {
		sum += w
	}
	return sum
}

// columnsInFront drops a column rather than cut the first, which identifies the row, as long as two others remain.
func columnsInFront(room int, wanted, minimum []int) int {
	if len(minimum) == 0 {
		return 0
	}
	count := func(first int) int {
		n := 1
		for left := room - first; n < len(minimum) && left >= gridGap+minimum[n]; n++ {
			left -= gridGap + minimum[n]
		}
		return n
	}
	cut, whole := count(minimum[0]), count(wanted[0])
	if whole > 2 && whole >= cut-1 || whole == cut && wanted[0] <= room {
		minimum[0] = wanted[0]
		return whole
	}
	return cut
}

// shrink cuts the first column last.
func shrink(widths, minimum []int, cells int) {
	for range cells {
		at := widest(widths[1:], minimum[1:])
		switch {
		case at >= 0:
			widths[at+1]--
		case widths[0] > minimum[0]:
			widths[0]--
		default:
			return
		}
	}
}

func share(cols []Column, widths []int, rest int) {
	weights := 0
	for _, c := range cols {
		if c.Width == 0 {
			weights += max(c.Weight, 0)
		}
	}
	for i, c := range cols {
		if c.Weight > 0 && c.Width == 0 {
			part := rest * c.Weight / weights
			widths[i] += part
			rest -= part
			weights -= c.Weight
		}
	}
}

func widest(widths, minimum []int) int {
	at := -1
	for i, w := range widths {
		if w > minimum[i] && (at < 0 || w > widths[at]) {
			at = i
		}
	}
	return at
}

// span is a visible column and its width.
type span struct{ col, w int }

func (g *Grid) spans() []span {
	g.measure()
	room, frozen := g.room(), g.frozen()
	out := g.visible[:0]
	for i := range g.cols {
		if i >= frozen && i < g.left {
			continue
		}
		if len(out) > 0 {
			room -= gridGap
		}
		if room <= 0 {
			break
		}
		w := min(g.widths[i], room)
		if w < g.widths[i] && w < gridPartMin && len(out) > 0 {
			break
		}
		out = append(out, span{i, w})
		room -= w
	}
	g.visible = out
	return out
}

func (g *Grid) lastLeft() int {
	frozen := g.frozen()
	room := g.room()
	for i := range frozen {
		room -= g.widths[i] + gridGap
	}
	left := len(g.cols)
	for left > frozen {
		room -= g.widths[left-1]
		if room < 0 {
			break
		}
		room -= gridGap
		left--
	}
	return max(min(left, len(g.cols)-1), frozen)
}

func (g *Grid) scrollColumns(by int) {
	g.measure()
	g.left = min(max(g.left+by, g.frozen()), g.lastLeft())
}

func (g *Grid) hidden(spans []span) (left, right bool) {
	left = g.left > g.frozen()
	if len(spans) == 0 {
		return left, len(g.cols) > 0
	}
	last := spans[len(spans)-1]
	return left, last.col < len(g.cols)-1 || last.w < g.widths[last.col]
}

// ColumnWidth returns the width of a column in cells, visible or not.
func (g *Grid) ColumnWidth(col int) int {
	g.measure()
	if col < 0 || col >= len(g.widths) {
		return 0
	}
	return g.widths[col]
}
