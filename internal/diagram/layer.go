package diagram

import (
	"cmp"
	"slices"

	"github.com/charmbracelet/x/ansi"
)

// layering is the abstract part of a layout: which layer a node is in, and the order of the nodes of a layer.
type layering struct {
	of     []int   // layer of each node
	layers [][]int // nodes of each layer, from top to bottom
	back   []bool  // edges that lead back, which the layers ignore
}

// layersOf puts each node into the layer of the longest way to it. Edges that close a cycle do not count.
func layersOf(g Graph) layering {
	ly := layering{of: make([]int, len(g.Nodes)), back: make([]bool, len(g.Edges))}
	for _, n := range ly.finished(g) {
		for _, e := range outOf(g, n) {
			if !ly.back[e] {
				ly.of[g.Edges[e].To] = max(ly.of[g.Edges[e].To], ly.of[n]+1)
			}
		}
	}
	for n, layer := range ly.of {
		for len(ly.layers) <= layer {
			ly.layers = append(ly.layers, nil)
		}
		ly.layers[layer] = append(ly.layers[layer], n)
	}
	ly.untangle(g)
	return ly
}

func (ly *layering) finished(g Graph) []int {
	const open, closed = 1, 2
	state := make([]int, len(g.Nodes))
	var order []int
	var visit func(n int)
	visit = func(n int) {
		state[n] = open
		for _, e := range outOf(g, n) {
			switch to := g.Edges[e].To; state[to] {
			case open:
				ly.back[e] = true
			case 0:
				visit(to)
			}
		}
		state[n] = closed
		order = append(order, n)
	}
	for _, initial := range []bool{true, false} {
		for n := range g.Nodes {
			if g.Nodes[n].Initial == initial && state[n] == 0 {
				visit(n)
			}
		}
	}
	slices.Reverse(order)
	return order
}

func outOf(g Graph, n int) []int {
	var list []int
	for i, e := range g.Edges {
		if e.From == n {
			list = append(list, i)
		}
	}
	return list
}

// sweeps is how often the nodes of all layers are sorted by their neighbors.
const sweeps = 6

// untangle orders the nodes of each layer by the places of their neighbors, down and up, and keeps the order with the
// fewest crossings.
func (ly *layering) untangle(g Graph) {
	best, fewest := cloneLayers(ly.layers), ly.crossings(g)
	for i := range sweeps {
		for k := range ly.layers {
			layer := ly.layers[k]
			if i%2 == 1 {
				layer = ly.layers[len(ly.layers)-1-k]
			}
			ly.sortLayer(g, layer)
		}
		if n := ly.crossings(g); n < fewest {
			best, fewest = cloneLayers(ly.layers), n
		}
	}
	ly.layers = best
}

func cloneLayers(layers [][]int) [][]int {
	all := make([][]int, len(layers))
	for i := range layers {
		all[i] = slices.Clone(layers[i])
	}
	return all
}

func (ly *layering) sortLayer(g Graph, layer []int) {
	place := ly.places(len(g.Nodes))
	mean := map[int]float64{}
	for _, n := range layer {
		sum, count := 0.0, 0
		for _, e := range g.Edges {
			other := e.To
			if e.To == n {
				other = e.From
			} else if e.From != n {
				continue
			}
			if ly.of[other] != ly.of[n] {
				sum, count = sum+float64(place[other]), count+1
			}
		}
		mean[n] = float64(place[n])
		if count > 0 {
			mean[n] = sum / float64(count)
		}
	}
	slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
}

func (ly *layering) places(n int) []int {
	place := make([]int, n)
	for _, layer := range ly.layers {
		for i, node := range layer {
			place[node] = i
		}
	}
	return place
}

func (ly *layering) crossings(g Graph) int {
	place, n := ly.places(len(g.Nodes)), 0
	for i, a := range g.Edges {
		for _, b := range g.Edges[:i] {
			if ly.of[a.From] == ly.of[b.From] && ly.of[a.To] == ly.of[b.To] &&
				(place[a.From]-place[b.From])*(place[a.To]-place[b.To]) < 0 {
				n++
			}
		}
	}
	return n
}

