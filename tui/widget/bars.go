package widget

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// StatusBar is the bottom line: what just happened, and the keys of the most
// important actions. The zero StatusBar is a blank line.
type StatusBar struct {
	Facts []string // "50 items", "6.5 RCU", "12 ms": the most important first
	Role  Role     // of the first fact; RoleBad for an error
	Hints Actions  // the most important first
}

// Render draws the bar in one line of exactly w cells. If there is not enough
// room, it drops facts from the end, but never the first.
func (b StatusBar) Render(s *Styles, w int) string {
	if w <= 0 {
		return ""
	}
	first, rest := "", []string(nil)
	if len(b.Facts) > 0 {
		first, rest = b.Facts[0], b.Facts[1:]
	}
	firstWidth := textWidth(first, max(w-2, 0))
	hints := b.Hints.Hints(s, SurfaceBar, b.hintRoom(w))
	hintsWidth := models.Width(hints)
	tail := ""
	for len(rest) > 0 {
		tail = " · " + strings.Join(rest, " · ")
		if 1+firstWidth+textWidth(tail, w)+3+hintsWidth <= w {
			break
		}
		rest = rest[:len(rest)-1]
		tail = ""
	}
	var out strings.Builder
	out.WriteString(s.PaintOn(RoleText, SurfaceBar, " "))
	text, _ := cellText(first, max(w-2, 0))
	out.WriteString(s.PaintOn(b.Role, SurfaceBar, text) + s.PaintOn(RoleMuted, SurfaceBar, tail))
	gap := w - 1 - firstWidth - textWidth(tail, w) - hintsWidth - 1
	s.writeCell(&out, RoleText, SurfaceBar, "", gap, AlignLeft)
	out.WriteString(hints + s.PaintOn(RoleText, SurfaceBar, " "))
	return fitStyled(out.String(), w)
}

func (b StatusBar) hintRoom(w int) int {
	first := ""
	if len(b.Facts) > 0 {
		first = b.Facts[0]
	}
	return max(w-textWidth(first, max(w-2, 0))-5, 0)
}

// Hit returns the action whose hint is at column x of a bar of w cells.
func (b StatusBar) Hit(w, x int) (Action, bool) {
	list := b.Hints.hints(b.hintRoom(w))
	if len(list) == 0 {
		return Action{}, false
	}
	start := w - 1 - list[len(list)-1].to
	for _, h := range list {
		if x >= start+h.from && x < start+h.to {
			return h.Action, true
		}
	}
	return Action{}, false
}
