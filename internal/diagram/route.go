package diagram

import (
	"cmp"
	"slices"
)

// Directions, clockwise.
const (
	right = iota
	down
	left
	up
)

var steps = [4]Point{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}

func (p Point) step(dir int) Point { return Point{p.X + steps[dir].X, p.Y + steps[dir].Y} }

// What a part of a line costs. A shared cell is cheapest, so that lines to the
// same state become one; lines from the same state part early, so that each has room for its label.
const (
	costShared = 1
	costStep   = 2
	costBend   = 8
	costCross  = 14
	costFork   = 3  // a level cell shared with a line that comes from the same state
	costPort   = 12 // leaving a state in a second place
	costBeside = 3  // a cell beside a box that the line has nothing to do with
)

// A pass is the way of a line through a cell.
type pass struct {
	edge, in, out int
	last          bool // the arrow
}

// A router finds the cells of lines, one line after the other.
type router struct {
	g      Graph
	boxes  []Rect
	w, h   int
	owner  []int    // node of each cell, -1 for none
	passes [][]pass // lines through each cell
	paths  [][]Point
	best   []int // cost of the best known way to a cell in a direction
	from   []int // the state before it
	work   *int  // steps that are left
}

func newRouter(g Graph, boxes []Rect, w, h int, work *int) *router {
	r := &router{g: g, boxes: boxes, w: w, h: h, work: work}
	r.owner, r.passes, r.paths = make([]int, w*h), make([][]pass, w*h), make([][]Point, len(g.Edges))
	for i := range r.owner {
		r.owner[i] = -1
	}
	for n, b := range boxes {
		for y := b.Y; y < b.Y+b.H; y++ {
			for x := b.X; x < b.X+b.W; x++ {
				r.owner[y*w+x] = n
			}
		}
	}
	r.best, r.from = make([]int, 4*w*h), make([]int, 4*w*h)
	return r
}

// routeAll routes lines of a higher rank first, so that they are straight, then short ones.
func (r *router) routeAll(ly layering) bool {
	order := make([]int, len(r.g.Edges))
	for i := range order {
		order[i] = i
	}
	span := func(i int) int {
		e := r.g.Edges[i]
		if d := ly.of[e.To] - ly.of[e.From]; d > 0 {
			return d
		}
		return len(r.g.Nodes)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.g.Edges[b].Rank, r.g.Edges[a].Rank), cmp.Compare(span(a), span(b)))
	})
	for _, i := range order {
		if r.g.Edges[i].From != r.g.Edges[i].To && !r.route(i, ly.of[r.g.Edges[i].To] <= ly.of[r.g.Edges[i].From]) {
			return false
		}
	}
	return true
}

func (r *router) inside(p Point) bool { return p.X >= 0 && p.Y >= 0 && p.X < r.w && p.Y < r.h }

// A junction is what the lines of a cell do together.
type junction struct{ level, upright, bend bool }

func (j *junction) add(in, out int) {
	j.bend = j.bend || in != out
	j.level = j.level || in == out && in%2 == right
	j.upright = j.upright || in == out && in%2 == down
}

// fits allows lines to share a cell if they come the same way from the same state, go the same way to the same one,
// or cross. A crossing must not look like a fork.
func (r *router) fits(edge int, at Point, in, out int, last bool) (cost int, ok bool) {
	cost = costStep
	crossed, e := 0, r.g.Edges[edge]
	var j junction
	j.add(in, out)
	for _, p := range r.passes[at.Y*r.w+at.X] {
		o := r.g.Edges[p.edge]
		j.add(p.in, p.out)
		switch {
		case o.To == e.To && p.out == out:
			cost = costShared
		case last || p.last:
			return 0, false
		case o.From == e.From && p.in == in:
			if cost = costShared; out%2 == right {
				cost = costFork
			}
		case in == out && p.in == p.out && (in+p.in)%2 == 1:
			crossed += costCross
		default:
			return 0, false
		}
	}
	if j.bend && j.level && j.upright {
		return 0, false
	}
	if in != out {
		cost += costBend
	}
	if r.besides(at, e) {
		cost += costBeside
	}
	return cost + crossed, true
}

func (r *router) besides(at Point, e Edge) bool {
	for dir := range 4 {
		if n := at.step(dir); r.inside(n) {
			if o := r.owner[n.Y*r.w+n.X]; o >= 0 && o != e.From && o != e.To {
				return true
			}
		}
	}
	return false
}

// leaving and arriving are the costs of the sides of a box, by direction: a line goes from left to right unless it
// leads back.
var (
	leaving      = [4]int{0, 8, 40, 8}
	arriving     = [4]int{0, 8, 40, 8}
	leavingBack  = [4]int{8, 0, 8, 0}
	arrivingBack = [4]int{8, 0, 8, 0}
)

func side(b Rect, at Point, dir int, costs [4]int) (cost int, ok bool) {
	cost = costs[dir]
	if dir == left || dir == right {
		d := at.Y - (b.Y + b.H/2)
		return cost + 4*max(d, -d), at.Y > b.Y && at.Y < b.Y+b.H-1
	}
	d := at.X - (b.X + b.W/2)
	return cost + max(d, -d)/2, at.X > b.X && at.X < b.X+b.W-1
}

