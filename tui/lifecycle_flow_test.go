package tui

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// The line of the move under the cursor has the key of the plan, and choosing another move redraws nothing else.
func TestLifecycleMarksTheChosenMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newChangeFixture(t, session.Admin, "", "in_review")
		tt := o.enter(tuitest.Size{W: 160, H: 60})
		tt.Press("3")
		tt.WaitFor("⏎ approve")
		tt.WaitGone("reading the audit trail")
		graph := func() string {
			drawn, _, _ := strings.Cut(tt.Screen(), "Transitions from here")
			return strings.ReplaceAll(drawn, "⏎", "·")
		}
		before := graph()
		tt.Press("down")
		tt.WaitFor("⏎ reject")
		if after := graph(); after != before {
			t.Errorf("the graph changed:\n%s\n%s", before, after)
		}
		tt.Golden("reject")
		tt.Press("enter")
		tt.WaitFor("Reject · Verification case")
	})
}
