// This file decides how wide a grid's columns are and which of them are seen.

package widget

const (
	gridSample     = 100 // rows that are looked at to choose the widths
	gridDefaultMax = 40
	gridDefaultMin = 16 // a shorter column is never cut for the others' sake
	gridScrollMax  = 24 // when the grid scrolls sideways anyway
	gridPartMin    = 6  // less of a column at the edge is not worth showing
)

func (g *Grid) forgetWidths() { g.widths, g.measured = nil, false }

// frozen is the number of frozen columns in front.
func (g *Grid) frozen() int {
	for i, c := range g.cols {
		if !c.Frozen {
			return i
		}
	}
	return len(g.cols)
}

// room is the width for the columns: without the marks left of them and the
// scroll bar right of them.
func (g *Grid) room() int { return max(g.w-gridGutter-1, 0) }

// measure chooses the widths from the titles and, once there are any, from the
// first rows. The second time is the last until the size changes.
func (g *Grid) measure() {
	n := g.src.Len()
	if g.widths != nil && (g.measured || n == 0) {
		return
	}
	g.measured = n > 0
	wanted, least := make([]int, len(g.cols)), make([]int, len(g.cols))
	for i := range g.cols {
		wanted[i], least[i] = g.demand(i, n)
	}
	g.widths = g.distribute(wanted, least)
	g.left = min(max(g.left, g.frozen()), g.lastLeft())
}

// demand is how wide a column wants to be, and the least that it needs.
func (g *Grid) demand(i, rows int) (wanted, least int) {
	c := g.cols[i]
	if c.Width > 0 {
		return c.Width, c.Width
	}
	most := c.Max
	if most <= 0 {
		most = gridDefaultMax
	}
	title := textWidth(c.Title, most)
	if c.Sorted != Unsorted {
		title += 2
	}
	wanted = max(title, c.Min)
	for row := range min(rows, gridSample) {
		if wanted >= most {
			break
		}
		wanted = max(wanted, textWidth(g.src.Cell(row, i).Text, most))
	}
	switch {
	case c.Whole:
		return wanted, wanted
	case c.Min > 0:
		return wanted, min(c.Min, wanted)
	}
	return wanted, min(wanted, gridDefaultMin)
}

// distribute fits the wanted widths into the room: what is left over goes to
// the columns with a weight, what is missing is taken from the widest. When not
// all columns are shown the grid scrolls sideways: those in front share the room
// as if there were no others, and of those behind only very wide ones are cut.
func (g *Grid) distribute(wanted, least []int) []int {
	total, n := -gridGap, len(wanted)
	for i := range wanted {
		total += wanted[i] + gridGap
	}
	if total > g.room() {
		n = g.inFront(wanted, least)
		for i := n; i < len(wanted); i++ {
			wanted[i] = min(wanted[i], max(least[i], gridScrollMax))
		}
	}
	g.fit(wanted[:n], least[:n])
	return wanted
}

// inFront is how many columns share the screen when not all of them fit as they
// want to be. The first says which row it is: one column less is shown, when two
// others are left, rather than that it is cut.
func (g *Grid) inFront(wanted, least []int) int {
	count := func(first int) int {
		room := g.room() - first
		n := 1
		for n < len(least) && room >= gridGap+least[n] {
			room -= gridGap + least[n]
			n++
		}
		return n
	}
	if len(least) == 0 {
		return 0
	}
	cut, whole := count(least[0]), count(wanted[0])
	if whole > 2 && whole >= cut-1 || whole == cut && wanted[0] <= g.room() {
		least[0] = wanted[0]
		return whole
	}
	return cut
}

// fit makes columns as wide as the room, none narrower than its least width. The
// first is cut last.
func (g *Grid) fit(widths, least []int) {
	room := g.room() - max(len(widths)-1, 0)*gridGap
	total := 0
	for _, w := range widths {
		total += w
	}
	if total <= room {
		if len(widths) == len(g.cols) {
			g.share(widths, room-total)
		}
		return
	}
	for ; total > room; total-- {
		at := -1
		if len(widths) > 1 {
			at = widest(widths[1:], least[1:])
		}
		switch {
		case at >= 0:
			widths[at+1]--
		case widths[0] > least[0]:
			widths[0]--
		default:
			return
		}
	}
}

// share gives what is left over to the columns by their weight.
func (g *Grid) share(widths []int, rest int) {
	weights := 0
	for _, c := range g.cols {
		if c.Width == 0 {
			weights += max(c.Weight, 0)
		}
	}
	for i, c := range g.cols {
		if c.Weight > 0 && c.Width == 0 {
			part := rest * c.Weight / weights
			widths[i] += part
			rest -= part
			weights -= c.Weight
		}
	}
}

// widest is the widest column that may become narrower.
func widest(widths, least []int) int {
	at := -1
	for i, w := range widths {
		if w > least[i] && (at < 0 || w > widths[at]) {
			at = i
		}
	}
	return at
}

// span is a column's place on the screen.
type span struct{ col, w int }

// spans returns the columns that are seen, from left to right. The last may be
// cut by the edge.
func (g *Grid) spans() []span {
	g.measure()
	room, frozen := g.room(), g.frozen()
	out := make([]span, 0, len(g.cols))
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
	return out
}

// lastLeft is the leftmost column from which on all the others fit: scrolling
// further would show nothing new.
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

// ScrollColumns scrolls sideways by whole columns.
func (g *Grid) ScrollColumns(by int) {
	g.measure()
	g.left = min(max(g.left+by, g.frozen()), g.lastLeft())
}

// hidden reports whether columns are out of sight at the left and the right.
func (g *Grid) hidden(spans []span) (left, right bool) {
	left = g.left > g.frozen()
	if len(spans) == 0 {
		return left, len(g.cols) > 0
	}
	last := spans[len(spans)-1]
	return left, last.col < len(g.cols)-1 || last.w < g.widths[last.col]
}

// ColumnWidth is how many cells a column has now, seen or not.
func (g *Grid) ColumnWidth(col int) int {
	g.measure()
	if col < 0 || col >= len(g.widths) {
		return 0
	}
	return g.widths[col]
}
