package tui

import (
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

func TestCompareWithMissingItemReportsIt(t *testing.T) {
	o := newChangeFixture(t, session.Support, "", "in_review")
	synctest.Test(t, func(t *testing.T) {
		o.t = t
		tt := o.enter(wideSize)
		tt.Reach("Compare with", "=")
		tt.Paste("ver_nobody")
		tt.WaitFor("item Verification case ver_nobody does not exist")
		tt.Reach("Compare with", "=")
		tt.Paste(caseID)
		tt.WaitFor("1 masked, 9 the same")
	})
}

func TestCompareShowsCommittedItem(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		tt := w.enter(wideSize, "i", "waiting")
		tt.Reach("read at", "enter")
		tt.Reach("Compare with", "=")
		tt.Press("enter")
		tt.WaitFor("◂ ver_")
		tt.Reach("waiting", "i")
		tt.Press("o", "a")
		approve(tt)
		tt.Reach("✓ approved", "esc", "esc")
		if !tt.Has("◐ in_review") {
			t.Errorf("the comparison lacks in_review:\n%s", tt.Screen())
		}
	})
}

// After a change of another item, the item screen updates its counts.
func TestItemCountsAgainAfterChangeElsewhere(t *testing.T) {
	withCases(t, 3, func(_ *testing.T, w *queueFixture) {
		tt := w.enter(wideSize, "i", "waiting")
		tt.Reach("read at", "down", "down", "enter")
		tt.Reach("3  ⚠ Verifications by client + status", "3")
		tt.Reach("waiting", "i")
		tt.Press("o", "a")
		approve(tt)
		tt.Reach("2  ⚠ Verifications by client + status", "esc", "esc")
	})
}

// The Related tab shows how many items a pattern finds, and enter runs the pattern.
func TestItemOpensItsCountedRows(t *testing.T) {
	onHome(t, "authbridge", func(_ *testing.T, tt *tuitest.Terminal) {
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
