package widget

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// A Cell is a value in a grid. Its text may be hostile and of any length.
type Cell struct {
	Text  string
	Note  string // shown after the text if both fit, or ""
	Role  Role
	Align Align // AlignDefault uses the column's alignment
}

func (c Cell) withNote() string {
	if c.Note == "" {
		return c.Text
	}
	return c.Text + "  " + c.Note
}

// A Source supplies the rows of a grid. The grid calls Cell only for visible rows, about 400 times per frame, so Cell
// must be fast. Len may grow between frames. The drawing goroutine calls the methods, so a source that another
// goroutine fills needs a lock or a copy.
type Source interface {
	Len() int
	Cell(row, col int) Cell
}

// A Column describes a column of a grid. Widths are in cells.
type Column struct {
	Title  string
	Min    int   // minimum width, but of a weighted column at most the content's; 0 means the content's, at most 16
	Max    int   // maximum content width while space is short; 0 means 40
	Weight int   // share of the surplus width; 0 for none
	Width  int   // fixed width; 0 measures the content
	Whole  bool  // never narrower than the content, up to Max; for dates
	Middle bool  // shortens the longest word in the middle; for IDs, which differ at their ends
	Frozen bool  // does not scroll; frozen columns must come first
	Hides  bool  // hidden while none of the first rows has content
	Sorted Order // appears as an arrow after the title
	Align  Align // AlignDefault means left
}

// An Order is the order of rows by a column.
type Order uint8

// These are the orders.
const (
	Unsorted   Order = iota // order of the source
	Ascending               // ↑
	Descending              // ↓
)

// Arrow returns the symbol of the order, one cell wide. It returns "" for Unsorted.
func (o Order) Arrow() string {
	return map[Order]string{Ascending: "↑", Descending: "↓"}[o]
}

// A Marker is a Source whose rows can be marked. It keeps the marks itself, because after sorting and filtering a mark
// must stay with its item instead of its row number.
type Marker interface {
	Source
	Marked(row int) bool
	SetMarked(row int, on bool)
	// MarkCount returns the number of marks, including marks of hidden rows.
	MarkCount() int
}

// A Signer is a Source whose rows can have a one-cell sign in place of a mark.
type Signer interface{ Sign(row int) string }

// A Grouper is a Source whose rows can form groups.
type Grouper interface {
	// Groups returns a function that returns the title above a row, or "". It returns nil if there are no groups.
	Groups() func(row int) string
}

// gridGutter is the width, in cells, of the cursor bar and the mark.
const gridGutter = 2

