package diagram_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/ddbdesk/ddbdesk/internal/diagram"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// text returns the lines of a drawing, and fails if one has another width than the layout.
func text(t *testing.T, l *diagram.Layout) string {
	t.Helper()
	var all strings.Builder
	for i, line := range l.Draw() {
		var b strings.Builder
		for _, run := range line {
			b.WriteString(run.Text)
		}
		if w := ansi.StringWidth(b.String()); w != l.W {
			t.Errorf("line %d has %d cells, not %d: %q", i, w, l.W, b.String())
		}
		all.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	return all.String()
}

func names(s *models.State) []string { return []string{s.Name} }

// check fails if a layout hides something: boxes that overlap or leave the drawing, a transition without a line, a line
// through a box, or lines of which a reader cannot tell where they lead.
func check(t *testing.T, g diagram.Graph, l *diagram.Layout, width int) {
	t.Helper()
	if l.W > width {
		t.Errorf("the drawing has %d cells in a width of %d", l.W, width)
	}
	box := map[diagram.Point]int{}
	for n, b := range l.Boxes {
		for y := b.Y; y < b.Y+b.H; y++ {
			for x := b.X; x < b.X+b.W; x++ {
				p := diagram.Point{X: x, Y: y}
				if other, taken := box[p]; taken {
					t.Fatalf("the boxes %d and %d overlap", n, other)
				}
				if x < 0 || y < 0 || x >= l.W || y >= l.H {
					t.Fatalf("the box %d leaves the drawing", n)
				}
				box[p] = n
			}
		}
	}
	ends := map[diagram.Point]int{} // cells before targets
	for i, e := range g.Edges {
		path := l.Paths[i]
		if e.From == e.To {
			continue
		}
		if len(path) < 3 {
			t.Fatalf("the edge %d is not drawn", i)
		}
		if from, to := path[0], path[len(path)-1]; box[from] != e.From || box[to] != e.To {
			t.Errorf("the edge %d is from box %d to box %d", i, box[from], box[to])
		}
		for k := 1; k < len(path); k++ {
			dx, dy := path[k].X-path[k-1].X, path[k].Y-path[k-1].Y
			if dx*dx+dy*dy != 1 {
				t.Fatalf("the edge %d jumps", i)
			}
			if n, in := box[path[k]]; in && k < len(path)-1 {
				t.Errorf("the edge %d passes through box %d", i, n)
			}
		}
		end := path[len(path)-2]
		if to, taken := ends[end]; taken && to != e.To {
			t.Errorf("two arrows share a cell")
		}
		ends[end] = e.To
	}
	checkShared(t, g, l)
}

// checkShared fails if a step belongs to two edges that have neither the source nor the target in common.
func checkShared(t *testing.T, g diagram.Graph, l *diagram.Layout) {
	t.Helper()
	type step struct{ a, b diagram.Point }
	of := map[step][]int{}
	for i, path := range l.Paths {
		for k := 1; k < len(path); k++ {
			s := step{path[k-1], path[k]}
			for _, other := range append(of[s], of[step{s.b, s.a}]...) {
				if g.Edges[other].From != g.Edges[i].From && g.Edges[other].To != g.Edges[i].To {
					t.Errorf("the edges %d and %d share a line", other, i)
				}
			}
			of[s] = append(of[s], i)
		}
	}
}

func TestLayoutOfRandomGraphs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	drawn := 0
	for range 40 {
		g := diagram.Graph{}
		for n := range 1 + random.IntN(12) {
			g.Nodes = append(g.Nodes, diagram.Node{
				Lines: []string{strings.Repeat("x", 1+random.IntN(20))}, Initial: n == 0, Heavy: random.IntN(9) == 0,
			})
		}
		for i := range random.IntN(2 * len(g.Nodes)) {
			e := diagram.Edge{From: random.IntN(len(g.Nodes)), To: random.IntN(len(g.Nodes)), Rank: random.IntN(3)}
			if random.IntN(2) == 0 {
				e.Label = fmt.Sprint("label ", i)
			}
			g.Edges = append(g.Edges, e)
		}
		width := 20 + random.IntN(180)
		l, err := diagram.New(g, width)
		if err != nil {
			continue
		}
		drawn++
		check(t, g, l, width)
		text(t, l)
	}
	if drawn < 25 {
		t.Errorf("only %d of 40 graphs were drawn", drawn)
	}
}

// Every lifecycle of the built-in profiles fits into the smallest width that draws graphs.
func TestLayoutOfBuiltInLifecycles(t *testing.T) {
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, lifecycle := range p.Lifecycles {
			for _, width := range []int{60, 96, 116, 156, 196} {
				g := diagram.Of(lifecycle, names)
				l, err := diagram.New(g, width)
				if err != nil {
					t.Errorf("%s in %d cells: %v", lifecycle.Name, width, err)
					continue
				}
				check(t, g, l, width)
			}
		}
	}
}

func TestLayoutTellsWhatDoesNotFit(t *testing.T) {
	g := diagram.Graph{Nodes: []diagram.Node{{Lines: []string{"a state with a long name"}}}}
	for _, width := range []int{0, 4, 20} {
		if _, err := diagram.New(g, width); err == nil {
			t.Errorf("a box of 28 cells fits into %d", width)
		}
	}
	for _, g := range []diagram.Graph{{}, {Nodes: make([]diagram.Node, 1000)}} {
		if _, err := diagram.New(g, 200); err == nil {
			t.Errorf("a graph of %d nodes has a layout", len(g.Nodes))
		}
	}
}

// A case that was reviewed: the way that it took is heavy and has times, the moves that are possible have keys.
func TestDrawGolden(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	g := diagram.Of(p.Lifecycles[0], names)
	way := []string{"created", "documents_uploading", "documents_complete", "submitted", "processing", "pending_review", "in_review"}
	at := map[string]int{}
	for i, s := range p.Lifecycles[0].States {
		at[s.Name] = i
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		for k := 1; k < len(way); k++ {
			if e.From == at[way[k-1]] && e.To == at[way[k]] {
				e.Label, e.Stroke, e.Rank = fmt.Sprintf("%d m", 7*k), diagram.Heavy, 2
			}
		}
		if e.From == at["in_review"] {
			e.Label, e.Rank = e.Transitions[0].Name, 1
		}
	}
	g.Nodes[at["in_review"]].Heavy = true
	for _, width := range []int{96, 116, 196} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			l, err := diagram.New(g, width)
			if err != nil {
				t.Fatal(err)
			}
			check(t, g, l, width)
			golden.RequireEqual(t, text(t, l))
		})
	}
}

func BenchmarkLayout(b *testing.B) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := diagram.New(diagram.Of(p.Lifecycles[0], names), 116); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLargest lays out a graph of the largest size that has a layout.
func BenchmarkLargest(b *testing.B) {
	var g diagram.Graph
	for range 48 {
		g.Nodes = append(g.Nodes, diagram.Node{Lines: []string{"a state of many"}})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 128 {
		g.Edges = append(g.Edges, diagram.Edge{From: random.IntN(48), To: random.IntN(48), Label: "label"})
	}
	for b.Loop() {
		_, _ = diagram.New(g, 196)
	}
}
