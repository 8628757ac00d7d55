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
	Align Align // AlignDefault takes the column's
}

// Source supplies the rows of a grid. Cell is called only for visible rows, about
// 400 times a frame, and must be cheap. Len may grow between frames. It is called by the
// goroutine that draws, so a source that another goroutine fills needs a lock or a copy.
type Source interface {
	Len() int
	Cell(row, col int) Cell
}

// Column describes a column of a grid. Widths are in cells.
type Column struct {
	Title  string
	Min    int   // minimum; 0 means the width of the content, at most 16
	Max    int   // maximum for the content; 0 means 40
	Weight int   // share of the remaining room; 0 takes none
	Width  int   // fixed width; 0 means measured
	Whole  bool  // never narrower than its content, up to Max: for dates
	Middle bool  // what does not fit is left out of the middle of the longest word: for IDs, which differ at their ends
	Frozen bool  // does not scroll; frozen columns come first
	Sorted Order // shows an arrow after the title
	Align  Align // AlignDefault is left
}

// Order is how rows are sorted by a column.
type Order uint8

// The orders.
const (
	Unsorted   Order = iota // in the order of the source
	Ascending               // ↑
	Descending              // ↓
)

// Arrow returns the symbol of the order, one cell wide; "" for Unsorted.
func (o Order) Arrow() string {
	switch o {
	case Ascending:
		return "↑"
	case Descending:
		return "↓"
	default:
		return ""
	}
}

// Marker is a Source whose rows can be marked. It keeps the marks, because in sorted and
// filtered rows a mark belongs to the item in the row, not to its position.
type Marker interface {
	Source
	Marked(row int) bool
	SetMarked(row int, on bool)
	// MarkCount returns the number of marks, including those of hidden rows.
	MarkCount() int
}

// Signer is a Source whose rows can have a sign of one cell, in the place of a mark.
type Signer interface{ Sign(row int) string }

// gridGutter is the width of the cursor bar and the mark.
const gridGutter = 2

// Grid is a table with a cursor, marks, frozen columns and scrolling in both
// directions. The cost of a frame depends on the size of the screen, not on the
// number of rows.
//
// Column widths are measured once, when the first rows are available, and again
// only when the size or the columns change, so that the layout is stable while
// rows arrive.
type Grid struct {
	scroller
	height  int // with the header line
	src     Source
	cols    []Column
	marking bool

	left     int   // first column shown after the frozen ones
	widths   []int // nil until measured
	measured bool  // widths consider rows, not only titles
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

// SetColumns replaces the columns. Frozen ones must come first. The source's column
// numbers are the indexes of the arguments.
func (g *Grid) SetColumns(cols ...Column) {
	g.cols = slices.Clone(cols)
	g.left = g.frozen()
	g.widths, g.measured = nil, false
}

// SetSource replaces the rows, moves the cursor to the first and measures the columns
// again. Rows added to the same source need no call.
func (g *Grid) SetSource(src Source) {
	if src == nil {
		src = noRows{}
	}
	g.src = src
	g.win.top, g.win.cursor = 0, 0
	g.widths, g.measured = nil, false
	g.sync(1)
}

// SetEmpty sets what is shown while there are no rows: a line and, below it, a hint
// at what to do.
func (g *Grid) SetEmpty(text, hint string) { g.empty, g.hint = text, hint }

// SetMarkable makes space mark the row under the cursor and move to the next.
func (g *Grid) SetMarkable(on bool) { g.marking = on }

// SetSize sets the rectangle in cells, including the header line.
func (g *Grid) SetSize(w, h int) {
	if w = max(w, 0); w != g.w {
		g.widths, g.measured = nil, false
	}
	g.height = max(h, 0)
	g.scroller.SetSize(w, h-1)
}

// Cursor returns the row under the cursor, -1 if there is none.
func (g *Grid) Cursor() int {
	g.sync(1)
	if row, ok := g.current(); ok {
		return row
	}
	return -1
}

// SetCursor moves the cursor to a row and scrolls to it. A row out of range is moved to the
// nearest one.
func (g *Grid) SetCursor(row int) {
	g.sync(1)
	g.moveTo(row)
}

// AtEnd reports whether the last row is visible: time to read the next page.
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

// Position returns the cursor's position, "3/50", and the number of marks if any. The number of
// rows is that of the source so far, which may still grow.
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

// Actions lists the actions of the grid beyond NavigationActions, for the help.
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

// ColumnAt returns the column at x, for a click on its title; false if there is
// none. x is relative to the grid. A cut column at the edge counts.
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

// Click moves the cursor to the row at y (0 is the header) and reports whether there is
// one, and whether it already was under the cursor.
func (g *Grid) Click(x, y int) (again, ok bool) {
	g.sync(1)
	if x < 0 || x >= g.w {
		return false, false
	}
	return g.scroller.Click(x, y-1)
}
