package tui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
)

// newShapes returns a fixture with a case in review for every hostile shape.
func newShapes(t testing.TB) (*queueFixture, []hostile.Shape) {
	w := newQueueFixture(t, 0)
	shapes := hostile.Shapes()
	for i, s := range shapes {
		w.put(i+1, "in_review", s.Attributes)
	}
	return w, shapes
}

// pressKeys presses keys and waits for the effect of each.
func (s *stage) pressKeys(keys ...string) {
	for _, k := range keys {
		s.press(k)
		s.waitIdle()
		_ = s.m.View()
	}
}

// waitIdle delivers messages until there are no more.
func (s *stage) waitIdle() {
	for {
		select {
		case msg := <-s.answers:
			s.send(msg)
		case <-time.After(300 * time.Millisecond): // In a bubble, this takes no time.
			return
		}
	}
}

// backToRows presses esc until only home and the workbench remain.
func (s *stage) backToRows() {
	s.t.Helper()
	for n := 0; len(s.m.screens.stack) > 2; n++ {
		if n > 5 {
			s.t.Fatalf("esc did not go back to the rows:\n%s", ansi.Strip(s.m.View().Content))
		}
		s.pressKeys("esc")
	}
}

// inBubble runs a test on a stage in a bubble, so that waiting takes no time.
func inBubble(t *testing.T, w *queueFixture, run func(t *testing.T, s *stage)) {
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		s := newStage(t, w)
		run(t, s)
		s.m.close()
		time.Sleep(25 * time.Hour) // Pending timers expire.
	})
}

// checkFrames checks a frame at two sizes in turn.
func (s *stage) checkFrames(t *testing.T, place string) {
	t.Helper()
	size := tea.WindowSizeMsg{Width: 80, Height: 24}
	if s.m.w == size.Width {
		size = tea.WindowSizeMsg{Width: 120, Height: 40}
	}
	s.m.update(size)
	wantSafeFrame(t, s.m, place)
}

// TestEveryItemShapeOpens opens every shape from the rows. It uses all operations on every third shape, or on all with
// DDBDESK_TEST_EVERYTHING.
func TestEveryItemShapeOpens(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short skips tests that draw one frame after another")
	}
	w, shapes := newShapes(t)
	inBubble(t, w, func(t *testing.T, s *stage) {
		toRows(s)
		s.waitIdle()
		for i, shape := range shapes {
			s.checkFrames(t, shape.Name+" among the rows")
			s.pressKeys("v", "r", "down", "pgdown")
			s.checkFrames(t, shape.Name+" in the box of values")
			s.pressKeys("esc", "enter")
			if i%3 != 0 && !testEverything() {
				s.checkFrames(t, shape.Name+" opened")
				s.pressKeys("5", "pgdown", "G")
				s.checkFrames(t, shape.Name+" as it is stored")
				s.backToRows()
				s.pressKeys("down")
				continue
			}
			for _, tab := range []string{"1", "2", "3", "4", "5"} {
				s.pressKeys(tab, "pgdown", "down")
				s.checkFrames(t, shape.Name+" on tab "+tab)
				s.pressKeys("G", "g")
			}
			s.pressKeys("1", "z", "/", "x", "enter", "n")
			s.checkFrames(t, shape.Name+" filtered")
			s.pressKeys("esc", "y")
			s.checkFrames(t, shape.Name+" in the copy menu")
			s.pressKeys("j", "y", "d", "y", "c", "y", "v", "E")
			s.checkFrames(t, shape.Name+" to export")
			s.pressKeys("esc", "o")
			s.checkFrames(t, shape.Name+" with its actions")
			s.pressKeys("esc", "=", "enter")
			s.checkFrames(t, shape.Name+" compared")
			s.backToRows()
			s.pressKeys("down")
		}
		s.pressKeys(":")
		s.checkFrames(t, "recent items in the palette")
		s.pressKeys("esc", ":visited")
		s.checkFrames(t, "the history")
	})
}
