package widget

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestRectContainsItsCells(t *testing.T) {
	r := Rect{X: 2, Y: 3, W: 4, H: 2}
	for _, tt := range []struct {
		x, y int
		want bool
	}{{2, 3, true}, {5, 4, true}, {1, 3, false}, {6, 3, false}, {2, 2, false}, {2, 5, false}} {
		if got := r.Has(tt.x, tt.y); got != tt.want {
			t.Errorf("Has(%d, %d) = %v, want %v", tt.x, tt.y, got, tt.want)
		}
	}
	if got, want := r.Inner(), (Rect{X: 3, Y: 4, W: 2, H: 0}); got != want {
		t.Errorf("Inner() = %v, want %v", got, want)
	}
	if got, want := Centered(80, 24, 40, 30), (Rect{X: 20, Y: 0, W: 40, H: 30}); got != want {
		t.Errorf("Centered = %v, want %v", got, want)
	}
}

// mousePad is a Clickable that records its calls. Line 0 has no entry.
type mousePad struct {
	at  int
	log []string
}

func (m *mousePad) Click(x, y int) (second, ok bool) {
	m.log = append(m.log, fmt.Sprintf("click %d,%d", x, y))
	if y == 0 {
		return false, false
	}
	second, m.at = m.at == y, y
	return second, true
}

func (m *mousePad) Wheel(up bool) { m.log = append(m.log, fmt.Sprintf("wheel up=%v", up)) }

func (m *mousePad) Cursor() *tea.Cursor { return Caret(1, 0) }

// pressed returns the message of a command, or nil.
func pressed(cmd tea.Cmd) tea.Msg {
	if cmd == nil {
		return nil
	}
	return cmd()
}

func TestPanesSendMouseToContentUnderIt(t *testing.T) {
	text := func(s string) func() tea.Cmd {
		return func() tea.Cmd { return func() tea.Msg { return s } }
	}
	for _, tt := range []struct {
		name  string
		pane  Pane
		at    int // line of the cursor in the content
		x, y  int
		log   string
		sends tea.Msg
	}{
		{"click outside", Pane{Open: text("open")}, 0, 50, 1, "", nil},
		{"another entry", Pane{Open: text("open"), Moved: text("moved")}, 0, 12, 3, "click 2,1", "moved"},
		{"entry under the cursor", Pane{Open: text("open"), Moved: text("moved")}, 1, 12, 3, "click 2,1", "open"},
		{"unfocused pane", Pane{Open: text("open"), Unfocused: true}, 1, 12, 3, "click 2,1", nil},
		{"framed pane", Pane{Open: text("open"), Framed: true}, 1, 12, 4, "click 1,1", "open"},
		{"no entry", Pane{Other: func(x, y int) tea.Cmd {
			return func() tea.Msg { return fmt.Sprint("other ", x, ",", y) }
		}}, 0, 12, 2, "click 2,0", "other 2,0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pad := &mousePad{at: tt.at}
			focused := false
			tt.pane.Rect, tt.pane.Content = Rect{X: 10, Y: 2, W: 20, H: 10}, pad
			tt.pane.Focus = func() { focused = true }
			got := pressed(Panes{tt.pane}.Click(tt.x, tt.y))
			if log := strings.Join(pad.log, " "); log != tt.log || got != tt.sends {
				t.Errorf("the content received %q and the click sent %v, want %q and %v", log, got, tt.log, tt.sends)
			}
			if focused != (tt.log != "") {
				t.Errorf("focused = %v, want the clicked pane", focused)
			}
		})
	}
}

func TestPanesScrollAndShowCursor(t *testing.T) {
	left, right := &mousePad{}, &mousePad{}
	scrolled := 0
	ps := Panes{
		{Rect: Rect{W: 10, H: 5}, Content: left},
		{Rect: Rect{X: 10, W: 10, H: 5}, Framed: true, Content: right},
		{Rect: Rect{Y: 5, W: 20, H: 5}, Scroll: func(bool) { scrolled++ }},
	}
	ps.Wheel(3, 3, true)
	ps.Wheel(12, 0, false) // The pane includes its frame.
	ps.Wheel(12, 7, false)
	ps.Wheel(30, 30, false)
	if got := strings.Join(append(left.log, right.log...), ", "); got != "wheel up=true, wheel up=false" || scrolled != 1 {
		t.Errorf("the content received %q and scrolled %d times", got, scrolled)
	}
	if c := ps[1:].Cursor(); c == nil || c.X != 12 || c.Y != 1 {
		t.Errorf("Cursor() = %v", c)
	}
	if c := ps[2:].Cursor(); c != nil {
		t.Errorf("Cursor() of a pane without content = %v, want nil", c)
	}
}
