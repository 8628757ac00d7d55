package tuitest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// recorder shows the messages it got, newest first.
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
		tt.Type("ab")
		tt.Paste("two\nlines")
		tt.Click(7, 2)
		tt.Wheel(1, 1, true)
		tt.Wheel(1, 1, false)
		tt.Golden("events")
		if x, y, visible := tt.Cursor(); x != 3 || y != 1 || !visible {
			t.Errorf("cursor at %d,%d, visible %v", x, y, visible)
		}
	})
}

func TestTerminalResizesAndKeepsFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		tt := tuitest.New(t, recorder{}, tuitest.Size{W: 20, H: 5}, tuitest.WithAnswers())
		tt.Resize(40, 10)
		tt.Advance(time.Minute)
		tt.WaitFor("40x10 ticks 60 日本")
		if x, y, ok := tt.Find("本"); !ok || x != 17 || y != 0 {
			t.Errorf("a wide character is found at %d,%d, %v", x, y, ok)
		}
		if d := time.Since(start); d > 2*time.Minute {
			t.Errorf("%v of fake time passed", d)
		}
	})
}

func TestTerminalSeesTheProgramEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, recorder{}, tuitest.Size{W: 20, H: 5})
		if _, ended := tt.Exited(); ended {
			t.Fatal("ended before it was asked to")
		}
		tt.Press("q")
		if _, ended := tt.Exited(); !ended {
			t.Fatal("did not end")
		}
	})
}

func TestDrawShowsWhatATerminalMakesOfAView(t *testing.T) {
	got := tuitest.Draw("ab\rX\n日", 4, 2)
	if got[0] != "Xb  " || got[1] != "日  " {
		t.Errorf("Draw = %q", got)
	}
	tuitest.Fits(t, "ab\n日", 2, 2)
}
