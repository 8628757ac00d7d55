package tui

import (
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// streams turns on the streams of all tables.
func (w *queueFixture) streams() {
	w.t.Helper()
	for _, table := range w.p.Tables {
		if err := w.conn.Admin().EnableStream(w.t.Context(), table.Name, models.StreamBoth); err != nil {
			w.t.Fatal(err)
		}
	}
}

// Changes are listed as they happen; a pause holds them back and counts them, and an item can be opened.
func TestChangesAreListedAsTheyHappen(t *testing.T) {
	inQueueFixture(t, 1, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		w.role = session.Support
		w.streams()
		tt := w.enter(size, "W", "No change in the last hour")
		w.put(1, "approved", nil)
		tt.WaitFor("Approved")
		w.put(2, "in_review", nil)
		tt.WaitFor("+  Verification")
		tt.Golden("changes")

		tt.Reach("paused · 0 new changes", "P")
		w.put(3, "in_review", nil)
		tt.WaitFor("paused · 1 new change")
		if tt.Has(w.id(3)) {
			t.Errorf("a paused list shows a change:\n%s", tt.Screen())
		}
		tt.Reach("3 changes", "P")

		tt.Reach("Overview", "enter")
		w.put(4, "in_review", nil)
		tt.Reach("4 changes", "esc")
		tt.Press("/")
		tt.Type("approved")
		tt.Reach("copied the change", "enter", "y")
	})
}

// Without a stream the screen says how to turn it on, and reads nothing.
func TestChangesNeedAStream(t *testing.T) {
	inQueueFixture(t, 0, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		tt := w.enter(size, "W", "has no stream")
		time.Sleep(time.Minute)
		if !tt.Has("stream:") {
			t.Errorf("no advice:\n%s", tt.Screen())
		}
	})
}
