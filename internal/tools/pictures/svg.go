//go:build linux

package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// These are the size of a cell and the margin around the screen, in SVG units.
const (
	cellW  = 8.4
	cellH  = 17.0
	margin = 10.0
	ascent = 13.0 // from the top of a cell to the base line of its text
)

// A span is a run of neighboring cells with the same look.
type span struct {
	x, cells   int
	text       strings.Builder
	fg, bg     color.Color
	attrs      uint8
	underlined bool
}

// A screen is the emulator's screen or a drawn text.
type screen interface {
	// CellAt returns a cell by its column and line, or nil for an empty one.
	CellAt(x, y int) *uv.Cell
}

// colors are the default colors of a terminal.
type colors struct{ Paper, Ink color.Color }

// dark and light are the colors of a dark and a light terminal.
var (
	dark  = colors{color.RGBA{0x16, 0x18, 0x21, 0xff}, color.RGBA{0xd6, 0xd9, 0xe0, 0xff}}
	light = colors{color.RGBA{0xfb, 0xfb, 0xf9, 0xff}, color.RGBA{0x24, 0x29, 0x33, 0xff}}
)

// cellsOf draws text with colors into w by h cells.
func cellsOf(text string, w, h int) screen {
	buffer := uv.NewScreenBuffer(w, h)
	buffer.Method = ansi.GraphemeWidth
	uv.NewStyledString(text).Draw(buffer, buffer.Bounds())
	return buffer
}

// svgFont contains the font attributes of an SVG element.
const svgFont = `font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="14"`

// svgOf draws a screen of w by h cells. It stretches every span to its cells, so that the columns are straight in any
// font.
func svgOf(s screen, w, h int, c colors) []byte {
	t := drawing{s, w, c}
	var b bytes.Buffer
	width, height := float64(w)*cellW+2*margin, float64(h)*cellH+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.1f %.1f" `, width, height,
		width, height)
	b.WriteString(svgFont + ">\n")
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", hex(c.Paper))
	for y := range h {
		for _, part := range t.spans(y) {
			part.draw(&b, c.Paper, margin+float64(y)*cellH)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// svgLines draws each line of a screen as an SVG fragment with its top at 0, or "" for an empty line. The lines have
// the width of svgOf and the height cellH.
func svgLines(s screen, w, h int, c colors) []string {
	t := drawing{s, w, c}
	lines := make([]string, h)
	for y := range h {
		var b bytes.Buffer
		for _, part := range t.spans(y) {
			part.draw(&b, c.Paper, 0)
		}
		lines[y] = b.String()
	}
	return lines
}

// svgWidth returns the width of a picture of w cells.
func svgWidth(w int) float64 { return float64(w)*cellW + 2*margin }

// A drawing is a screen with its colors.
type drawing struct {
	screen
	w int
	c colors
}

// spans splits a line of the screen where the look changes. Each wide character is its own span.
func (d drawing) spans(y int) []*span {
	var all []*span
	for x := 0; x < d.w; {
		cell := d.CellAt(x, y)
		text, width := cellText(cell)
		next := d.emptySpan(cell)
		next.x = x
		last := len(all) - 1
		if last >= 0 && width == 1 && all[last].canJoin(next) {
			all[last].text.WriteString(text)
			all[last].cells++
		} else {
			next.text.WriteString(text)
			next.cells = width
			all = append(all, next)
		}
		x += width
	}
	return all
}

// cellText returns the character of a cell and its width in cells, or a blank for an empty cell.
func cellText(cell *uv.Cell) (text string, width int) {
	if cell == nil || cell.Content == "" {
		return " ", 1
	}
	return cell.Content, max(1, cell.Width)
}

// emptySpan returns an empty span with the colors and attributes of a cell.
func (d drawing) emptySpan(cell *uv.Cell) *span {
	s := &span{fg: d.c.Ink, bg: d.c.Paper}
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
	s.underlined = cell.Style.Underline != uv.UnderlineNone
	if s.attrs&uv.AttrReverse != 0 {
		s.fg, s.bg = s.bg, s.fg
	}
	return s
}

func (s *span) canJoin(o *span) bool {
	return s.cells == len([]rune(s.text.String())) && hex(s.fg) == hex(o.fg) && hex(s.bg) == hex(o.bg) &&
		s.attrs == o.attrs && s.underlined == o.underlined
}

// draw writes the span; y is the top of its cells.
func (s *span) draw(b *bytes.Buffer, background color.Color, y float64) {
	x, w := margin+float64(s.x)*cellW, float64(s.cells)*cellW
	if hex(s.bg) != hex(background) {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, w, cellH, hex(s.bg))
	}
	text := s.text.String()
	if strings.TrimSpace(text) == "" && !s.underlined {
		return
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"`,
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
	if s.underlined {
		b.WriteString(` text-decoration="underline"`)
	}
	b.WriteByte('>')
	// Browsers remove plain spaces at the ends of a text, and stretch the rest. Writing to a buffer does not fail.
	_ = xml.EscapeText(b, []byte(strings.ReplaceAll(text, " ", "\u00a0")))
	b.WriteString("</text>\n")
}

// hex returns a color in SVG syntax.
func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
