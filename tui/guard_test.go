package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// tableKeys contains the printable keys that a screen may use. Other actions are in the menu of widget.MenuKey or have
// no letter.
const tableKeys = "jkhlgG /nrsvxeb=yo123456789?:iSa"

func TestScreensUseOnlyTableKeys(t *testing.T) {
	t.Parallel()
	for _, s := range Scopes() {
		for _, a := range s.Actions {
			for _, key := range a.Binding.Keys() {
				if key == "space" {
					key = " "
				}
				asksFirst := s.Name == "item" && strings.Contains("ERN", key) // These actions ask first.
				if widget.IsText(key) && !strings.Contains(tableKeys, key) && !asksFirst {
					t.Errorf("%s: %s has the unlisted key %q", s.Name, a.Name, key)
				}
				if widget.IsText(key) && a.Danger {
					t.Errorf("%s: %s changes data with the key %q and without a question", s.Name, a.Name, key)
				}
			}
		}
	}
}

// checkTyping types text. An open text field must contain it. Otherwise, the console must keep the text if it came at
// once, and must not plan a change or leave a screen. A text without long pauses must not go into a form.
func checkTyping(t *testing.T, s *stage, text string, gap time.Duration) {
	t.Helper()
	depth, now, inField := len(s.m.screens.stack), time.Now(), s.m.isInField()
	planned := strings.Contains(s.m.View().Content, "WCU")
	s.m.o.Now = func() time.Time { return now }
	now = now.Add(time.Hour)
	for _, r := range text {
		_, cmd := s.m.Update(pressed(string(r)))
		s.feed(cmd)
		now = now.Add(gap)
	}
	for len(s.m.guard.heldKeys) > 0 {
		s.send(<-s.answers)
	}
	view := ansi.Strip(s.m.View().Content)
	switch {
	case s.m.exit.quitting || len(s.m.screens.stack) < depth:
		t.Errorf("%q with %s per key leaves the screen", text, gap)
	case !planned && strings.Contains(view, "WCU"):
		t.Errorf("%q with %s per key opens a plan", text, gap)
	case !inField && gap <= maxPastePause && !strings.Contains(view, text) && !strings.Contains(view, strings.TrimPrefix(text, "/")):
		t.Errorf("%q with %s per key is incomplete in the dialog:\n%s", text, gap, view)
	case gap <= maxFormPause && !inField && s.m.hasBox() && s.m.layers.offer == nil && s.m.isInField() && s.m.layers.palette == nil:
		t.Errorf("%q with %s per key goes into a form:\n%s", text, gap, view)
	}
}

func TestKeysPressedTogether(t *testing.T) {
	t.Parallel()
	w := newQueueFixture(t, 3)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(wideSize, "i", "oldest first")
		tt.Type("\rS") // enter and S in a single read
		tt.WaitFor("› Schema ")
		tt.Reach("read at", "alt+left")
		tt.Type("   ") // A user who marks rows presses space repeatedly.
		tt.Advance(time.Second)
		if tt.Has("outside a field") {
			t.Errorf("the console treats spaces as text:\n%s", tt.Screen())
		}
		tt.Reach("oldest first", "alt+left")
		tt.Type("oa")
		tt.WaitFor("Approve")
		tt.Press("esc")
		tt.Type("jjjjjj")
		tt.Press("j")
		if tt.Has("Go to") {
			t.Errorf("the console treats a held key as text:\n%s", tt.Screen())
		}
		tt.Type("user_thabo\rreject")
		tt.WaitFor("user_thabo reject")
	})
}

