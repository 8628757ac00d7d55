package diagram

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A Part is what a cell of a drawing belongs to.
type Part uint8

// The parts.
const (
	Blank  Part = iota
	Border      // of a node
	Inside      // of a node: its text and the blanks around it
	Line        // an edge with its arrow
	Label       // of an edge
)

// A Run is a text of a drawing whose cells belong to the same part. A run never spans lines.
// Its text may have several cells for each character.
type Run struct {
	Text  string
	Part  Part
	Index int // of the node or the edge
	Row   int // of an Inside: the line of the node's text
}

// cell is one cell of the drawing. The text of a wide character is in its first cell; the others have none.
type cell struct {
	text       string
	part       Part
	index, row int
}

// canvas is a drawing in the making.
type canvas struct {
	*Layout
	cells []cell
	arms  map[Point][4]uint8 // weights of the lines of a cell by direction
}

// Draw returns the lines of the drawing. All have Layout.W cells. It needs no styles: the
// caller chooses them by Run.Part and Run.Index.
func (l *Layout) Draw() [][]Run {
	c := &canvas{Layout: l, cells: make([]cell, l.W*l.H), arms: map[Point][4]uint8{}}
	for i := range c.cells {
		c.cells[i].text = " "
	}
	for n := range l.Boxes {
		c.box(n)
	}
	for rank := c.lowest(); ; {
		next, more := 0, false
		for i, e := range l.Edges {
			if e.Rank == rank {
				c.line(i)
			} else if e.Rank > rank && (!more || e.Rank < next) {
				next, more = e.Rank, true
			}
		}
		if !more {
			break
		}
		rank = next
	}
	for i, e := range l.Edges {
		if at := l.Labels[i]; at.X >= 0 {
			c.write(at, e.Label, Label, i, 0)
		}
	}
	return c.runs()
}

func (l *Layout) lowest() int {
	low := 0
	for i, e := range l.Edges {
		if i == 0 || e.Rank < low {
			low = e.Rank
		}
	}
	return low
}

func (c *canvas) write(at Point, text string, part Part, index, row int) {
	for text != "" && at.X < c.W {
		cluster, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		text = text[len(cluster):]
		for x := range max(w, 1) {
			if at.X+x < c.W {
				c.cells[at.Y*c.W+at.X+x] = cell{"", part, index, row}
			}
		}
		c.cells[at.Y*c.W+at.X].text = cluster
		at.X += max(w, 1)
	}
}

func weight(heavy bool) uint8 {
	if heavy {
		return 2
	}
	return 1
}

func (c *canvas) box(n int) {
	b, node := c.Boxes[n], c.Nodes[n]
	k := weight(node.Heavy)
	for x := b.X; x < b.X+b.W; x++ {
		for y := b.Y; y < b.Y+b.H; y++ {
			var arms [4]uint8
			level, upright := y == b.Y || y == b.Y+b.H-1, x == b.X || x == b.X+b.W-1
			if !level && !upright {
				c.cells[y*c.W+x] = cell{" ", Inside, n, y - b.Y - 1}
				continue
			}
			if level {
				arms[right], arms[left] = on(x < b.X+b.W-1, k), on(x > b.X, k)
			}
			if upright {
				arms[down], arms[up] = on(y < b.Y+b.H-1, k), on(y > b.Y, k)
			}
			c.arms[Point{x, y}] = arms
			c.cells[y*c.W+x] = cell{glyph(arms), Border, n, 0}
		}
	}
	for i, line := range node.Lines {
		line = ansi.Truncate(line, b.W-4, "…")
		c.write(Point{b.X + 2 + (b.W-4-ansi.StringWidth(line))/2, b.Y + 1 + i}, line, Inside, n, i)
	}
	for _, e := range c.Edges {
		if e.From == n && e.To == n {
			c.cells[b.Y*c.W+b.X+b.W-3] = cell{"↻", Border, n, 0}
		}
	}
}

func on(is bool, k uint8) uint8 {
	if is {
		return k
	}
	return 0
}

func dirOf(a, b Point) int {
	for dir := range 4 {
		if a.step(dir) == b {
			return dir
		}
	}
	return right
}

var arrows = [4]string{"▶", "▼", "◀", "▲"}

// line draws an edge over what is there: where lines cross, the one that is drawn later is whole.
func (c *canvas) line(edge int) {
	path := c.Paths[edge]
	if path == nil {
		return
	}
	e := c.Edges[edge]
	k := weight(e.Stroke == Heavy)
	out := dirOf(path[0], path[1])
	arms := c.arms[path[0]]
	arms[out] = max(arms[out], k)
	c.arms[path[0]] = arms
	c.cells[path[0].Y*c.W+path[0].X].text = glyph(arms)
	for i := 1; i < len(path)-1; i++ {
		in, out := dirOf(path[i], path[i-1]), dirOf(path[i], path[i+1])
		text := arrows[out]
		if i < len(path)-2 {
			arms, straight := c.arms[path[i]], out == (in+2)%4
			if straight && arms[out] == 0 && arms[in] == 0 {
				arms = [4]uint8{} // a crossing
			}
			arms[in], arms[out] = max(arms[in], k), max(arms[out], k)
			c.arms[path[i]] = arms
			text = glyph(arms)
			if dashed := map[string]string{"─": "╌", "│": "╎"}[text]; dashed != "" && e.Stroke == Dashed {
				text = dashed
			}
		}
		c.cells[path[i].Y*c.W+path[i].X] = cell{text, Line, edge, 0}
	}
}

func (c *canvas) runs() [][]Run {
	lines := make([][]Run, c.H)
	for y := range lines {
		for x := 0; x < c.W; {
			first := c.cells[y*c.W+x]
			var text strings.Builder
			for ; x < c.W; x++ {
				at := c.cells[y*c.W+x]
				if at.part != first.part || at.index != first.index || at.row != first.row {
					break
				}
				text.WriteString(at.text)
			}
			lines[y] = append(lines[y], Run{text.String(), first.part, first.index, first.row})
		}
	}
	return lines
}

// glyphs are the lines of a cell by the weights of their arms: 27 times right, 9 times down, 3 times left, once up. 0 is
// no line, 1 a thin and 2 a heavy one.
var glyphs = []rune(" ╵╹╴╯┚╸┙┛╷│╿╮┤┦┑┥┩╻╽┃┒┧┨┓┪┫╶╰┖─┴┸╾┵┹╭├┞┬┼╀┭┽╃┎┟┠┰╁╂┱╅╉╺┕┗╼┶┺━┷┻┍┝┡┮┾╄┯┿╇┏┢┣┲╆╊┳╈╋")

func glyph(arms [4]uint8) string {
	return string(glyphs[int(arms[right])*27+int(arms[down])*9+int(arms[left])*3+int(arms[up])])
}