// A Grid is a table with a cursor, marks, frozen columns and scrolling in both directions. The cost of a frame depends
// on the size of the screen, not on the number of rows.
//
// The grid measures column widths when the first rows arrive, and later only when the size or the columns change, so
// that the layout stays the same while more rows arrive.
type Grid struct {
	scroller
	height     int // includes the header line
	src        Source
	lines      []int // row of each line, or the complement of the row below a title; nil without titles
	cols       []Column
	isMarkable bool

	left     int   // first visible column after the frozen ones
	widths   []int // nil before the first measurement
	measured bool  // widths takes rows into account, not only titles
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

// SetColumns replaces the columns. Frozen columns must come first. The index of an argument is the column number for
// the source.
func (g *Grid) SetColumns(cols ...Column) {
	g.cols = slices.Clone(cols)
	g.left = g.frozenCount()
	g.widths, g.measured = nil, false
}

// SetSource replaces the rows, moves the cursor to the first row and measures the columns again. It is not needed after
// adding rows to the same source.
func (g *Grid) SetSource(src Source) {
	if src == nil {
		src = noRows{}
	}
	g.src = src
	g.win.top, g.win.cursor = 0, 0
	g.widths, g.measured = nil, false
	g.refresh()
}

// SetEmpty sets the text to show if there are no rows, and the hint about the next step below it.
func (g *Grid) SetEmpty(text, hint string) { g.empty, g.hint = text, hint }

// SetMarkable lets space mark the row under the cursor and move to the next row.
func (g *Grid) SetMarkable(on bool) { g.isMarkable = on }

// SetSize sets the size in cells, including the header line.
func (g *Grid) SetSize(w, h int) {
	if w = max(w, 0); w != g.w {
		g.widths, g.measured = nil, false
	}
	g.height = max(h, 0)
	g.scroller.SetSize(w, h-1)
}

// Cursor returns the index of the row under the cursor, or -1 if there are no rows.
func (g *Grid) Cursor() int {
	g.refresh()
	if line, ok := g.current(); ok {
		return g.rowAt(line)
	}
	return -1
}

// SetCursor moves the cursor to a row and scrolls to it. If the index is out of range, it uses the nearest row.
func (g *Grid) SetCursor(row int) {
	g.refresh()
	g.moveTo(g.lineOf(row))
}

func (g *Grid) refresh() {
	g.groupLines()
	g.syncCursor(1)
}

// groupLines arranges the titles of the groups. The cursor stays on its row.
func (g *Grid) groupLines() {
	var lines []int
	if s, ok := g.src.(Grouper); ok {
		if title := s.Groups(); title != nil {
			for row := range g.src.Len() {
				if title(row) != "" {
					lines = append(lines, ^row)
				}
				lines = append(lines, row)
			}
		}
	}
	if !slices.Equal(lines, g.lines) {
		row := g.rowAt(g.win.cursor)
		g.lines = lines
		g.win.cursor = g.lineOf(row)
	}
}

func (g *Grid) rowAt(line int) int {
	if line >= len(g.lines) {
		return line
	}
	return max(g.lines[line], ^g.lines[line])
}

func (g *Grid) lineOf(row int) int {
	if line := slices.Index(g.lines, row); line >= 0 {
		return line
	}
	return row
}

// Titles returns the number of groups.
func (g *Grid) Titles() int { return max(len(g.lines)-g.src.Len(), 0) }

// AtEnd reports whether the last row is visible, in which case the caller can read the next page.
func (g *Grid) AtEnd() bool {
	g.refresh()
	return g.win.top+g.win.height >= g.win.rowCount
}

// ToggleMark marks or unmarks a row. The source must be a Marker.
func (g *Grid) ToggleMark(row int) {
	if m, ok := g.src.(Marker); ok && row >= 0 && row < m.Len() {
		m.SetMarked(row, !m.Marked(row))
	}
}

// Position returns the cursor's position, "3/50", and the number of marks if there are any. The total is the source's
// current length, which may still grow.
func (g *Grid) Position() string {
	g.refresh()
	if g.win.rowCount == 0 {
		return ""
	}
	pos := fmt.Sprintf("%d/%d", g.rowAt(g.win.cursor)+1, g.src.Len())
	if m, ok := g.src.(Marker); ok && m.MarkCount() > 0 {
		pos = fmt.Sprintf("%d marked · %s", m.MarkCount(), pos)
	}
	return pos
}

// Update handles navigation keys, marking and the mouse wheel. It reports whether it used the message.
func (g *Grid) Update(msg tea.Msg) bool {
	g.refresh()
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(press, g.scrollLeft):
			g.scrollColumns(-1)
			return true
		case key.Matches(press, g.scrollRight):
			g.scrollColumns(1)
			return true
		case g.isMarkable && key.Matches(press, g.mark):
			g.ToggleMark(g.rowAt(g.win.cursor))
			g.win.move(1)
			return true
		}
	}
	return g.scroller.Update(msg)
}

// Actions returns the grid's actions in addition to NavigationActions, for the help screen.
func (g *Grid) Actions() Actions {
	as := Actions{
		{Name: "columns-left", Binding: g.scrollLeft, Desc: "columns left"},
		{Name: "columns-right", Binding: g.scrollRight, Desc: "columns right"},
	}
	if g.isMarkable {
		as = append(as, Action{Name: "mark", Binding: g.mark, Desc: "mark, next", Long: "mark the row and go to the next"})
	}
	return as
}

