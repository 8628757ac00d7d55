package diagram

import "github.com/charmbracelet/x/ansi"

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
