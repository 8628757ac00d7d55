package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// Each move that is possible has a letter, at its line and in the list below, and it plans it. Choosing another
// move redraws nothing.
func TestLetterOfAMovePlansIt(t *testing.T) {
	for _, size := range []tuitest.Size{{W: 160, H: 60}, {W: 80, H: 24}} {
		synctest.Test(t, func(t *testing.T) {
			o := newChangeFixture(t, session.Admin, "", "in_review")
			tt := o.enter(size)
			tt.Reach("a   Approve", "3")
			tt.WaitGone("reading the audit trail")
			graph := func() string {
				drawn, _, _ := strings.Cut(tt.Screen(), "Transitions from here")
				return drawn
			}
			before := graph()
			tt.Press("down")
			if after := graph(); after != before {
				t.Errorf("the graph changed:\n%s\n%s", before, after)
			}
			if size.W > 100 {
				tt.WaitFor("r reject")
				tt.Golden("reject")
			}
			tt.Reach("Reject · Verification case", "r")
		})
	}
}

// A change has the same letter in the queue, on every tab of the item, in its menu and in its lifecycle.
func TestLetterOfAChangeIsTheSameEverywhere(t *testing.T) {
	inQueue(t, 1, func(_ *testing.T, _ *queueFixture, tt *tuitest.Terminal) {
		tt.WaitFor("o actions")
		tt.Reach(", unchanged", "enter")
		tt.WaitFor("a approve  r reject")
		tt.WaitFor("You can  a Approve · r Reject · i Request new documents +2 more o")
		for _, way := range [][]string{nil, {"o"}, {"3"}} {
			tt.Press(way...)
			tt.Reach("Reject · Verification case", "r")
			tt.Press("esc")
			tt.WaitGone("Reject · Verification case")
		}
		tt.WaitFor("r reject ")
		tt.WaitFor("▌ a   Approve")
		// One without a letter has a digit in the menu.
		tt.WaitFor("o 4 Reject automatically")
		tt.Reach("4  Reject automatically", "o")
		tt.Reach("Reject automatically · Verification case", "4")
	})
}

// The timeline shows a change that has no audit entry from the stream.
func TestTimelineShowsChangesOfTheStream(t *testing.T) {
	inQueueFixture(t, 1, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		w.role = session.Support
		w.streams()
		w.put(1, "in_review", nil)
		time.Sleep(20 * time.Minute)
		w.put(1, "approved", nil)
		time.Sleep(10 * time.Minute)
		tt := w.enter(size, "enter", "next field")
		tt.Enter(w.id(1))
		tt.WaitFor("1 item")
		tt.Reach("Overview", "enter")
		tt.Reach("stream since 2026-01-20 12:00:00", "4")
		if !tt.Has("In review → Approved") {
			t.Errorf("the change is not in the timeline:\n%s", tt.Screen())
		}
		tt.Press("enter") // on the change
		tt.WaitFor("no audit entry describes this change")
	})
}