// ColumnAt returns the column at x, relative to the grid, for a click on its title. ok is false if there is none.
// Partly visible columns count.
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

// Click moves the cursor to the row at y, where 0 is the header. ok reports whether there is a row, and second whether
// the cursor was already on it.
func (g *Grid) Click(x, y int) (second, ok bool) {
	g.refresh()
	if x < 0 || x >= g.w {
		return false, false
	}
	return g.scroller.Click(x, y-1)
}

const (
	gridSample     = 100 // number of rows to measure
	gridDefaultMax = 40
	gridDefaultMin = 16 // minimum width to which a column shrinks in favor of others
	gridScrollMax  = 24 // maximum width if the grid scrolls sideways anyway
	gridPartMin    = 6  // minimum width of a partly visible column at the edge
	gridGap        = 2  // space between two columns

	hiddenWidth = -gridGap // width of a hidden column, which needs no gap
)

func (g *Grid) frozenCount() int {
	if i := slices.IndexFunc(g.cols, func(c Column) bool { return !c.Frozen }); i >= 0 {
		return i
	}
	return len(g.cols)
}

func (g *Grid) room() int { return max(g.w-gridGutter-1, 0) }

// measure determines the widths from the titles and the first rows. They stay the same until the size changes.
func (g *Grid) measure() {
	n := g.src.Len()
	if g.widths != nil && (g.measured || n == 0) {
		return
	}
	g.measured = n > 0
	wanted, minimum := make([]int, len(g.cols)), make([]int, len(g.cols))
	for i := range g.cols {
		wanted[i], minimum[i] = g.columnWidths(i, n)
	}
	g.widths = fitColumns(g.cols, g.room(), wanted, minimum, func(i, room int) int { return g.contentWidth(i, n, room) })
	g.left = min(max(g.left, g.frozenCount()), g.maxLeft())
}

func (c Column) maxContent() int {
	if c.Max > 0 {
		return c.Max
	}
	return gridDefaultMax
}

func (g *Grid) columnWidths(i, rows int) (wanted, minimum int) {
	c := g.cols[i]
	if c.Width > 0 {
		return c.Width, c.Width
	}
	maximum := c.maxContent()
	if c.Hides && rows > 0 && g.contentWidth(i, rows, 1) == 0 {
		return hiddenWidth, hiddenWidth
	}
	title := textWidth(c.Title, maximum)
	if c.Sorted != Unsorted {
		title += 2
	}
	wanted = max(title, g.contentWidth(i, rows, maximum))
	if c.Weight == 0 { // A weighted column receives the surplus.
		wanted = max(wanted, c.Min)
	}
	switch {
	case c.Whole:
		return wanted, wanted
	case c.Min > 0:
		return wanted, min(c.Min, wanted)
	}
	return wanted, min(wanted, gridDefaultMin)
}

func (g *Grid) contentWidth(col, rows, maximum int) int {
	widest := 0
	for row := range min(rows, gridSample) {
		if widest >= maximum {
			break
		}
		widest = max(widest, textWidth(g.src.Cell(row, col).withNote(), maximum))
	}
	return widest
}

// fitColumns distributes the width. Surplus goes to columns that cut their content, then to weighted columns. A deficit
// comes from the widest columns. If not all fit, it fits the first ones and limits the width of the rest; surplus that
// shows no part of the next column then goes to columns that cut their content.
func fitColumns(cols []Column, room int, wanted, minimum []int, content func(i, maximum int) int) []int {
	n := len(wanted)
	if Total(wanted) > room {
		n = leadingColumns(room, wanted, minimum)
		for i := n; i < len(wanted); i++ {
			wanted[i] = min(wanted[i], max(minimum[i], gridScrollMax))
		}
	}
	shown := wanted[:n]
	if rest := room - Total(shown); rest < 0 {
		shrink(shown, minimum, -rest)
	} else if n == len(cols) || cols[n].Whole || rest < gridGap+gridPartMin {
		for i, c := range cols[:n] {
			if c.Width == 0 && rest > 0 && wanted[i] >= c.maxContent() {
				more := max(content(i, wanted[i]+rest)-wanted[i], 0)
				wanted[i], rest = wanted[i]+more, rest-more
			}
		}
		if n == len(cols) {
			distribute(cols, shown, rest)
		}
	}
	return wanted
}

