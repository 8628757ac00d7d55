//go:build linux

package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// The size of a cell and of the margin around the screen, in SVG units.
const (
	cellW  = 8.4
	cellH  = 17.0
	margin = 10.0
	ascent = 13.0 // From the top of a cell to the base line of its text.
)

// span is a run of neighbouring cells that look the same.
type span struct {
	x, cells int
	text     strings.Builder
	fg, bg   color.Color
	attrs    uint8
	under    bool
}

// drawSVG draws the terminal's screen. Every span is stretched to its cells, so that the columns stay straight
// with whatever font the reader has.
func drawSVG(t *terminal) []byte {
	var b bytes.Buffer
	width, height := float64(t.w)*cellW+2*margin, float64(t.h)*cellH+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.1f %.1f" `, width, height, width, height)
	b.WriteString(`font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="14">` + "\n")
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", hex(paper))
	for y := range t.h {
		for _, s := range spans(t, y) {
			s.draw(&b, margin+float64(y)*cellH)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// spans cuts a line of the screen where the look changes. Characters of several cells stand alone.
func spans(t *terminal, y int) []*span {
	var all []*span
	for x := 0; x < t.w; {
		content, width := cellAt(t, x, y)
		next := look(t.screen.CellAt(x, y))
		next.x = x
		last := len(all) - 1
		if last >= 0 && width == 1 && all[last].joins(next) {
			all[last].text.WriteString(content)
			all[last].cells++
		} else {
			next.text.WriteString(content)
			next.cells = width
			all = append(all, next)
		}
		x += width
	}
	return all
}

// look returns an empty span with the colours and attributes of a cell.
func look(cell *uv.Cell) *span {
	s := &span{fg: ink, bg: paper}
	if cell == nil {
		return s
	}
	if cell.Style.Fg != nil {
		s.fg = cell.Style.Fg
	}
	if cell.Style.Bg != nil {
		s.bg = cell.Style.Bg
	}
	s.attrs = cell.Style.Attrs
	s.under = cell.Style.Underline != uv.UnderlineNone
	if s.attrs&uv.AttrReverse != 0 {
		s.fg, s.bg = s.bg, s.fg
	}
	return s
}

func (s *span) joins(o *span) bool {
	return s.cells == len([]rune(s.text.String())) && hex(s.fg) == hex(o.fg) && hex(s.bg) == hex(o.bg) &&
		s.attrs == o.attrs && s.under == o.under
}

// draw writes the span with the top of its cells at y.
func (s *span) draw(b *bytes.Buffer, y float64) {
	x, w := margin+float64(s.x)*cellW, float64(s.cells)*cellW
	if hex(s.bg) != hex(paper) {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, w, cellH, hex(s.bg))
	}
	text := s.text.String()
	if strings.TrimSpace(text) == "" && !s.under {
		return
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve" fill="%s"`,
		x, y+ascent, w, hex(s.fg))
	if s.attrs&uv.AttrBold != 0 {
		b.WriteString(` font-weight="bold"`)
	}
	if s.attrs&uv.AttrItalic != 0 {
		b.WriteString(` font-style="italic"`)
	}
	if s.attrs&uv.AttrFaint != 0 {
		b.WriteString(` opacity="0.6"`)
	}
	if s.under {
		b.WriteString(` text-decoration="underline"`)
	}
	b.WriteByte('>')
	// Writing to a buffer does not fail.
	_ = xml.EscapeText(b, []byte(text))
	b.WriteString("</text>\n")
}

// hex returns a colour as SVG writes it.
func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
