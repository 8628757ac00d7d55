package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// tableKeys are the printable keys that a screen may have. All else is in the menu of widget.MenuKey, or has no letter.
const tableKeys = "jkhlgG /nrsvxeb=yo123456789?:iSa"

func TestNoOtherKeyActs(t *testing.T) {
	t.Parallel()
	for _, s := range Scopes() {
		for _, a := range s.Actions {
			for _, key := range a.Binding.Keys() {
				if key == "space" {
					key = " "
				}
				own := s.Name == "item" && strings.Contains("ERN", key) // They export, reveal and search, and each asks first.
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

// typedOn types text. In a field, the text is there afterwards. Outside of one, the palette has it if the keys came together;
// otherwise at least nothing was changed, planned or left.
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
	view := s.m.View().Content
	switch {
	case s.m.hold.quitting || len(s.m.screens.stack) < depth:
		t.Errorf("%q with %s a key leaves the screen", text, gap)
	case !planned && strings.Contains(view, "WCU") && gap < formWithin:
		t.Errorf("%q with %s a key opens a plan", text, gap)
	case !inField && gap <= pasteWithin && s.m.layers.palette == nil && !s.m.inField():
		t.Errorf("%q with %s a key is not offered", text, gap)
	case !inField && gap <= pasteWithin && s.m.layers.palette != nil && s.m.layers.palette.Text() != text:
		t.Errorf("%q with %s a key: the palette has %q", text, gap, s.m.layers.palette.Text())
	}
}

func TestKeysPressedTogether(t *testing.T) {
	t.Parallel()
	w := newQueueFixture(t, 3)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(wide, "i", "oldest first")
		tt.Type("\rS") // enter and S in one read
		tt.WaitFor("› Schema map")
		tt.Reach("read at", "alt+left")
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

// A word that begins like two keys of the menu is offered to the palette instead of going into the form that they open, and
// nothing of it is a reason. Who looks at the form first types into it.
func TestWordsThatOpenAFormAreNoReason(t *testing.T) {
	for _, gap := range []time.Duration{60 * time.Millisecond, 180 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			w := newQueueFixture(t, 3)
			w.t = t
			tt := w.enter(wide, "i", "oldest first")
			for _, r := range "order_1" {
				tt.Press(string(r))
				tt.Advance(gap)
			}
			tt.WaitFor("order_1")
			if tt.Has("Reject ·") {
				t.Errorf("%s a key opens a form:\n%s", gap, tt.Screen())
			}
		})
	}
}
