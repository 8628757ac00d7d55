package changes_test

import (
	"fmt"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// A typed name proves nothing, so the audit entry contains the user's AWS or system identity.
func TestAuditEntryHasIdentity(t *testing.T) {
	f := fixtureAs(t, "kagiso", schemas.Open(t, "authbridge"), fixture.Connect(t, fixture.Database(t)))
	as := func(actor string, p session.Person) *workspace.Workspace {
		o := f.Options()
		o.Actor, o.Person = actor, p
		return f.Open(o)
	}
	const arn = "arn:aws:sts::111122223333:assumed-role/support/thabo"
	system := as("naledi", session.Person{User: "501 (lorato)"})
	aws := as("naledi", session.Person{User: "501 (lorato)", ARN: arn})
	for i, c := range []struct {
		name   string
		w      *workspace.Workspace
		change func(t *testing.T, w *workspace.Workspace, id string) error
		want   string
	}{
		{"operating system account", system, approve, "501 (lorato)"},
		{"AWS identity", aws, approve, arn},
		{"user who applies a plan", aws, func(t *testing.T, w *workspace.Workspace, id string) error {
			return applyPlanOf(t, system, w, id)
		}, arn},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := fmt.Sprintf("ver_%d", i)
			f.PutCase(t, id)
			if err := c.change(t, c.w, id); err != nil {
				t.Fatal(err)
			}
			entry := f.Entries(t, id)[0]
			identity, _ := entry.Text("identity")
			actor, _ := entry.Text("userId")
			if identity != c.want || actor != "naledi" {
				t.Errorf("identity = %q and actor = %q, want %q and naledi", identity, actor, c.want)
			}
		})
	}
}

// approve plans and commits an approval.
func approve(t *testing.T, w *workspace.Workspace, id string) error {
	t.Helper()
	p, err := w.Planner.Plan(t.Context(), w.Session.Profile().Action("approve"), map[string]string{"verificationId": id}, "")
	if err != nil {
		return err
	}
	_, err = w.Committer.Commit(t.Context(), p)
	return err
}

// applyPlanOf applies an approval that another console planned.
func applyPlanOf(t *testing.T, planner, w *workspace.Workspace, id string) error {
	t.Helper()
	p, err := planner.Planner.Plan(t.Context(), w.Session.Profile().Action("approve"), map[string]string{"verificationId": id}, "")
	if err != nil {
		return err
	}
	text, err := planner.Planner.WritePlan(p, "authbridge")
	if err != nil {
		return err
	}
	file, err := changes.ReadFile(text)
	if err != nil {
		return err
	}
	replanned, err := w.Planner.LoadPlan(t.Context(), file)
	if err != nil {
		return err
	}
	_, err = w.Committer.Apply(t.Context(), file, replanned)
	return err
}
