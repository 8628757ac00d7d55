package tui

import (
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

func TestCompareWithAChange(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		o := newChangeFixture(t, session.Support, "", "in_review")
		synctest.Test(t, func(t *testing.T) {
			o.t = t
			tt := o.enter(size)
			tt.Reach("after a planned change", "=")
			tt.Enter("appr")
			tt.WaitFor("after Approve")
			tt.Reach("differences only", "v")
			tt.Golden("approved")
			tt.Reach("Overview", "esc")
			if o.status() != "in_review" {
				t.Errorf("comparing wrote %s", o.status())
			}
		})
	})
}

func TestCompareWithAMissingItemReportsIt(t *testing.T) {
	o := newChangeFixture(t, session.Support, "", "in_review")
	synctest.Test(t, func(t *testing.T) {
		o.t = t
		tt := o.enter(wide)
		tt.Reach("Compare with", "=")
		tt.Paste("ver_nobody")
		tt.WaitFor("item CASE#ver_nobody / META does not exist")
		tt.Paste(caseID)
		tt.WaitFor("No differences in 16 attributes")
	})
}

// A comparison shows what a change made of its items: the current state follows, a state that
// was planned from the earlier one is marked, and a reading under way starts again.
func TestCompareShowsWhatWasCommitted(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		tt := w.enter(wide, "i", "waiting")
		tt.Reach("read at", "enter")
		tt.Reach("after a planned change", "=")
		tt.Enter("reject")
		tt.WaitFor("after Reject")
		tt.Reach("waiting", "i")
		tt.Press("o", "a")
		approve(tt)
		tt.Reach("outdated", "esc", "esc")
		if !tt.Has("✓ approved") || tt.Has("in_review") {
			t.Errorf("the comparison shows\n%s", tt.Screen())
		}
		tt.Reach("Compare with", "=")
		if tt.Has("after Reject") {
			t.Errorf("a change is offered that the item no longer allows:\n%s", tt.Screen())
		}
	})
}

// What an item shows of others follows their changes: the counts of patterns, and its timeline.
func TestItemCountsAgainAfterAChangeElsewhere(t *testing.T) {
	withCases(t, 3, func(_ *testing.T, w *queueFixture) {
		tt := w.enter(wide, "i", "waiting")
		tt.Reach("read at", "down", "down", "enter")
		tt.Reach("3  ⚠ Verifications by client + status", "3")
		tt.Reach("waiting", "i")
		tt.Press("o", "a")
		approve(tt)
		tt.Reach("2  ⚠ Verifications by client + status", "esc", "esc")
	})
}

// The counts above the tabs are what the patterns find in a real store, and lead
// there.
func TestItemLeadsToWhatItCounts(t *testing.T) {
	atDesk(t, "authbridge", func(_ *testing.T, tt *tuitest.Terminal) {
		tt.Press("ctrl+p")
		tt.Enter("all verifications of a client")
		tt.WaitFor("clientId")
		tt.Enter("client_xyz789")
		tt.WaitFor("enter open")
		tt.Reach("read at", "enter")
		tt.Reach("18  All verifications of a client", "3")
		tt.ClickText("All verifications of a client  ")
		tt.Press("enter")
		tt.WaitFor("18 items")
	})
}

func TestCompareAsksForWhatAChangeNeeds(t *testing.T) {
	atDesk(t, "tazco", func(t *testing.T, tt *tuitest.Terminal) {
		tt.Press("ctrl+p")
		tt.Enter("findAllPending")
		tt.WaitFor("enter to run it")
		tt.Reach("enter open", "enter")
		tt.Press("down", "down", "down", "enter") // The first ones have expired.
		tt.WaitFor("read at")
		tt.Reach("after Approve the card request", "=")
		tt.Reach("Enter limit", "enter")
		tt.Press("enter")
		if !tt.Has("Enter limit") {
			t.Errorf("nothing was entered, and it went on:\n%s", tt.Screen())
		}
		tt.Type("5000")
		tt.Golden("asked")
		tt.Reach("✓ approved", "enter")
	})
}
