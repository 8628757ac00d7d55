package diagram

import (
	"fmt"
	"html"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

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