// placement gives the nodes of a layering their boxes.
type placement struct {
	g     Graph
	width int
	room  Point // cells added to the distances
	boxes []Rect
}

// The smallest distances between boxes, in cells.
const (
	betweenLayers = 4 // a line and its arrow
	betweenNodes  = 1
	betweenBands  = 2
	around        = 2
)

func (p *placement) place(ly layering) (boxes []Rect, h int, ok bool) {
	p.boxes = make([]Rect, len(p.g.Nodes))
	for i, n := range p.g.Nodes {
		p.boxes[i] = Rect{W: 4, H: max(len(n.Lines), 1) + 2}
		for _, line := range n.Lines {
			p.boxes[i].W = max(p.boxes[i].W, ansi.StringWidth(line)+4)
		}
	}
	side := min(around, max((p.width-p.widest(ly.layers))/2, 0))
	y := around + p.room.Y
	for first := 0; first < len(ly.layers); {
		end, xs, ok := p.band(ly, first, side)
		if !ok {
			return nil, 0, false
		}
		y = p.rows(ly, first, end, xs, y) + betweenBands + p.room.Y
		first = end
	}
	return p.boxes, y + around, true
}

func (p *placement) widest(layers [][]int) int {
	w := 0
	for _, layer := range layers {
		w = max(w, p.layerWidth(layer))
	}
	return w
}

func (p *placement) layerWidth(layer []int) int {
	w := 0
	for _, n := range layer {
		w = max(w, p.boxes[n].W)
	}
	return w
}

// band returns the layers that fit side by side. A later band begins below the state that leads to it, if it is
// narrow enough.
func (p *placement) band(ly layering, first, side int) (end int, xs []int, ok bool) {
	x := side
	for end = first; end < len(ly.layers); end++ {
		if end > first {
			x += p.gap(ly, end)
		}
		w := p.layerWidth(ly.layers[end])
		if x+w > p.width-side {
			break
		}
		xs = append(xs, x)
		x += w
	}
	if end == first {
		return 0, nil, false
	}
	if first > 0 {
		last := xs[len(xs)-1] + p.layerWidth(ly.layers[end-1])
		shift := min(p.width-side-last, p.above(ly, first)-side)
		for i := range xs {
			xs[i] += max(shift, 0)
		}
	}
	return end, xs, true
}

func (p *placement) above(ly layering, first int) int {
	for _, e := range p.g.Edges {
		if ly.of[e.From] == first-1 && ly.of[e.To] == first {
			return p.boxes[e.From].X
		}
	}
	return 0
}

func (p *placement) gap(ly layering, layer int) int {
	gap := betweenLayers + p.room.X
	for _, e := range p.g.Edges {
		if ly.of[e.To] != layer || ly.of[e.From] != layer-1 || e.Label == "" {
			continue
		}
		w := ansi.StringWidth(e.Label) + 2
		if len(outOf(p.g, e.From)) > 1 {
			w += 2 // the line forks before its label
		}
		gap = max(gap, w+p.room.X)
	}
	return gap
}

func (p *placement) rows(ly layering, first, end int, xs []int, y int) int {
	bottom := y
	for k := first; k < end; k++ {
		next := y
		w := p.layerWidth(ly.layers[k])
		for _, n := range ly.layers[k] {
			at := next
			for _, e := range p.g.Edges {
				if e.To == n && ly.of[e.From] == k-1 && k > first {
					at = max(at, p.boxes[e.From].Y)
					break
				}
			}
			p.boxes[n].X, p.boxes[n].Y = xs[k-first], at
			if len(ly.layers[k]) > 1 {
				p.boxes[n].W = w
			}
			next = at + p.boxes[n].H + betweenNodes + p.room.Y/2
			bottom = max(bottom, at+p.boxes[n].H)
		}
	}
	return bottom
}
