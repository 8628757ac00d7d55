package tui

import (
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// Nobody confirms what could not be seen: the button waits for the end of the
// plan, and says so.
func TestLongPlanScrollsToItsEnd(t *testing.T) {
	for name, further := range map[string][]string{
		"by keys":       {"G"},
		"line by line":  {"j", "j", "j", "j", "j", "j", "j", "j"},
		"and back":      {"G", "g"},
		"then unfolded": {"G", "space"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newChangeFixture(t, session.Admin, "", "in_review")
				tt := o.enter(tuitest.Size{W: 80, H: 17})
				planApproval(tt, "ok")
				tt.Advance(graceOver)
				tt.WaitFor("G to the end")
				tt.Reach("scroll to the end", "right", "enter")
				tt.Press("d", "G") // The command is not the plan.
				tt.Press("d", "enter")
				tt.Advance(graceOver)
				if got := o.status(); got != "in_review" {
					t.Fatalf("a plan whose end was not seen made it %s", got)
				}
				tt.Press(further...)
				tt.Reach("✓ Done", "enter")
				if got := o.status(); got != "approved" {
					t.Errorf("it is %s", got)
				}
			})
		})
	}
}
