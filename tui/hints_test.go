package tui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Every hint of the status bar has a key that a click can press, and the click does something: the frame changes, or work
// starts.
func TestEveryHintCanBeClicked(t *testing.T) { //nolint:tparallel // The places share a database.
	t.Parallel()
	ward := newHostileWard(t)
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			for i := 0; ; i++ {
				s := newStage(t, ward)
				sc.way(s)
				a, x, ok := hintAt(s.m, i)
				if !ok {
					return
				}
				if keys := a.Binding.Keys(); len(keys) == 0 || !pressable(keys[0]) {
					t.Errorf("no click can press the keys %q of %s", keys, a.Desc)
				}
				before := s.m.View().Content
				cmd := s.m.update(tea.MouseClickMsg{X: x, Y: s.m.h - 1, Button: tea.MouseLeft})
				if cmd == nil && !s.changes(before) {
					t.Errorf("a click on %s %s does nothing", a.Keys(), a.Desc)
				}
			}
		})
	}
}

// changes reports whether the frame is another one, or becomes one with the next answers.
func (s *stage) changes(before string) bool {
	for s.m.View().Content == before {
		select {
		case msg := <-s.answers:
			s.send(msg)
		case <-time.After(time.Second):
			return false
		}
	}
	return true
}

func pressable(key string) bool {
	msg, ok := widget.Press(key)
	return ok && msg.String() == key
}

// hintAt returns the hint number i of the status bar, from the left, and a column of it.
func hintAt(m *Model, i int) (a widget.Action, x int, ok bool) {
	seen := ""
	for x := range m.w {
		a, ok := m.frame.statusBar().Hit(m.w, x)
		if name := fmt.Sprint(a.Name, a.Desc); ok && name != seen {
			if seen = name; i == 0 {
				return a, x, true
			}
			i--
		}
	}
	return widget.Action{}, 0, false
}
