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
	for i, c := range g.cols {
		most := c.Max
		if most <= 0 {
			most = gridDefaultMax
		}
		title := textWidth(c.Title, most)
		wanted[i] = max(title, c.Min)
		for row := range min(n, gridSample) {
			if wanted[i] >= most {
				break
			}
			wanted[i] = max(wanted[i], textWidth(g.src.Cell(row, i).Text, most))
		}
		least[i] = c.Min
		if least[i] <= 0 {
			least[i] = min(wanted[i], gridDefaultMin)
		}
	}
	g.widths = g.distribute(wanted, least)
	g.left = min(max(g.left, g.frozen()), g.lastLeft())
}

// distribute fits the wanted widths into the room: what is left over goes to
// the columns with a weight, what is missing is taken from the widest. When
// even the least widths do not fit, the grid scrolls sideways and only very wide
// columns are cut.
func (g *Grid) distribute(wanted, least []int) []int {
	room := g.room() - max(len(g.cols)-1, 0)*gridGap
	total, fewest := 0, 0
	for i := range wanted {
		total += wanted[i]
		fewest += least[i]
	}
	switch {
	case total <= room:
		g.share(wanted, room-total)
	case fewest <= room:
		for ; total > room; total-- {
			wanted[widest(wanted, least)]--
		}
	default:
		for i := range wanted {
			wanted[i] = min(wanted[i], max(least[i], gridScrollMax))
		}
	}
	return wanted
}

// share gives what is left over to the columns by their weight.
func (g *Grid) share(widths []int, rest int) {
	weights := 0
	for _, c := range g.cols {
		weights += max(c.Weight, 0)
	}
	for i, c := range g.cols {
		if c.Weight > 0 {
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