// A way is a place in the queue of the search: the cost so far, and a cell with the direction in which it was entered, as
// cell*4+direction. A finished way has the complement of that, for its last cell and last step.
type way struct{ cost, state int }

// A queue returns the ways with the smallest bound first. The bounds never decrease, so that one list for each is enough.
type queue struct {
	lists [][]way
	least int
}

func (q *queue) push(bound int, w way) {
	for len(q.lists) <= bound {
		q.lists = append(q.lists, nil)
	}
	q.lists[bound] = append(q.lists[bound], w)
}

func (q *queue) pop() (w way, ok bool) {
	for ; q.least < len(q.lists); q.least++ {
		if list := q.lists[q.least]; len(list) > 0 {
			w, q.lists[q.least] = list[len(list)-1], list[:len(list)-1]
			return w, true
		}
	}
	return way{}, false
}

// A search is the search for the way of one edge.
type search struct {
	*router
	edge           int
	source, target Rect
	out, into      [4]int // costs of the sides of the boxes
	queue          queue
}

func (r *router) route(edge int, back bool) bool {
	e := r.g.Edges[edge]
	s := search{router: r, edge: edge, source: r.boxes[e.From], target: r.boxes[e.To], out: leaving, into: arriving}
	if back {
		s.out, s.into = leavingBack, arrivingBack
	}
	for i := range r.best {
		r.best[i] = -1
	}
	*r.work -= len(r.best) / 16
	for dir := range 4 {
		for _, at := range borderOf(s.source, dir) {
			if cost, ok := side(s.source, at, dir, s.out); ok {
				if next := at.step(dir); s.left(e.From) && !s.leaves(next, e.From) {
					cost += costPort
				}
				s.reach(at.step(dir), dir, cost, -1)
			}
		}
	}
	for {
		w, ok := s.queue.pop()
		switch {
		case !ok || *r.work < 0:
			return false
		case w.state < 0:
			r.take(edge, ^w.state/4, ^w.state%4)
			return true
		case r.best[w.state] == w.cost:
			*r.work--
			s.extend(w)
		}
	}
}

func (r *router) left(node int) bool {
	for i, path := range r.paths {
		if path != nil && r.g.Edges[i].From == node {
			return true
		}
	}
	return false
}

func (r *router) leaves(at Point, node int) bool {
	return r.inside(at) && slices.ContainsFunc(r.passes[at.Y*r.w+at.X], func(p pass) bool {
		return r.g.Edges[p.edge].From == node && r.paths[p.edge][1] == at
	})
}

func (s *search) reach(at Point, dir, cost, from int) {
	if !s.inside(at) || s.owner[at.Y*s.w+at.X] >= 0 {
		return
	}
	state := (at.Y*s.w+at.X)*4 + dir
	if s.best[state] < 0 || cost < s.best[state] {
		s.best[state], s.from[state] = cost, from
		s.queue.push(cost+distance(at, s.target), way{cost, state})
	}
}

// extend ends a way at the target only without a bend, because an arrow is there.
func (s *search) extend(w way) {
	at, in := Point{w.state / 4 % s.w, w.state / 4 / s.w}, w.state%4
	for dir := range 4 {
		next := at.step(dir)
		if dir == (in+2)%4 || !s.inside(next) {
			continue
		}
		last := s.owner[next.Y*s.w+next.X] == s.g.Edges[s.edge].To
		cost, ok := s.fits(s.edge, at, in, dir, last)
		if !ok || last && dir != in {
			continue
		}
		if !last {
			s.reach(next, dir, w.cost+cost, w.state)
		} else if enter, ok := side(s.target, next, dir, s.into); ok {
			s.queue.push(w.cost+cost+enter, way{w.cost + cost + enter, ^(w.state*4 + dir)})
		}
	}
}

func borderOf(b Rect, dir int) []Point {
	var list []Point
	switch dir {
	case right, left:
		x := b.X
		if dir == right {
			x += b.W - 1
		}
		for y := b.Y; y < b.Y+b.H; y++ {
			list = append(list, Point{x, y})
		}
	default:
		y := b.Y
		if dir == down {
			y += b.H - 1
		}
		for x := b.X; x < b.X+b.W; x++ {
			list = append(list, Point{x, y})
		}
	}
	return list
}

func distance(p Point, b Rect) int {
	return max(b.X-p.X, p.X-(b.X+b.W-1), 0) + max(b.Y-p.Y, p.Y-(b.Y+b.H-1), 0)
}

func (r *router) take(edge, state, out int) {
	at := Point{state / 4 % r.w, state / 4 / r.w}
	path := []Point{at.step(out)}
	for last := true; ; last = false {
		in := state % 4
		r.passes[at.Y*r.w+at.X] = append(r.passes[at.Y*r.w+at.X], pass{edge, in, out, last})
		path = append(path, at)
		at = at.step((in + 2) % 4)
		out, state = in, r.from[state]
		if state < 0 {
			break
		}
	}
	path = append(path, at)
	slices.Reverse(path)
	r.paths[edge] = path
}
