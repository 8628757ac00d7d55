package tui

import (
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// clickHints clicks each hint in the status bar that is not in clicked. A click must press the key of the hint, and
// change the frame or start work.
func clickHints(t *testing.T, s *stage, second func() *stage, clicked map[string]bool) {
	t.Helper()
	for i := 0; ; i++ {
		a, _, ok := hintAt(s.m, i)
		if !ok {
			return
		}
		name := fmt.Sprintf("%T %s %s", s.m.top().screen, a.Name, a.Desc)
		if clicked[name] && !testEverything() {
			continue
		}
		clicked[name] = true
		if keys := a.Binding.Keys(); len(keys) == 0 || !isPressable(keys[0]) {
			t.Errorf("no click can press %q of %s", keys, a.Desc)
		}
		on := second()
		x := on.columnOf(a)
		before := on.m.View().Content
		cmd := on.m.update(tea.MouseClickMsg{X: x, Y: on.m.h - 1, Button: tea.MouseLeft})
		if cmd == nil && !on.changes(before) {
			t.Errorf("a click on %s %s has no effect", a.Keys(), a.Desc)
		}
	}
}

// columnOf returns a column of a hint, once the place has it. A list that is still empty has fewer hints.
func (s *stage) columnOf(want widget.Action) int {
	s.t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		for i := 0; ; i++ {
			a, x, ok := hintAt(s.m, i)
			if !ok {
				break
			}
			if a.Name == want.Name && a.Desc == want.Desc {
				return x
			}
		}
		select {
		case msg := <-s.answers:
			s.send(msg)
		case <-timeout:
			s.t.Fatalf("no hint %s %s", want.Keys(), want.Desc)
		}
	}
}

// changes reports whether the frame differs from before, immediately or after the next messages.
func (s *stage) changes(before string) bool {
	timeout := time.After(20 * time.Second) // A list that is read every second has no last answer.
	for s.m.View().Content == before {
		select {
		case msg := <-s.answers:
			s.send(msg)
		case <-time.After(time.Second):
			return false
		case <-timeout:
			return false
		}
	}
	return true
}

func isPressable(key string) bool {
	msg, ok := widget.Press(key)
	return ok && msg.String() == key
}

// hintAt returns hint i of the status bar, from the left, and one of its columns.
func hintAt(m *Model, i int) (a widget.Action, x int, ok bool) {
	previous, bar := "", m.screenBar()
	for x := range m.w {
		a, ok := bar.Hit(m.w, x)
		if name := fmt.Sprint(a.Name, a.Desc); ok && name != previous {
			if previous = name; i == 0 {
				return a, x, true
			}
			i--
		}
	}
	return widget.Action{}, 0, false
}

// On every screen with panes or tabs, the digits from 1 select them by number.
func TestDigitsFocusPanesAndTabsEverywhere(t *testing.T) {
	for _, scope := range Scopes()[1:] {
		keys := map[string]bool{}
		for _, a := range slices.Concat(scope.Actions, scope.Pieces) {
			for _, k := range a.Binding.Keys() {
				keys[k] = true
			}
		}
		if keys["tab"] && !scope.Types && scope.Name != "decode" && (!keys["1"] || !keys["2"]) { // The tab key of Decode goes to the next match; letters and digits are text at home.
			t.Errorf("%s has panes or tabs, but no digits to select them", scope.Name)
		}
		if !keys["tab"] && keys["1"] {
			t.Errorf("digits select something else on %s", scope.Name)
		}
	}
}
