package tui

import (
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// A change has the same letter in the menu of the queue and on every tab of the item.
func TestChangeHasTheSameLetterEverywhere(t *testing.T) {
	inQueue(t, 1, func(_ *testing.T, _ *queueFixture, tt *tuitest.Terminal) {
		tt.WaitFor("o actions")
		tt.Reach("read at", "enter")
		tt.WaitFor("Press o to act")
		for _, tab := range []string{"1", "2"} {
			tt.Press(tab)
			tt.Reach("r  Reject", "o")
			tt.Reach("Reject · Verification case", "r")
			tt.Press("esc")
			tt.WaitForRemoval("Reject · Verification case")
		}
		// Without a letter, a change has a digit in the menu.
		tt.Reach("6  Reject automatically", "o")
		tt.Reach("Reject automatically · Verification case", "6")
	})
}

// The timeline shows a change in the stream even if no audit entry exists for it.
func TestTimelineShowsChangesOfStream(t *testing.T) {
	inQueueFixture(t, 1, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		w.role = session.Support
		w.enableStreams()
		w.put(1, "in_review", nil)
		time.Sleep(20 * time.Minute)
		w.put(1, "approved", nil)
		time.Sleep(10 * time.Minute)
		tt := w.enter(size, "enter", "next field")
		tt.Enter(w.id(1))
		tt.WaitFor("1 item")
		tt.Reach("Overview", "enter")
		tt.Reach("complete", "2")
		tt.WaitFor("In review → Approved")
		if tt.Has("–") {
			t.Errorf("the timeline does not describe the change in a sentence:\n%s", tt.Screen())
		}
		tt.Press("enter") // opens the change
		tt.WaitFor("no audit entry describes this change")
	})
}
