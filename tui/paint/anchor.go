package paint

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// anchor has the terminal go to where the next cell is after each character of a
// line whose width depends on the terminal: emoji of several code points, which
// older terminals show one beside the other. What they show too much of is written
// over, and no line grows beyond the margin.
func (s *Screen) anchor(y int) {
	for x := range s.width {
		c := s.cells.CellAt(x, y)
		if c == nil || c.Width < 1 || len(c.Content) < 2 || utf8.RuneCountInString(c.Content) < 2 {
			continue
		}
		next, wide := x+c.Width, ansi.WcWidth.StringWidth(c.Content)
		if wide == c.Width {
			continue
		}
		if x+wide > s.width { // It would go on in the line below.
			c.Content = ansi.ResetModeAutoWrap + c.Content + ansi.SetModeAutoWrap
		}
		if next < s.width {
			c.Content += ansi.CursorHorizontalAbsolute(next + 1)
		}
	}
}
