package tui

import (
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

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
