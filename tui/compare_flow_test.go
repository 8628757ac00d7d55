package tui

import (
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

func TestCompareWithAChange(t *testing.T) {
	for name, size := range map[string]tuitest.Size{"80x24": {W: 80, H: 24}, "120x40": {W: 120, H: 40}} {
		t.Run(name, func(t *testing.T) {
			o := newChangeFixture(t, session.Support, "", "in_review")
			synctest.Test(t, func(t *testing.T) {
				o.t = t
				tt := o.enter(size)
				tt.Press("=")
				tt.WaitFor("after a planned change")
				tt.Golden("choices")
				tt.Type("appr")
				tt.Press("enter")
				tt.WaitFor("after Approve")
				tt.Press("d")
				tt.WaitFor("differences only")
				tt.Golden("approved")
				tt.Press("esc")
				tt.WaitFor("Overview")
				if o.status() != "in_review" {
					t.Errorf("comparing wrote %s", o.status())
				}
			})
		})
	}
}

func TestCompareWithAMissingItemReportsIt(t *testing.T) {
	o := newChangeFixture(t, session.Support, "", "in_review")
	synctest.Test(t, func(t *testing.T) {
		o.t = t
		tt := o.enter(tuitest.Size{W: 120, H: 40})
		tt.Press("=")
		tt.WaitFor("Compare with")
		tt.Paste("ver_nobody")
		tt.WaitFor("item CASE#ver_nobody / META does not exist")
		tt.Paste(caseID)
		tt.WaitFor("No differences in 16 attributes")
	})
}

// A comparison shows what a change made of its items: the current state follows, a state that
// was planned from the earlier one is marked, and a reading under way starts again.
func TestCompareShowsWhatWasCommitted(t *testing.T) {
	w := newQueueFixture(t, 2)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(wide, "Q", "waiting")
		tt.Press("enter")
		tt.WaitFor("unchanged")
		tt.Press("=")
		tt.WaitFor("after a planned change")
		tt.Type("reject")
		tt.Press("enter")
		tt.WaitFor("after Reject")
		tt.Press("Q")
		tt.WaitFor("waiting")
		tt.Press("a")
		approve(tt)
		tt.Press("esc", "esc")
		tt.WaitFor("outdated")
		if !tt.Has("✓ approved") || tt.Has("in_review") {
			t.Errorf("the comparison shows\n%s", tt.Screen())
		}
		tt.Press("o")
		tt.WaitFor("Compare with")
		if tt.Has("after Reject") {
			t.Errorf("a change is offered that the item no longer allows:\n%s", tt.Screen())
		}
	})
}

// What an item shows of others follows their changes: the counts of patterns, and its timeline.
func TestItemCountsAgainAfterAChangeElsewhere(t *testing.T) {
	w := newQueueFixture(t, 3)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(wide, "Q", "waiting")
		tt.Press("down", "down", "enter")
		tt.WaitFor("unchanged")
		tt.Press("5")
		tt.WaitFor("Verifications by client + status   3 ›")
		tt.Press("Q")
		tt.WaitFor("waiting")
		tt.Press("a")
		approve(tt)
		tt.Press("esc", "esc")
		tt.WaitFor("Verifications by client + status   2 ›")
	})
}

// The counts above the tabs are what the patterns find in a real store, and lead
// there.
func TestItemLeadsToWhatItCounts(t *testing.T) {
	d := newDesk(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, tuitest.Size{W: 120, H: 40})
		tt.Press("ctrl+p")
		tt.Type("all verifications of a client")
		tt.Press("enter")
		tt.WaitFor("clientId")
		tt.Type("client_xyz789")
		tt.Press("enter")
		tt.WaitFor("enter open")
		tt.Press("enter")
		tt.WaitFor("Documents of a verification")
		tt.WaitFor("All verifications of a client  18 ›")
		tt.ClickText("All verifications of a client  18")
		tt.WaitFor("18 items")
	})
}

func TestCompareAsksForWhatAChangeNeeds(t *testing.T) {
	d := newDesk(t, "tazco")
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, tuitest.Size{W: 120, H: 40})
		tt.Press("ctrl+p")
		tt.Type("findAllPending")
		tt.Press("enter")
		tt.WaitFor("enter to run it")
		tt.Press("enter")
		tt.WaitFor("enter open")
		tt.Press("down", "down", "down", "enter") // The first ones have expired.
		tt.WaitFor(", unchanged")
		tt.Press("=")
		tt.WaitFor("after Approve the card request")
		tt.Press("enter")
		tt.WaitFor("Enter limit")
		tt.Press("enter")
		if !tt.Has("Enter limit") {
			t.Errorf("nothing was entered, and it went on:\n%s", tt.Screen())
		}
		tt.Type("5000")
		tt.Golden("asked")
		tt.Press("enter")
		tt.WaitFor("✓ approved")
	})
}
