package tui

import (
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

func TestLetterKeysDoNotConfirm(t *testing.T) {
	onCase(t, session.Admin, wide, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		planApproval(tt, "ok")
		tt.Advance(graceOver)
		tt.Reach("[ Cancel ]", "h", "l", "l")
		tt.Press("enter")
		if got := o.status(); got != "in_review" {
			t.Errorf("letters made it %s", got)
		}
	})
}

// The id that confirms a change in production can be typed and pasted at once.
func TestIDInputHasTheFocus(t *testing.T) {
	for name, give := range map[string]func(*tuitest.Terminal){
		"typed":  func(tt *tuitest.Terminal) { tt.Type(caseID) },
		"pasted": func(tt *tuitest.Terminal) { tt.Send(tea.PasteMsg{Content: caseID}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newChangeFixture(t, session.Admin, "prod", "in_review")
				tt := o.enter(wide)
				planApproval(tt, "ok")
				tt.Advance(graceOver)
				give(tt)
				tt.Press("enter", "enter", "enter")
				tt.Advance(graceOver)
				if got := o.status(); got != "in_review" {
					t.Fatalf("enter in the field, held down, made it %s", got)
				}
				tt.Reach("✓ Done", "enter")
			})
		})
	}
}

// Who types in the dialog for many gives the reason.
func TestTypingInASweepEntersTheReason(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		tt := w.enter(tuitest.Size{W: 80, H: 24}, "Q", "2 waiting")
		tt.Press("*", "a")
		tt.Advance(queueGrace)
		tt.Type("checked the lot")
		tt.WaitFor("checked the lot")
		tt.Press("enter", "enter")
		if got := w.statuses(2); got != "in_review in_review" {
			t.Errorf("typing a reason made them %s", got)
		}
	})
}