// The console offers Find for a word that begins like a key of the menu, instead of typing the rest into the form that
// the key opens. After a longer pause, the user can see the form and its empty required field, which has the focus.
func TestTypedWordsDoNotBecomeReason(t *testing.T) {
	for _, gap := range []time.Duration{5, 30, 60, 180, 700, 1200} {
		gap *= time.Millisecond
		synctest.Test(t, func(t *testing.T) {
			w := newQueueFixture(t, 3)
			w.t = t
			tt := w.enter(wideSize, "i", "oldest first")
			tt.Advance(time.Second)
			want := "order_1"
			for _, r := range want {
				tt.Press(string(r))
				tt.Advance(gap)
			}
			if gap > maxWordPause {
				if tt.Has("outside a field") || !tt.Has("Reject ·") || !tt.Has("[ Show the plan ]") || !tt.Has("der_1") {
					t.Errorf("%s per key: the word does not fill in the form:\n%s", gap, tt.Screen())
				}
				return
			}
			tt.WaitFor("Text  " + want)
			if tt.Has("Reject ·") {
				t.Errorf("%s per key: the word opens a form:\n%s", gap, tt.Screen())
			}
			tt.Press("esc", "esc")
			for _, r := range "oz?ebra" { // The second letter is not in the menu.
				tt.Press(string(r))
				tt.Advance(gap)
			}
			tt.WaitFor("Text  oz?ebra")
			tt.Reach("0 items", "enter")
		})
	}
}

// No letter of the copy menu starts a program, because a user may type a word by mistake.
func TestTypedWordsDoNotRunPrograms(t *testing.T) {
	for _, gap := range []time.Duration{5, 30, 180, 700} {
		gap *= time.Millisecond
		synctest.Test(t, func(t *testing.T) {
			w := newQueueFixture(t, 3)
			w.t = t
			tt := w.enter(wideSize, "i", "oldest first")
			tt.Advance(time.Second)
			for _, r := range "yex|>" {
				tt.Press(string(r))
				tt.Advance(gap)
			}
			if gap > maxWordPause {
				tt.WaitFor("No action for this key in the dialog")
				tt.Press("esc")
				if strings.Contains(tt.Screen(), "No action for this key") {
					t.Errorf("the notice outlasts its dialog:\n%s", tt.Screen())
				}
				return
			}
			tt.WaitFor("Text  yex|>")
		})
	}
}

// A wrong key in a menu keeps the menu open, and the next key acts.
func TestWrongKeyKeepsMenu(t *testing.T) {
	for _, gap := range []time.Duration{300 * time.Millisecond, 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w := newQueueFixture(t, 3)
			w.t = t
			tt := w.enter(wideSize, "i", "oldest first")
			tt.Advance(time.Second)
			for _, key := range []string{"o", "q"} {
				tt.Press(key)
				tt.Advance(gap)
			}
			if tt.WaitFor("No action for this key in the dialog"); !tt.Has("Actions ·") || tt.Has("outside a field") {
				t.Errorf("a wrong key closed the menu:\n%s", tt.Screen())
			}
			tt.Advance(time.Second)
			tt.Press("M")
			tt.WaitFor("3 marked")
		})
	}
}

// A disabled key only explains why it is disabled. If letters follow, it becomes the first letter of their word.
func TestRefusedKeyStartsNextWord(t *testing.T) {
	for _, gap := range []time.Duration{5, 30, 180, 500} {
		gap *= time.Millisecond
		synctest.Test(t, func(t *testing.T) {
			w := newQueueFixture(t, 3)
			w.t = t
			tt := w.enter(wideSize, "down", "Patterns")
			for _, r := range "req_1" {
				tt.Press(string(r))
				tt.Advance(gap)
			}
			tt.WaitFor("Text  req_1")
			if gap > maxFormPause {
				return
			}
			tt.Press("esc")
			tt.Advance(time.Second)
			for _, r := range "event_1" { // The letter e opens the form.
				tt.Press(string(r))
				tt.Advance(gap)
			}
			tt.WaitFor("Text  event_1")
		})
	}
}

// A user who expects the focus on a button presses tab before the reason. The field that the letter opened keeps the
// focus.
func TestTabAfterMenuLetterKeepsField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newQueueFixture(t, 3)
		w.t = t
		tt := w.enter(wideSize, "i", "oldest first")
		tt.Advance(time.Second)
		tt.Press("o", "r", "tab")
		tt.Type("the photo is blurred")
		if !tt.Has("Reason*  the photo is blurred") {
			t.Errorf("the form has only a part of the reason:\n%s", tt.Screen())
		}
	})
}
