package paint

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// anchor positions the cursor after emoji of several code points, which older terminals show side by side. The excess
// is overwritten, and no line grows beyond the margin.
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
		if x+wide > s.width { // It would continue on the next line.
			c.Content = ansi.ResetModeAutoWrap + c.Content + ansi.SetModeAutoWrap
		}
		if next < s.width {
			c.Content += ansi.CursorHorizontalAbsolute(next + 1)
		}
	}
}
