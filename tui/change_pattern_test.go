package tui

import (
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// A documented write is made from its pattern: enter explains it, enter again
// asks for its inputs, and the change is planned and confirmed like any other.
func TestWriteFromItsPattern(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			o := newChangeFixture(t, session.Admin, "", "in_review")
			tt := tuitest.New(
				t,
				New(Options{Opener: opening{&desk{profile: o.p}, o.session}, Start: o.p.Name, Clipboard: o.clip.write}),
				size,
			)
			tt.WaitFor("Patterns")
			pick(tt, "Change the status")
			tt.Reach("enter plan", "enter")
			tt.Reach("toStatus", "enter")
			tt.Type(caseID)
			tt.Reach("▌ ", "tab", "space")
			for range 12 {
				if tt.Has("▌ ✗ rejected") {
					break
				}
				tt.Press("down")
			}
			tt.Reach("only if", "enter", "enter")
			golden(t, tt, "plan")
			tt.Advance(graceOver)
			tt.Reach("✓ Done", "tab", "enter")
			if got := o.status(); got != "rejected" {
				t.Errorf("the status is %s", got)
			}
			tt.Advance(graceOver)
			tt.Reach("write pattern", "enter")
		})
	})
}

// What is switched off says so, and why, and opens nothing.
func TestDisabledWriteOpensNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newChangeFixture(t, session.Admin, "", "in_review")
		tt := tuitest.New(t, New(Options{Opener: opening{&desk{profile: o.p}, o.session}, Start: o.p.Name}), wide)
		tt.WaitFor("Patterns")
		pick(tt, "Create a verification")
		tt.WaitFor("is disabled")
		tt.Press("enter", "enter")
		if tt.Has("Show the plan") {
			t.Errorf("a write that is off asks for its inputs:\n%s", tt.Screen())
		}
	})
}
