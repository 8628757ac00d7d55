package tuitest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// recorder shows the messages that it received, newest first.
type recorder struct {
	w, h   int
	events []string
	ticks  int
}

type tickMsg struct{}

func (r recorder) Init() tea.Cmd { return tick() }

func tick() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} }) }

func (r recorder) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.w, r.h = msg.Width, msg.Height
	case tickMsg:
		r.ticks++
		return r, tick()
	case tea.KeyPressMsg:
		if msg.String() == "q" {
			return r, tea.Quit
		}
		r.events = append(r.events, "key "+msg.String())
	case tea.PasteMsg:
		r.events = append(r.events, fmt.Sprintf("paste %q", msg.Content))
	case tea.MouseClickMsg:
		r.events = append(r.events, fmt.Sprintf("click %d,%d", msg.X, msg.Y))
	case tea.MouseWheelMsg:
		r.events = append(r.events, "wheel "+msg.Button.String())
	}
	return r, nil
}

func (r recorder) View() tea.View {
	v := tea.NewView(fmt.Sprintf("%dx%d ticks %d 日本\n%s", r.w, r.h, r.ticks, strings.Join(r.events, "\n")))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.Cursor = tea.NewCursor(3, 1)
	return v
}

func TestTerminalDeliversInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, recorder{}, tuitest.Size{W: 50, H: 30})
		tt.WaitFor("50x30")
		tt.Press("enter", "esc", "up", "shift+tab", "ctrl+c", "alt+x", "G", "space", "pgdown", "f5", "?", "end")
		tt.TypeAhead("ab")
		tt.Paste("two\nlines")
		tt.Click(7, 2)
		tt.Wheel(1, 1, true)
		tt.Wheel(1, 1, false)
		tt.Golden("events")
		if x, y, visible := tt.Cursor(); x != 3 || y != 1 || !visible {
			t.Errorf("the cursor is at %d,%d, visible: %v", x, y, visible)
		}
	})
}

func TestTerminalResizesAndKeepsFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		tt := tuitest.New(t, recorder{}, tuitest.Size{W: 20, H: 5})
		tt.Resize(40, 10)
		tt.Advance(time.Minute)
		tt.WaitFor("40x10 ticks 60 日本")
		if x, y, ok := tt.Find("本"); !ok || x != 17 || y != 0 {
			t.Errorf("a wide character is at %d,%d, found: %v", x, y, ok)
		}
		if d := time.Since(start); d > 2*time.Minute {
			t.Errorf("%v of fake time passed, want at most 2m", d)
		}
	})
}

func TestTerminalDetectsProgramExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, recorder{}, tuitest.Size{W: 20, H: 5})
		if _, ended := tt.Exited(); ended {
			t.Fatal("the program ended before the request")
		}
		tt.Press("q")
		if _, ended := tt.Exited(); !ended {
			t.Fatal("the program did not end")
		}
	})
}

func TestDrawInterpretsControlCharacters(t *testing.T) {
	got := tuitest.Draw("ab\rX\n日", 4, 2)
	if got[0] != "Xb  " || got[1] != "日  " {
		t.Errorf("Draw() = %q", got)
	}
	tuitest.Fits(t, "ab\n日", 2, 2)
}

// cellsAgree fails if a terminal draws a text wider or narrower than measured, because it would move the text after it.
func cellsAgree(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	for _, cells := range []int{1, 2, 7, 40} {
		cell := models.PrintableCell(text, cells)
		line := cell + strings.Repeat(" ", max(cells-ansi.StringWidth(cell), 0)) + "│"
		tuitest.RendersExactly(t, line, cells+1, 1)
	}
}

// withoutSpacingMarks removes spacing marks, whose width differs between terminals.
func withoutSpacingMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mc, r) {
			return -1
		}
		return r
	}, text)
}

func TestPictureWidthMatchesCells(t *testing.T) {
	for _, s := range hostile.Texts() {
		t.Run(s.Name, func(t *testing.T) { cellsAgree(t, withoutSpacingMarks(s.Text)) })
	}
}

func TestEmulatorWidthMatchesCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { cellsAgree(t, withoutSpacingMarks(hostile.Generator().Draw(t, "text"))) })
}

// A view must not affect the terminal of the next view, which Draw uses again.
func TestDrawErasesPreviousFrame(t *testing.T) {
	parts := []string{
		"a", "B", " ", "日", "é", "\n", "\n\n", "\x1b[1m", "\x1b[38;2;1;2;3m", "\x1b[m", "\x1b[4:3m", "\x1b", "\x1b[", "\x1b[5", "\x1b[?7l", "\x1b[4h",
		"\x1b[2;3r", "\x1b[?1049h", "\x1b(0", "\x1b]0;x", "\x1bP", "\x0e", "\r", "\t", "\u009b", "\xff", "abcdefgh",
		"\x1b[?6h", "\x1b[20h", "\x1b[2;2H", "\x1b7", "\x1b[?1047h", "\x1bH", "\x1b[3g",
	}
	check := func(t interface{ Fatalf(string, ...any) }, before string, w, h int) {
		tuitest.Draw(before, w, h)
		got := tuitest.Draw("A\x1b[1mB日\n1\n2", 5, 3)
		if got[0] != "AB日 " || got[1] != "1    " || got[2] != "2    " {
			t.Fatalf("after %q: got %q", before, got)
		}
	}
	for _, part := range parts {
		check(t, part, 5, 4)
	}
	rapid.Check(t, func(t *rapid.T) {
		before := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8).Draw(t, "before"), "")
		check(t, before, rapid.IntRange(4, 9).Draw(t, "width"), rapid.IntRange(4, 6).Draw(t, "height"))
	})
}
