package widget

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

// barGlyphs contains the columns of a chart. The highest one does not fill the line, so that charts on adjacent lines
// remain separate.
var barGlyphs = []string{"▁", "▂", "▃", "▄", "▅", "▆"}

// Sparkline draws numbers as columns of one cell each, relative to the largest number. Only zero is blank: every
// positive number is visible. Negative numbers count as zero.
func Sparkline(numbers []int) string {
	largest := 0
	for _, n := range numbers {
		largest = max(largest, n)
	}
	var b strings.Builder
	for _, n := range numbers {
		if n <= 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteString(barGlyphs[min((n*len(barGlyphs)-1)/largest, len(barGlyphs)-1)])
	}
	return b.String()
}

// BarOf draws n as a bar relative to largest, at most w cells wide. The bar of a positive number has at least one cell.
// It is lower than its line, so that bars on adjacent lines remain separate.
func BarOf(n, largest, w int) string {
	if n <= 0 || largest <= 0 || w <= 0 {
		return ""
	}
	return strings.Repeat("▆", min(max(int(float64(n)/float64(largest)*float64(w)+0.5), 1), w))
}

// A StatusBar is the bottom line, with the result of the last operation and the keys of the most important actions. The
// zero StatusBar is a blank line.
type StatusBar struct {
	Facts []string // "50 items", "6.5 RCU", "12 ms"; most important first
	Role  Role     // role of the first fact; RoleBad for an error
	Hints Actions  // most important first
}

// Render draws the bar as one line of exactly w cells. If space is short, it omits facts from the end, except the first
// one.
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

// Fits reports whether a bar of w cells has room for the whole first fact and all hints.
func (b StatusBar) Fits(w int) bool {
	return models.Width(b.Facts[0]) <= w-2 && len(b.Hints.hints(b.hintRoom(w))) == len(b.Hints.hints(w))
}

// Hit returns the action whose hint is at position x in a bar of w cells.
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

// Bind returns a binding of keys. help is their spelling in hints and on the help screen.
func Bind(help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, ""))
}

// Hint returns an action for the bottom line. The screen handles its keys itself. If keys is empty, help is the key.
func Hint(help, desc string, keys ...string) Action {
	if len(keys) == 0 {
		keys = []string{help}
	}
	return Action{Name: desc, Binding: Bind(help, keys...), Desc: desc}
}

// BlankLine returns w spaces.
func BlankLine(w int) string { return strings.Repeat(" ", max(w, 0)) }

// Indent shifts a block one cell to the right and fits it into w by h cells.
func Indent(block string, w, h int) string {
	if w <= 1 || h <= 0 {
		return Place("", w, h)
	}
	return Columns(Place("", 1, h), Place(block, w-1, h))
}

// MoveCursor returns a copy of the cursor shifted by x, y. It returns nil for nil.
func MoveCursor(c *tea.Cursor, x, y int) *tea.Cursor {
	if c == nil {
		return nil
	}
	at := *c
	at.X += x
	at.Y += y
	return &at
}

// A Kind is the meaning of a lifecycle state. A symbol, a word and a color show it, in this order of importance.
type Kind uint8

// These are the kinds.
const (
	KindOpen  Kind = iota // not final
	KindGood              // final, successful
	KindBad               // final, unsuccessful
	KindFinal             // final, neutral
)

// kinds contains the name of each kind in a schema and its appearance. Each symbol is different and one cell wide, so
// that the meaning is visible without colors.
var kinds = [...]struct {
	name, glyph string
	role        Role
}{
	KindOpen:  {"open", "◐", RoleInfo},
	KindGood:  {"good", "✓", RoleGood},
	KindBad:   {"bad", "✗", RoleBad},
	KindFinal: {"final", "■", RoleMuted},
}

// KindOf returns the kind for "open", "good", "bad" or "final" in a schema. Any other name means open, because a
// schema may omit the kind of a state.
func KindOf(name string) Kind {
	for k := range kinds {
		if kinds[k].name == name {
			return Kind(k)
		}
	}
	return KindOpen
}

// Glyph returns the symbol of the kind.
func (k Kind) Glyph() string { return kinds[k].glyph }

// Role returns the role for text of this kind.
func (k Kind) Role() Role { return kinds[k].role }

// Badge returns a grid cell for a state.
func Badge(k Kind, state string) Cell {
	return Cell{Text: k.Glyph() + " " + state, Role: k.Role()}
}

// Fill returns a badge as styled text on its own background color, with a space at each end. Screens use it for their
// main state, but not in lists.
func (s *Styles) Fill(badge Cell) string {
	return s.PaintOn(badge.Role, SurfaceFill, " "+badge.Text+" ")
}

// Badge returns a state as styled text.
func (s *Styles) Badge(k Kind, state string) string {
	c := Badge(k, state)
	return s.Paint(c.Role, c.Text)
}
