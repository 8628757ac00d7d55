package tui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

func TestKeysTypedAheadDoNotConfirm(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		tt.Reach("enter show the plan", "o", "enter")
		tt.Reach("[ Cancel ]", "enter")
		tt.TypeAhead("\t\r\r") // tab to Approve and two enters, faster than a user can read
		tt.WaitFor("[ Approve ]")
		if got := o.status(); got != "in_review" {
			t.Fatalf("keys pressed before the plan appeared set the status to %s", got)
		}
		tt.Advance(planGrace)
		tt.Press("esc") // Esc works like Cancel.
		tt.WaitForRemoval("[ Approve ]")
		tt.WaitFor("1 Overview")
		if tt.Has("enter show the plan") {
			t.Errorf("esc does not close the plan:\n%s", tt.Screen())
		}
		if n := len(o.entries()); n != 0 {
			t.Errorf("got %d audit entries, want none", n)
		}
	})
}

// The form of an edit refuses a state before the user gives a reason, and names the action to use.
func TestEditOfStateNamesAction(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		tt.Press("down", "down")
		tt.Reach("Edit an attribute", "o", "e")
		tt.Press("ctrl+u")
		tt.Type("approved")
		tt.Reach("status is changed by the action Approve (approve)", "enter")
		if tt.Has("Reason") || o.status() != "in_review" {
			t.Errorf("the dialog asks for the reason of a refused edit:\n%s", tt.Screen())
		}
	})
}

func TestDeleteNamesRemainingItems(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(_ *testing.T, _ *changeFixture, tt *tuitest.Terminal) {
		tt.Reach("required", "o", "d")
		tt.Type("duplicate")
		tt.Reach("! The plan does not delete any Uploaded document that belongs to the item.", "enter")
		tt.WaitFor("all attributes still have the values")
	})
}

func TestCancelButtonHasFocus(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		planApproval(tt, "ok")
		tt.Advance(planGrace)
		tt.Reach("enter show the plan", "left", "enter")
		if !tt.Has("ok") {
			t.Errorf("the form lost the reason:\n%s", tt.Screen())
		}
		tt.Reach("[ Cancel ]", "enter")
		tt.Advance(planGrace)
		tt.Reach("1 Overview", "enter")
		tt.WaitForRemoval("[ Cancel ]")
		if got := o.status(); got != "in_review" {
			t.Errorf("canceling set the status to %s", got)
		}
	})
}

// A reason that is typed after the plan appeared does not close the plan.
func TestTextTypedOnPlanKeepsPlan(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, _ *changeFixture, tt *tuitest.Terminal) {
		planApproval(tt, "ok")
		tt.Advance(planGrace)
		tt.Type("documents")
		tt.WaitFor("You typed outside a field")
		tt.Press("enter")
		tt.WaitForRemoval("You typed outside a field")
		if !tt.Has("[ Cancel ]") {
			t.Errorf("the plan is closed:\n%s", tt.Screen())
		}
	})
}

func TestProductionAsksForID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newChangeFixture(t, session.Admin, "prod", "in_review")
		tt := o.enter(wideSize)
		planApproval(tt, "ok")
		tt.Advance(planGrace)
		golden(t, tt, "plan")
		tt.Reach("this is production", "right", "enter")
		tt.Press("left", "tab")
		tt.Type(caseID[:8])
		if tt.WaitFor("enter go to the button"); !tt.Has("To confirm, type  " + caseID) {
			t.Errorf("the required ID disappears while it is typed:\n%s", tt.Screen())
		}
		tt.Press("tab", "enter")
		tt.Advance(planGrace)
		if got := o.status(); got != "in_review" {
			t.Fatalf("an incomplete ID set the status to %s", got)
		}
		tt.Press("shift+tab")
		tt.Type(caseID[8:])
		tt.WaitFor("✓ typed")
		tt.Press("enter")
		tt.Advance(planGrace)
		tt.Reach("✓ Done", "enter")
		if got := o.status(); got != "approved" {
			t.Errorf("status = %s, want approved", got)
		}
	})
}

// A user can type the confirmation at any speed, without first moving the focus to its field.
func TestConfirmationIsTypedAtAnySpeed(t *testing.T) {
	for _, gap := range []time.Duration{5, 30, 150, 700} {
		gap *= time.Millisecond
		synctest.Test(t, func(t *testing.T) {
			o := newChangeFixture(t, session.Admin, "prod", "in_review")
			tt := o.enter(wideSize)
			planApproval(tt, "ok")
			tt.Advance(planGrace)
			tt.WaitFor("To confirm")
			for _, r := range caseID {
				tt.Press(string(r))
				tt.Advance(gap)
			}
			if tt.WaitFor("✓ typed"); tt.Has("outside a field") {
				t.Errorf("%s per key: the console offers to search for the text:\n%s", gap, tt.Screen())
			}
		})
	}
}

