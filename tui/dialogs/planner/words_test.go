package planner

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// dialogText draws the dialog at 80x22.
func dialogText(t *testing.T, c *Change) string {
	t.Helper()
	view := c.Over(c.Env.Styles, widget.Place("", 80, 22), 80, 22)
	tuitest.RendersExactly(t, view, 80, 22)
	return strings.Join(tuitest.Draw(view, 80, 22), "\n")
}

// plannedApproval returns a dialog with the plan of an approval.
func plannedApproval(t *testing.T, notes ...string) *Change {
	t.Helper()
	p := schemas.Open(t, "authbridge")
	env, _ := screentest.Seeded(t, p)
	e := p.Entity("Verification")
	before := screentest.Verification(t, p)
	after := screentest.With(before, map[string]types.AttributeValue{"status": screentest.ItemText("approved")})
	key, _ := e.Table.PrimaryKey(before)
	c := NewChange(env, ChangeRequest{Action: p.Action("approve"), Title: "Approve · case", Item: before})
	c.showPlan(&change.Plan{
		Action: p.Action("approve"), Basis: &change.Basis{}, Notes: notes,
		Writes: []change.Write{{
			Operation: change.Update, Table: e.Table, Entity: e, Key: key, Before: before, After: after,
			Changes:   models.Diff(before, after),
			Condition: []accesspatterns.Condition{{Attribute: "PK", Compare: accesspatterns.Exists}},
		}},
	})
	return c
}

// A notice would cover the button, so the dialog itself explains why the button does nothing.
func TestDialogExplainsRejectedButton(t *testing.T) {
	c := plannedApproval(t, strings.Repeat("something to be read, ", 60))
	dialogText(t, c)
	c.grace.End()
	c.Update(tea.KeyPressMsg{Code: tea.KeyTab})
	cmd, done := c.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	if cmd != nil || done {
		t.Error("a disabled button returned a command or closed the dialog")
	}
	if text := dialogText(t, c); !strings.Contains(
		text, "✗ scroll to the end of the plan first (end)",
	) || !strings.Contains(text, "[ Approve ]") {
		t.Errorf("the dialog lacks the reason or its buttons:\n%s", text)
	}
	c.Update(tea.KeyPressMsg{Code: 'G', Text: "G"})
	if text := dialogText(t, c); strings.Contains(text, "✗") || !strings.Contains(text, "AWS CLI") {
		t.Errorf("the reason is visible after the next key:\n%s", text)
	}
}

func TestDialogReportsActionsThatItemForbids(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	env, _ := screentest.Seeded(t, p)
	it := screentest.With(screentest.Verification(t, p), map[string]types.AttributeValue{"status": screentest.ItemText("pending_review")})
	c := NewChange(env, ChangeRequest{Action: p.Action("approve"), Title: "Approve · case", Item: it})
	text := dialogText(t, c)
	for _, want := range []string{"⊘ Not yet: it is ", "Claim for review comes first", "Claim for review only", "[ Claim for review, then approve ]"} {
		if !strings.Contains(text, want) || strings.Contains(text, "Show the plan") || strings.Contains(text, "claim-review") {
			t.Errorf("%q is missing, or the dialog offers an impossible step:\n%s", want, text)
		}
	}
	it = screentest.With(it, map[string]types.AttributeValue{"status": screentest.ItemText("in_review")})
	c = NewChange(env, ChangeRequest{Action: p.Action("approve"), Title: "Approve · case", Item: it})
	if text := dialogText(t, c); strings.Contains(text, "Cannot apply to the item") {
		t.Errorf("an allowed action has a warning:\n%s", text)
	}
}

// A user who would request the change must not fill in a form for a change that the item forbids.
func TestRequestIsRefusedBeforeForm(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Support)
	for _, tt := range []struct{ action, status, want string }{
		{"claim-review", "in_review", "⊘ Already in review."},
		{"claim-review", "approved", "⊘ Not possible: it is approved."},
		{"approve", "pending_review", "→ Claim for review comes first."},
	} {
		it := screentest.With(screentest.Verification(t, p), map[string]types.AttributeValue{"status": screentest.ItemText(tt.status)})
		c := NewChange(env, ChangeRequest{Action: p.Action(tt.action), Title: "case", Item: it})
		if text := dialogText(t, c); !strings.Contains(text, tt.want) || strings.Contains(text, "Show the plan") {
			t.Errorf("%s in %s: %q is missing:\n%s", tt.action, tt.status, tt.want, text)
		}
	}
}

// The user has already read the plan, so the remaining manual steps come before it.
func TestRemainingStepsAreListedFirst(t *testing.T) {
	c := plannedApproval(t, "tell the client")
	c.finish(changeOutcome{status: changes.Committed, done: &changes.Commitment{Plan: c.plan, Journal: "1"}})
	text := dialogText(t, c)
	manual, undo, wrote := strings.Index(text, "! tell the client"), strings.Index(
		text, "Undo it here",
	), strings.Index(text, "◐ pending_review")
	if manual < 0 || undo < 0 || wrote < manual || wrote < undo {
		t.Errorf("the remaining steps are not first:\n%s", text)
	}
	if strings.Contains(text, "only if") {
		t.Errorf("the dialog lists fulfilled conditions:\n%s", text)
	}
}

// A button "Cancel" beside "Cancel a bid" would be misleading.
func TestOnlyOneButtonIsNamedCancel(t *testing.T) {
	p := schemas.Open(t, "ebay-sniper")
	c := NewChange(
		screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Admin),
		ChangeRequest{Action: p.Action("cancel-bid"), Title: "Cancel a bid"},
	)
	if text := dialogText(t, c); strings.Contains(text, "Cancel   [") || !strings.Contains(text, "Leave   [") {
		t.Errorf("the cancel button is not named Leave:\n%s", text)
	}
}

// The plan names the given values as the form does: for role support by titles.
func TestPlanNamesGivenValues(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	for role, want := range map[session.Role]string{session.Support: "to status In review", session.Admin: "toStatus in_review"} {
		env := screentest.NewItemEnv(t, p, &screentest.Memory{}, role)
		c := NewChange(env, ChangeRequest{Action: p.Action("update-verification-status"), Title: "Change status", Item: screentest.Verification(t, p)})
		c.form.SetValues(map[string]string{"toStatus": "in_review"})
		if got := c.givenLine(); got != want {
			t.Errorf("%s: got %q, want %q", role, got, want)
		}
	}
}
