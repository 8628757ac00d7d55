package widget

import "slices"

const (
	gridSample     = 100 // rows that are measured
	gridDefaultMax = 40
	gridDefaultMin = 16 // a column is never cut below this to make room for others
	gridScrollMax  = 24 // maximum if the grid scrolls sideways anyway
	gridPartMin    = 6  // minimum of a partly visible column at the edge
	gridGap        = 2  // space between two columns
)

func (g *Grid) frozen() int {
	for i, c := range g.cols {
		if !c.Frozen {
			return i
		}
	}
	return len(g.cols)
}

func (g *Grid) room() int { return max(g.w-gridGutter-1, 0) }

// measure uses the titles, then the first rows, and keeps the widths until the size changes.
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
	g.widths = fitColumns(g.cols, g.room(), wanted, least)
	g.left = min(max(g.left, g.frozen()), g.lastLeft())
}

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

// fitColumns gives surplus to the columns with a weight and takes a shortage from the widest. If not all fit, the
// first ones share the room, and of the rest only very wide ones are cut.
func fitColumns(cols []Column, room int, wanted, least []int) []int {
	n := len(wanted)
	if total(wanted) > room {
		n = columnsInFront(room, wanted, least)
		for i := n; i < len(wanted); i++ {
			wanted[i] = min(wanted[i], max(least[i], gridScrollMax))
		}
	}
	shown := wanted[:n]
	if rest := room - total(shown); rest < 0 {
		shrink(shown, least, -rest)
	} else if n == len(cols) {
		share(cols, shown, rest)
	}
	return wanted
}

// FitPage returns the widths of the columns of a page, which does not scroll: those that fit, wanted or down to least. The
// first is always one, and only cut if it is wider than the page.
func FitPage(room int, wanted, least []int) []int {
	shown := 1
	for used := least[0]; shown < len(least) && used+gridGap+least[shown] <= room; shown++ {
		used += gridGap + least[shown]
	}
	widths := slices.Clone(wanted[:shown])
	shrink(widths, least, total(widths)-room)
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

// columnsInFront shows one column less rather than cutting the first, which identifies the row, as long as two others
// remain.
func columnsInFront(room int, wanted, least []int) int {
	if len(least) == 0 {
		return 0
	}
	count := func(first int) int {
		n := 1
		for left := room - first; n < len(least) && left >= gridGap+least[n]; n++ {
			left -= gridGap + least[n]
		}
		return n
	}
	cut, whole := count(least[0]), count(wanted[0])
	if whole > 2 && whole >= cut-1 || whole == cut && wanted[0] <= room {
		least[0] = wanted[0]
		return whole
	}
	return cut
}

// shrink cuts the first column last.
func shrink(widths, least []int, cells int) {
	for range cells {
		at := widest(widths[1:], least[1:])
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

func widest(widths, least []int) int {
	at := -1
	for i, w := range widths {
		if w > least[i] && (at < 0 || w > widths[at]) {
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