// FitPage returns the widths of as many columns as fit on a page, which does not scroll. It shrinks columns to minimum
// if necessary. It always includes the first column, and cuts it only if it is wider than the page.
func FitPage(room int, wanted, minimum []int) []int {
	shown := 1
	for used := minimum[0]; shown < len(minimum) && used+gridGap+minimum[shown] <= room; shown++ {
		used += gridGap + minimum[shown]
	}
	widths := slices.Clone(wanted[:shown])
	shrink(widths, minimum, Total(widths)-room)
	widths[0] = min(widths[0], room)
	return widths
}

// Total returns the width of a row with these columns and the gaps between them, in cells.
func Total(widths []int) int {
	sum := max(len(widths)-1, 0) * gridGap
	for _, w := range widths {
		sum += w
	}
	return sum
}

// leadingColumns omits a column rather than cut the first, which identifies the row, if two others remain.
func leadingColumns(room int, wanted, minimum []int) int {
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
	narrowCount, wideCount := count(minimum[0]), count(wanted[0])
	if wideCount > 2 && wideCount >= narrowCount-1 || wideCount == narrowCount && wanted[0] <= room {
		minimum[0] = wanted[0]
		return wideCount
	}
	return narrowCount
}

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

func distribute(cols []Column, widths []int, rest int) {
	weights := 0
	for _, c := range cols {
		if c.Width == 0 {
			weights += max(c.Weight, 0)
		}
	}
	for i, c := range cols {
		if c.Weight > 0 && c.Width == 0 {
			share := rest * c.Weight / weights
			widths[i] += share
			rest -= share
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

// A span is a visible column with its width.
type span struct{ col, w int }

func (g *Grid) spans() []span {
	g.measure()
	room, frozen := g.room(), g.frozenCount()
	out := g.visible[:0]
	for i := range g.cols {
		if i >= frozen && i < g.left || g.widths[i] == hiddenWidth {
			continue
		}
		if len(out) > 0 {
			room -= gridGap
		}
		if room <= 0 {
			break
		}
		w := min(g.widths[i], room)
		if w < g.widths[i] && (w < gridPartMin || g.cols[i].Whole) && len(out) > 0 {
			break
		}
		out = append(out, span{i, w})
		room -= w
	}
	g.visible = out
	return out
}

func (g *Grid) maxLeft() int {
	frozen := g.frozenCount()
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
	g.left = min(max(g.left+by, g.frozenCount()), g.maxLeft())
}

func (g *Grid) hasHidden(spans []span) (left, right bool) {
	left = g.left > g.frozenCount()
	if len(spans) == 0 {
		return left, len(g.cols) > 0
	}
	last := spans[len(spans)-1]
	right = slices.ContainsFunc(g.widths[last.col+1:], func(w int) bool { return w != hiddenWidth })
	return left, right || last.w < g.widths[last.col]
}

// Cuts reports whether the grid hides a column or cuts a cell of the first rows.
func (g *Grid) Cuts() bool {
	spans := g.spans()
	left, right := g.hasHidden(spans)
	return left || right || slices.ContainsFunc(spans, func(sp span) bool { return g.contentWidth(sp.col, g.src.Len(), sp.w+1) > sp.w })
}

// ColumnWidth returns the width of a column in cells, whether it is visible or not.
func (g *Grid) ColumnWidth(col int) int {
	g.measure()
	if col < 0 || col >= len(g.widths) {
		return 0
	}
	return g.widths[col]
}
