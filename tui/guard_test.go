package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// tableKeys contains the printable keys that a screen may have. Other actions are in the menu of widget.MenuKey, or
// have no letter.
const tableKeys = "jkhlgG /nrsvxeb=yo123456789?:iSa"

func TestNoOtherKeyActs(t *testing.T) {
	t.Parallel()
	for _, s := range Scopes() {
		for _, a := range s.Actions {
			for _, key := range a.Binding.Keys() {
				if key == "space" {
					key = " "
				}
				own := s.Name == "item" && strings.Contains("ERN", key) // They ask before they act.
				if widget.IsText(key) && !strings.Contains(tableKeys, key) && !own {
					t.Errorf("%s: %s has the key %q", s.Name, a.Name, key)
				}
				if widget.IsText(key) && a.Danger {
					t.Errorf("%s: %s changes data with the key %q alone", s.Name, a.Name, key)
				}
			}
		}
	}
}

// typedOn types text. A field must then contain it. Outside of a field, the whole text must be kept if the keys came
// together; otherwise nothing may be changed, planned or left.
func typedOn(t *testing.T, s *stage, text string, gap time.Duration) {
	t.Helper()
	depth, now, inField := len(s.m.screens.stack), time.Now(), s.m.inField()
	planned := strings.Contains(s.m.View().Content, "WCU")
	s.m.o.Now = func() time.Time { return now }
	now = now.Add(time.Hour)
	for _, r := range text {
		_, cmd := s.m.Update(pressed(string(r)))
		s.feed(cmd)
		now = now.Add(gap)
	}
	for len(s.m.guard.waiting) > 0 {
		s.send(<-s.answers)
	}
	view := ansi.Strip(s.m.View().Content)
	switch {
	case s.m.hold.quitting || len(s.m.screens.stack) < depth:
		t.Errorf("%q with %s a key leaves the screen", text, gap)
	case !planned && strings.Contains(view, "WCU"):
		t.Errorf("%q with %s a key opens a plan", text, gap)
	case !inField && gap <= pasteWithin && !strings.Contains(view, text) && !strings.Contains(view, strings.TrimPrefix(text, "/")):
		t.Errorf("%q with %s a key is not kept whole:\n%s", text, gap, view)
	case !inField && s.m.boxed() && s.m.layers.offer == nil && s.m.inField() && s.m.layers.palette == nil:
		t.Errorf("%q with %s a key goes into a form:\n%s", text, gap, view)
	}
}

func TestKeysPressedTogether(t *testing.T) {
	t.Parallel()
	w := newQueueFixture(t, 3)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(wide, "i", "oldest first")
		tt.Type("\rS") // enter and S in a single read
		tt.WaitFor("› Schema map")
		tt.Reach("read at", "alt+left")
		tt.Type("   ") // These keys were meant to mark rows.
		tt.Advance(time.Second)
		if tt.Has("outside a field") {
			t.Errorf("blanks are taken for text:\n%s", tt.Screen())
		}
		tt.Reach("oldest first", "alt+left")
		tt.Type("oa")
		tt.WaitFor("Approve")
		tt.Press("esc")
		tt.Type("jjjjjj")
		tt.Press("j")
		if tt.Has("Go to") {
			t.Errorf("a held key is taken for text:\n%s", tt.Screen())
		}
		tt.Type("user_thabo\rreject")
		tt.WaitFor("user_thabo reject")
	})
}

// A word that starts like two keys of the menu is offered to Find instead of being typed into the form that the keys
// open; it never becomes a reason. A user who looks at the form first types into it.
func TestWordsThatOpenAFormAreNoReason(t *testing.T) {
	for _, gap := range []time.Duration{5, 30, 60, 180, 700, 1200} {
		gap *= time.Millisecond
		synctest.Test(t, func(t *testing.T) {
			w := newQueueFixture(t, 3)
			w.t = t
			tt := w.enter(wide, "i", "oldest first")
			tt.Advance(time.Second)
			want := "order_1"
			for _, r := range want {
				tt.Press(string(r))
				tt.Advance(gap)
			}
			if gap > wordWithin {
				want = "der_1" // The user had time to read the dialog.
			}
			tt.WaitFor("Text  " + want)
			if tt.Has("Reject ·") != (gap > wordWithin) || !tt.Has("required") && gap > wordWithin {
				t.Errorf("%s a key fill in a form:\n%s", gap, tt.Screen())
			}
			tt.Press("esc", "esc")
			for _, r := range "oz?ebra" { // No menu entry has the second letter.
				tt.Press(string(r))
				tt.Advance(gap)
			}
			tt.WaitFor("Text  oz?ebra")
			tt.Reach("0 hits", "enter")
		})
	}
}

// The copy menu has letters for copies, but none for programs.
func TestWordsStartNoProgram(t *testing.T) {
	for _, gap := range []time.Duration{5, 30, 180, 700} {
		gap *= time.Millisecond
		synctest.Test(t, func(t *testing.T) {
			w := newQueueFixture(t, 3)
			w.t = t
			tt := w.enter(wide, "i", "oldest first")
			tt.Advance(time.Second)
			for _, r := range "yes|>" {
				tt.Press(string(r))
				tt.Advance(gap)
			}
			tt.WaitFor("Text  yes|>")
		})
	}
}

// A key that only explains why it has no effect belongs to the word that follows.
func TestARefusedKeyIsNoKeyOfTheNextOne(t *testing.T) {
	for _, gap := range []time.Duration{5, 30, 180, 500} {
		gap *= time.Millisecond
		synctest.Test(t, func(t *testing.T) {
			w := newQueueFixture(t, 3)
			w.t = t
			tt := w.enter(wide, "down", "Patterns")
			for _, r := range "req_1" {
				tt.Press(string(r))
				tt.Advance(gap)
			}
			tt.WaitFor("Text  req_1")
			if gap > formWithin {
				return
			}
			tt.Press("esc")
			tt.Advance(time.Second)
			for _, r := range "event_1" { // The key e opens the form.
				tt.Press(string(r))
				tt.Advance(gap)
			}
			tt.WaitFor("Text  event_1")
		})
	}
}
