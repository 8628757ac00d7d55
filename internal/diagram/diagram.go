// Package diagram lays out the states and transitions of a lifecycle as boxes and lines, in character cells.
//
// States are arranged in layers, by the longest way from an initial state. Layers go from left to right and wrap at the
// width. Lines are routed around boxes, so that none hides another: lines that share cells have the same source or the
// same target, and other lines only cross.
package diagram

import (
	"errors"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// The largest graphs that are laid out, and the steps of the search for lines: about a tenth of a second. A larger graph
// is unreadable in any width.
const (
	maxNodes = 48
	maxEdges = 128
	maxWork  = 600_000
)

// ErrTooLarge says that a graph has no layout in the width it was given.
var ErrTooLarge = errors.New("diagram: the graph does not fit")

// A Graph has boxes and lines between them.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// A Node is a box with lines of text, which are one line each and printable.
type Node struct {
	Lines   []string
	Initial bool // layers begin here
	Heavy   bool // its border is drawn heavy
}

// An Edge is a line with an arrow from a node to a node, by their places in Graph.Nodes.
type Edge struct {
	From, To int
	Label    string // written beside the line if there is room; "" for none
	Stroke   Stroke
	// Rank decides which line is drawn where several share cells: the one with the highest
	// rank. Draw goes through the ranks from the lowest on.
	Rank int
	// Transitions are what the line stands for, at least one if the graph is that of a lifecycle.
	Transitions []*models.Transition
}

// A Stroke is the way in which a line is drawn.
type Stroke uint8

// The strokes.
const (
	Thin   Stroke = iota
	Dashed        // for what is not documented
	Heavy
)

// Of returns the graph of a lifecycle: one node for each state, in the same order, and one edge for each pair of states
// that transitions connect. Edges that no document describes are dashed. Names of states that
// the lifecycle does not have are left out with their edges. lines must return printable text
// without newlines.
func Of(l *models.Lifecycle, lines func(*models.State) []string) Graph {
	var g Graph
	at := map[string]int{}
	for i, s := range l.States {
		at[s.Name] = i
		g.Nodes = append(g.Nodes, Node{Lines: lines(s), Initial: s.Initial})
	}
	edges := map[[2]int]int{}
	for _, t := range l.Transitions {
		to, known := at[t.To]
		for _, name := range t.From {
			from, ok := at[name]
			if !ok || !known {
				continue
			}
			i, ok := edges[[2]int{from, to}]
			if !ok {
				i = len(g.Edges)
				edges[[2]int{from, to}] = i
				g.Edges = append(g.Edges, Edge{From: from, To: to, Stroke: Dashed})
			}
			g.Edges[i].Transitions = append(g.Edges[i].Transitions, t)
			if t.Documented {
				g.Edges[i].Stroke = Thin
			}
		}
	}
	return g
}

// A Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// A Point is a cell: a column and a line, from 0.
type Point struct{ X, Y int }

// A Layout is a graph with the places of its parts. The drawing is cropped, so W can be less
// than the width that New got. X and Y begin at the left and the top with 0.
type Layout struct {
	Graph
	W, H int
	// Boxes are the rectangles of the nodes with their borders. They do not overlap.
	Boxes []Rect
	// Paths are the cells of the edges, each beside the one before it: from the border of the source to the border of the
	// target. A line from a node to itself has none; it is a sign on the border.
	Paths [][]Point
	// Labels are the first cells of the labels, with a negative X where there is no room. A
	// label without room is missing from the drawing, so name its transitions elsewhere.
	Labels []Point
}

// rooms are the cells that are added to the distances between layers (X) and between nodes and bands (Y), one after the
// other until all lines and labels have room.
var rooms = []Point{{0, 0}, {3, 0}, {0, 1}, {3, 1}, {4, 2}, {8, 4}}

// New returns the layout of a graph in a width of cells; its height follows. The error is
// ErrTooLarge if there is none. It is deterministic: the same graph and width give the same
// layout. It takes up to a tenth of a second, so keep the layout while the width stays.
func New(g Graph, width int) (*Layout, error) {
	if len(g.Nodes) == 0 || len(g.Nodes) > maxNodes || len(g.Edges) > maxEdges {
		return nil, ErrTooLarge
	}
	layers := layersOf(g)
	best, work := (*Layout)(nil), maxWork
	for _, room := range rooms {
		p := placement{g: g, width: width, room: room}
		boxes, h, ok := p.place(layers)
		if !ok {
			continue
		}
		r := newRouter(g, boxes, width, h, &work)
		if !r.routeAll(layers) {
			continue
		}
		l := &Layout{Graph: g, W: width, H: h, Boxes: boxes, Paths: r.paths}
		lost := l.placeLabels()
		if best == nil || lost < best.unlabeled() {
			best = l
		}
		if lost == 0 {
			break
		}
	}
	if best == nil {
		return nil, ErrTooLarge
	}
	best.crop()
	return best, nil
}

func (l *Layout) unlabeled() int {
	n := 0
	for i, e := range l.Edges {
		if e.Label != "" && l.Labels[i].X < 0 {
			n++
		}
	}
	return n
}

func (l *Layout) crop() {
	lo, hi := Point{l.W, l.H}, Point{}
	grow := func(x, y, w, h int) {
		lo.X, lo.Y = min(lo.X, x), min(lo.Y, y)
		hi.X, hi.Y = max(hi.X, x+w), max(hi.Y, y+h)
	}
	for _, b := range l.Boxes {
		grow(b.X, b.Y, b.W, b.H)
	}
	for _, path := range l.Paths {
		for _, p := range path {
			grow(p.X, p.Y, 1, 1)
		}
	}
	for i, p := range l.Labels {
		if p.X >= 0 {
			grow(p.X, p.Y, ansi.StringWidth(l.Edges[i].Label), 1)
		}
	}
	move := func(p *Point) { p.X, p.Y = p.X-lo.X, p.Y-lo.Y }
	for i := range l.Boxes {
		l.Boxes[i].X -= lo.X
		l.Boxes[i].Y -= lo.Y
	}
	for _, path := range l.Paths {
		for i := range path {
			move(&path[i])
		}
	}
	for i := range l.Labels {
		if l.Labels[i].X >= 0 {
			move(&l.Labels[i])
		}
	}
	l.W, l.H = hi.X-lo.X, hi.Y-lo.Y
}

// A labeler finds the places of labels.
type labeler struct {
	*Layout
	taken map[Point]bool  // cells of boxes, lines and labels
	lines map[Point][]int // edges in a cell
}

func (l *Layout) placeLabels() (lost int) {
	b := labeler{l, map[Point]bool{}, map[Point][]int{}}
	for _, box := range l.Boxes {
		b.take(box)
	}
	for i, path := range l.Paths {
		for _, p := range path {
			b.taken[p] = true
			b.lines[p] = append(b.lines[p], i)
		}
	}
	l.Labels = make([]Point, len(l.Edges))
	for i, e := range l.Edges {
		l.Labels[i] = Point{X: -1}
		if e.Label == "" {
			continue
		}
		at, ok := b.find(i)
		if !ok {
			lost++
			continue
		}
		l.Labels[i] = at
		b.take(Rect{at.X - 1, at.Y, ansi.StringWidth(e.Label) + 2, 1}) // a blank at each end keeps labels apart
	}
	return lost
}

func (b *labeler) take(r Rect) {
	for y := r.Y; y < r.Y+r.H; y++ {
		for x := r.X; x < r.X+r.W; x++ {
			b.taken[Point{x, y}] = true
		}
	}
}

func (b *labeler) owns(edge int, p Point) bool {
	for _, other := range b.lines[p] {
		if other != edge && b.Edges[other].Rank >= b.Edges[edge].Rank {
			return false
		}
	}
	return true
}

func (b *labeler) free(at Point, w int) bool {
	for x := at.X; x < at.X+w; x++ {
		if p := (Point{x, at.Y}); b.taken[p] || x < 0 || x >= b.W || at.Y < 0 || at.Y >= b.H {
			return false
		}
	}
	return true
}

func (b *labeler) find(edge int) (Point, bool) {
	w, path := ansi.StringWidth(b.Edges[edge].Label), b.Paths[edge]
	for _, level := range []bool{true, false} {
		for first := 1; first < len(path)-1; first++ {
			end := first
			for end < len(path)-1 && b.owns(edge, path[end]) && along(path[first], path[end], level) {
				end++
			}
			if end-first < 2 || level && end-first < w {
				continue
			}
			for _, at := range beside(path[first], path[end-1], level, w) {
				if b.free(at, w) {
					return at, true
				}
			}
		}
	}
	return Point{}, false
}

func along(p, q Point, level bool) bool {
	if level {
		return p.Y == q.Y
	}
	return p.X == q.X
}

func beside(first, last Point, level bool, w int) []Point {
	if level {
		x := min(first.X, last.X) + (max(first.X-last.X, last.X-first.X)+1-w)/2
		return []Point{{x, first.Y - 1}, {x, first.Y + 1}}
	}
	y := (first.Y + last.Y) / 2
	return []Point{{first.X + 2, y}, {first.X + 2, first.Y}, {first.X + 2, last.Y}, {first.X - w - 1, y}}
}
