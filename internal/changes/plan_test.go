package changes_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/models"
)

// The error for an unknown action suggests the closest ID, or lists all actions.
func TestUnknownActionErrorSuggestsClosestID(t *testing.T) {
	w, _ := cuttableFixture(t)
	p := w.Profile
	for id, want := range map[string]string{
		"aprove":    `authbridge has no action "aprove"; did you mean "approve"?`,
		"zzzzzzzzz": `authbridge has no action "zzzzzzzzz"; actions: ` + strings.Join(p.ActionIDs(), ", "),
	} {
		if _, err := w.Workspace.Planner.Action(id); !errors.Is(err, session.ErrInput) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	p.Actions = nil
	if _, err := w.Workspace.Planner.Action("approve"); err == nil || err.Error() != `authbridge has no action "approve"; the schema has no actions` {
		t.Errorf("without actions: got %v", err)
	}
}

// A user who may not describe a table plans with its declaration. Any other error could hide a missing index, so it
// ends the plan.
func TestPlanWithoutDescriptionOfItsTable(t *testing.T) {
	for fault, class := range map[string]store.Class{"access denied": "", "unknown key": store.NoCredentials} {
		w, line := faultyFixture(t)
		w.PutCase(t, "ver_1")
		line.Set(faults.Only(faults.Always(faults.Named(fault)), "DescribeTable"))
		_, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action("approve"), map[string]string{"verificationId": "ver_1"}, "")
		if got := store.ClassOf(err); got != class || (err == nil) != (class == "") {
			t.Errorf("%s: got %v", fault, err)
		}
	}
}

// A terminal shows the changes of items in full with index keys last, and the audit entry in one line. A pipe gets
// everything.
func TestTerminalShowsAuditEntryInOneLine(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	p := mustPlan(t, w, "approve", map[string]string{"verificationId": "ver_1"})
	got, status := strings.Join(changes.Lines(p, false, false, true), "\n"), "\n  status       in_review → approved\n"
	entry := "\n+ new Audit entry  " + models.Truncate(p.Writes[1].Table.KeyText(p.Writes[1].Key), 50) + "\n"
	for _, want := range []string{status, "   derived\n  only if  the item exists and ", entry, "12 attributes of 1 audit entry; -o json prints "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if lines := changes.Lines(p, false, false, false); lines[3] != p.Text(false) {
		t.Errorf("a pipe gets\n%s", lines)
	}
	if lines := changes.Lines(p, false, true, true); lines[3] != p.Text(true) {
		t.Errorf("support reads\n%s", lines)
	}
}

// ddbdesk refuses a plan or its undo if the action is off or lacks a required reason.
func TestPlanRejectsUnavailableAction(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	applied := decide(t, w.Workspace, "approve", "").Plan
	inputs := map[string]string{"verificationId": "ver_1"}
	a := w.Profile.Action("approve")
	for name, set := range map[string]func(){
		"disabled action": func() { a.Disabled, a.Reason = "not used", change.ReasonOptional },
		"missing reason":  func() { a.Disabled, a.Reason = "", change.ReasonRequired },
	} {
		set()
		if _, err := w.Workspace.Planner.Plan(t.Context(), a, inputs, ""); !errors.Is(err, session.ErrRefused) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
		if _, err := w.Workspace.Planner.PlanUndo(t.Context(), applied, " "); !errors.Is(err, session.ErrRefused) {
			t.Errorf("undo, %s: got %v, want a refusal", name, err)
		}
	}
	open := changesIn(t, w.Workspace)[0]
	open.Outcome = nil
	if _, err := w.Workspace.Planner.PlanUndoOf(t.Context(), open, "a mistake"); !errors.Is(err, session.ErrRefused) {
		t.Errorf("undo of an unknown outcome: got %v, want a refusal", err)
	}
}