// A letter of the menu leaves the focus on the button of a form without required fields. A word that follows a pause is
// the reason, at any speed, and so is a paste.
func TestReasonIsTypedWhileButtonHasFocus(t *testing.T) {
	for _, gap := range []time.Duration{5, 30, 180, 700} {
		gap *= time.Millisecond
		onCase(t, session.Admin, wideSize, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
			tt.Press("o")
			tt.Reach("enter show the plan", "a")
			tt.Advance(time.Second)
			tt.Press("right")
			for _, r := range "jack called (1 of" {
				tt.Press(string(r))
				tt.Advance(gap)
			}
			tt.Press("tab")
			tt.Paste(" 2)?")
			tt.WaitFor("Reason  jack called (1 of 2)?")
			tt.WaitFor("[ Show the plan ]")
			tt.Press("enter")
			tt.WaitFor("only if")
			tt.Advance(planGrace)
			tt.Press("tab", "enter")
			tt.WaitFor("✓ Done")
			if got := o.status(); got != "approved" {
				t.Errorf("status = %s, want approved", got)
			}
		})
	}
}

func TestDisabledActionsGiveReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newChangeFixture(t, session.Admin, "", "pending_review")
		tt := o.enter(wideSize)
		tt.Reach("▌ c  Claim for review", "o")
		if tt.Has("Approve ") || !tt.Has("▸ ") {
			t.Errorf("the unavailable actions are not folded:\n%s", tt.Screen())
		}
		tt.Reach("after Claim for review", "down", "down", "enter", "down", "enter")
		golden(t, tt, "unfolded")
		tt.Press("esc", "ctrl+p")
		tt.Type("claim for")
		tt.WaitFor("▌ Claim for review")
		tt.Reach("Assigns the case to a reviewer", "enter")
	})
}

func TestQuittingWaitsForOutcome(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		planApproval(tt, "ok")
		tt.Advance(planGrace)
		o.delay.Store(int64(5 * time.Second))
		tt.Reach("cannot be canceled", "tab", "enter")
		tt.Reach("and cannot be canceled", "esc")
		tt.Click(2, 0) // a click on the crumbs goes back
		tt.Reach("is being written", "ctrl+c")
		tt.Reach("quitting after this", "ctrl+c")
		if _, ended := tt.Exited(); ended {
			t.Fatal("the program quit during a change")
		}
		tt.Advance(20 * time.Second)
		if _, ended := tt.Exited(); !ended {
			t.Errorf("the program did not quit:\n%s", tt.Screen())
		}
		o.delay.Store(0)
		if got := o.status(); got != "approved" {
			t.Errorf("status = %s, want approved", got)
		}
	})
}

// If the program is killed during a change, for example because its terminal closes, it waits for the outcome.
func TestKilledProgramWaitsForOutcome(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		planApproval(tt, "ok")
		tt.Advance(planGrace)
		o.delay.Store(int64(5 * time.Second))
		tt.Press("tab", "enter")
		tt.Send(tea.QuitMsg{})
		model, ended := tt.Exited()
		if !ended {
			t.Fatal("the killed program did not end")
		}
		model.(*Model).waitForWrites()
		o.delay.Store(0)
		if got := o.status(); got != "approved" {
			t.Errorf("status = %s, want approved", got)
		}
	})
}

// Tab moves from the reason to the highlighted button. After the dry run, the dialog shows the same plan.
func TestTabAndEscShowPlanAfterDryRun(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, _ *changeFixture, tt *tuitest.Terminal) {
		tt.Reach("Approve", "o")
		tt.Reach("[ Show the plan ]", "enter")
		tt.Reach("[ Cancel ]", "tab", "enter")
		before := tt.Screen()
		tt.Advance(planGrace)
		tt.Reach("aws dynamodb", "left", "left", "enter")
		tt.Press("right", "right")
		tt.Reach("[ Cancel ]", "esc")
		if after := tt.Screen(); after != before {
			t.Errorf("after the dry run, the plan is\n%s\nwant\n%s", after, before)
		}
	})
}

func TestChangeWithMouse(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		tt.ClickText("2 History")
		tt.Press("o")
		tt.ClickText("a  Approve ")
		tt.WaitFor("enter show the plan")
		tt.Click(119, 39) // an accidental click outside closes nothing
		tt.ClickText("Show the plan")
		tt.WaitFor("[ Cancel ]")
		tt.ClickText("  Approve")
		if got := o.status(); got != "in_review" {
			t.Fatalf("a click during the grace period set the status to %s", got)
		}
		tt.Advance(planGrace)
		x, y, ok := tt.Find("[ Cancel ]")
		if !ok {
			t.Fatalf("the click closed the plan:\n%s", tt.Screen())
		}
		tt.Click(x+14, y)
		tt.WaitFor("✓ Done")
		if got := o.status(); got != "approved" {
			t.Errorf("status = %s, want approved", got)
		}
	})
}
