package tui

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// undoWith enters a reason in the undo dialog and confirms it.
func undoWith(tt *tuitest.Terminal, reason string) {
	tt.WaitFor("Reason for the undo")
	tt.Enter(reason)
	tt.WaitFor("only if")
	tt.Advance(queueGrace)
	tt.Reach("✓ Done", "tab", "enter")
	tt.Advance(queueGrace)
}

// The summary of a sweep can undo exactly its applied changes, and so can the queue later. Each undo needs a reason. It
// skips items that another user has changed.
func TestQueueUndoesSweep(t *testing.T) {
	inQueueFixture(t, 3, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		w.put(3, "pending_review", nil)
		tt := w.enter(size, "i", "3 waiting")
		tt.Reach("Approve 2 ", "o", "M", "o", "a")
		tt.Press("tab")
		tt.Type("papers match")
		tt.Advance(queueGrace)
		tt.Reach("2 of 2   done", "enter", "tab", "enter")
		tt.Advance(queueGrace)
		tt.Reach("Undo Approve · 2 items", "tab", "enter")
		tt.Golden("question")
		tt.Press("esc")
		tt.Advance(queueGrace)
		tt.WaitFor("approved") // The resolved rows show their new state.
		tt.Reach("Undo Approve · 2 items", ":undo last", "enter")
		tt.Press("esc")
		tt.Advance(queueGrace)
		w.put(1, "approved", models.Item{"completedAt": models.StringValue("2026-01-20T11:00:00Z")})
		tt.Reach("Undo Approve · 2 items", "o", "U")
		tt.WaitFor("• " + w.id(2) + " ")
		tt.Press("tab")
		tt.Type("wrong batch")
		tt.Advance(queueGrace)
		tt.Reach("1 done · 1 changed by others", "enter", "tab", "enter")
		if got := w.statuses(3); got != "approved in_review pending_review" {
			t.Errorf("statuses = %s", got)
		}
		list, err := fixture.Changes(w.session().Journal)
		if err != nil || len(list) < 3 || list[0].Intent.Detail.Reason != "wrong batch" || list[2].Intent.Detail.Reason != "papers match" {
			t.Errorf("the journal has wrong reasons: %v", err)
		}
	})
}

// The user can undo a change on the result page, in the queue, and with U on any screen. Each dialog names the change
// and its item.
func TestUndoFromEveryScreen(t *testing.T) {
	for name, undo := range map[string]func(tt *tuitest.Terminal){
		"result page": func(tt *tuitest.Terminal) { tt.Press("tab", "enter") },
		"queue": func(tt *tuitest.Terminal) {
			tt.Reach("Reason for the undo", "esc", "o", "U")
			tt.Press("tab")
		},
		"home": func(tt *tuitest.Terminal) {
			tt.Reach("Needs attention", "esc", "alt+home")
			tt.Reach("Reason for the undo", "ctrl+o", "U")
			tt.Press("tab")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newQueueFixture(t, 2)
			synctest.Test(t, func(t *testing.T) {
				w.t = t
				tt := w.enter(wideSize, "i", "2 waiting")
				tt.Press("o", "a")
				approve(tt)
				undo(tt)
				tt.WaitFor("Undo Approve · Verification case ver_00000001")
				if !strings.Contains(strings.Join(strings.Fields(tt.Screen()), " "), "by kagiso") || !strings.Contains(tt.Screen(), "in_review →") {
					t.Errorf("the dialog lacks the change to undo:\n%s", tt.Screen())
				}
				undoWith(tt, "wrong case")
				if got := w.statuses(2); got != "in_review in_review" {
					t.Errorf("statuses = %s, want in_review", got)
				}
				tt.Press("esc")
				tt.Reach("nothing to undo", ":undo last")
			})
		})
	}
}
