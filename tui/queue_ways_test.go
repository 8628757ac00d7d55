package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// A case must be claimed before it can be approved. The message names the action and its key.
func TestQueueNamesTheRequiredFirstAction(t *testing.T) {
	for _, size := range []tuitest.Size{{W: 80, H: 24}, {W: 120, H: 40}} {
		w := newQueueFixture(t, 0)
		w.put(1, "pending_review", nil)
		synctest.Test(t, func(t *testing.T) {
			w.t = t
			tt := w.enter(size, "Q", "1 waiting")
			tt.WaitFor("enter open  c ") // The hints begin with what the row allows.
			tt.Reach("claim-review first", "a")
			tt.WaitFor("first: press esc, then c")
			tt.Reach("(key c)", "esc", "space", "a")
			tt.Press("esc")
		})
	}
}

// Keys typed after the prompt of a production change has closed do not start another change:
// letters are ignored until typing stops.
func TestKeysAfterAClosedPromptAreIgnored(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		w.named = "prod"
		tt := w.enter(wide, "Q", "2 waiting")
		tt.Press("*", "r")
		tt.Advance(queueGrace)
		tt.Type("the papers are forged")
		tt.Press("tab")
		tt.Type("2")
		tt.Press("enter", "enter") // Cancel has the focus.
		tt.Type("approve q")
		if tt.Has("Approve · ") || !tt.Has("waiting") {
			t.Fatalf("text for the prompt was read as keys of the queue:\n%s", tt.Screen())
		}
		tt.Advance(time.Second)
		tt.Reach("Approve · ", "a")
	})
}
