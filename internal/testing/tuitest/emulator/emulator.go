// Package emulator compares frames with the terminal emulator of the tests, and avoids texts that the emulator draws
// differently from a terminal. Only tests import it.
package emulator

import (
	"fmt"
	"image/color"
	"regexp"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

var (
	keycaps = regexp.MustCompile(`[0-9#*]\x{fe0f}\x{20e3}`)
	marked  = regexp.MustCompile(`[\x20-\x7e]\p{M}+`)
)

// Text replaces text that the emulator draws differently from a terminal by text of the same width. The emulator draws
// a combining mark after ASCII in its own cell, so Text removes the mark. It converts keycaps to full-width digits.
func Text(text string) string {
	text = keycaps.ReplaceAllStringFunc(text, func(s string) string { return string(rune(s[0]) - '!' + '！') })
	return marked.ReplaceAllStringFunc(text, func(s string) string {
		cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		return s[:1] + s[len(cluster):]
	})
}

// Differs describes the first cell that differs between a screen of w by h cells and the frame, as a terminal with
// color profile p would draw it. It compares text, widths, colors and styles, and returns "" for no difference.
func Differs(at func(x, y int) *uv.Cell, w, h int, frame string, p colorprofile.Profile) string {
	want := uv.NewScreenBuffer(w, h)
	want.Method = ansi.GraphemeWidth
	uv.NewStyledString(frame).Draw(want, want.Bounds())
	for y := range h {
		for x := range w {
			expected, got := describeCell(want.CellAt(x, y), p), describeCell(at(x, y), p)
			if expected != got {
				return fmt.Sprintf("column %d of line %d shows %s, want %s", x, y, got, expected)
			}
		}
	}
	return ""
}

// describeCell describes the visible content of a cell.
func describeCell(c *uv.Cell, p colorprofile.Profile) string {
	if c == nil {
		return "nothing"
	}
	if c.Width == 0 {
		return "the rest of a wide character"
	}
	text, style := Text(c.Content), uv.ConvertStyle(c.Style, p)
	if text == " " { // a blank has no other visible attributes
		style.Attrs &= uv.AttrReverse | uv.AttrStrikethrough
		if style.Attrs == 0 && style.Underline == uv.UnderlineNone {
			style.Fg = nil
		}
	}
	return fmt.Sprintf("%+q of %d cells, %s on %s, attributes %d, underline %d", text, c.Width, hex(style.Fg), hex(style.Bg),
		style.Attrs, style.Underline)
}

func hex(c color.Color) string {
	if c == nil {
		return "-"
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
