package diagram

import (
	"fmt"
	"html"
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

// The size of a cell in SVG units.
const (
	cellWidth  = 9
	cellHeight = 17
)

// SVG returns the drawing as an SVG element that needs no script, no style sheet and no other file. id begins the names
// inside it, so that a page can have several.
func (l *Layout) SVG(id, title string) string {
	var b strings.Builder
	w, h := (l.W+2)*cellWidth, (l.H+1)*cellHeight
	fmt.Fprintf(&b, "<svg role=\"img\" aria-label=\"%s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
		html.EscapeString(title), w, h, w, h)
	fmt.Fprintf(&b,
		"<defs><marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"+
			"<path d=\"M0 0L8 4L0 8z\" fill=\"#57606a\"/></marker></defs>\n", id)
	for i, e := range l.Edges {
		l.svgEdge(&b, i, e, id)
	}
	for i, n := range l.Nodes {
		l.svgNode(&b, l.Boxes[i], n)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (l *Layout) svgEdge(b *strings.Builder, i int, e Edge, id string) {
	path := l.Paths[i]
	if box := l.Boxes[e.From]; path == nil {
		path = []Point{
			{box.X + box.W - 4, box.Y}, {box.X + box.W - 4, box.Y - 1}, {box.X + box.W - 2, box.Y - 1}, {box.X + box.W - 2, box.Y},
		}
	}
	fmt.Fprintf(b, "<path d=\"M%s\" fill=\"none\" stroke=\"#57606a\"%s marker-end=\"url(#%s)\">", l.points(i, path), dashes(e.Stroke), id)
	var names []string
	for _, t := range e.Transitions {
		if t.Name != "" {
			names = append(names, t.Name)
		}
	}
	fmt.Fprintf(b, "<title>%s</title></path>\n", html.EscapeString(strings.Join(names, ", ")))
	if at := l.Labels[i]; at.X >= 0 {
		svgText(b, at.X*cellWidth+cellWidth+ansi.StringWidth(e.Label)*cellWidth/2, at.Y*cellHeight+cellHeight, e.Label, "12px")
	}
}

func dashes(s Stroke) string {
	switch s {
	case Dashed:
		return ` stroke-dasharray="4 3"`
	case Heavy:
		return ` stroke-width="2"`
	case Thin:
	}
	return ""
}

func (l *Layout) points(edge int, path []Point) string {
	var all []string
	for i, p := range path {
		if i > 0 && i < len(path)-1 && dirOf(path[i-1], p) == dirOf(p, path[i+1]) && l.Paths[edge] != nil {
			continue
		}
		x, y := middle(p)
		all = append(all, fmt.Sprintf("%d %d", x, y))
	}
	return strings.Join(all, "L")
}

func middle(p Point) (x, y int) {
	return p.X*cellWidth + cellWidth*3/2, p.Y*cellHeight + cellHeight
}

func (l *Layout) svgNode(b *strings.Builder, box Rect, n Node) {
	x, y := middle(Point{box.X, box.Y})
	w, h := (box.W-1)*cellWidth, (box.H-1)*cellHeight
	stroke := 1
	if n.Initial || n.Heavy {
		stroke = 2
	}
	fmt.Fprintf(b,
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#f6f8fa\" stroke=\"#57606a\" stroke-width=\"%d\"/>\n",
		x, y, w, h, stroke)
	for i, line := range n.Lines {
		svgText(b, x+w/2, y+(i+1)*cellHeight, line, "13px")
	}
}

func svgText(b *strings.Builder, x, y int, text, size string) {
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" dominant-baseline=\"central\" style=\"font-size:%s\">%s</text>\n",
		x, y, size, html.EscapeString(text))
}
