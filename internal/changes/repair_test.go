package changes_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
)

// staleKey contains the index key that staleFixture modifies, by entity.
var staleKey = map[string]string{"Verification": "GSI1SK", "CardRequest": "createdAtRequestId"}

// staleFixture returns a fixture with an item whose index key does not match its attributes.
func staleFixture(t *testing.T, schema, entity string) (*fixture.Fixture, *models.Entity, models.Item) {
	t.Helper()
	w := fixtureAs(t, "kagiso", schemas.Open(t, schema), fixture.Connect(t, fixture.Database(t)))
	e := w.Profile.Entity(entity)
	for _, s := range w.Samples(t) {
		if s.Entity == e {
			it := withText(s.Item, staleKey[entity], "stale")
			w.Put(t, e.Table, it)
			return w, e, it
		}
	}
	t.Fatalf("no sample item is a %s", entity)
	return nil, nil, nil
}

// If its audit entry needs a reason, a repair without a reason gets a default, and a repair with a reason keeps it.
// Other repairs need no reason.
func TestRepairHasReasonIfItsEntryNeedsOne(t *testing.T) {
	const own = "index keys or repeated times did not follow from the attributes"
	for _, tt := range []struct{ schema, entity, given, want string }{
		{"authbridge", "Verification", " ", ""},
		{"authbridge", "Verification", "seen in the report", "seen in the report"},
		{"tazco", "CardRequest", " ", own},
		{"tazco", "CardRequest", "seen in the report", "seen in the report"},
	} {
		w, e, it := staleFixture(t, tt.schema, tt.entity)
		p, err := w.Workspace.Planner.PlanRepair(t.Context(), e.Table, it, tt.given)
		if err != nil {
			t.Fatal(tt.entity, err)
		}
		if string(p.Basis.Reason) != tt.want || p.Action != w.Profile.RepairOf(e) {
			t.Errorf("%s with %q: Reason = %q, want %q", tt.entity, tt.given, p.Basis.Reason, tt.want)
		}
	}
	w, e, it := staleFixture(t, "tazco", "CardRequest")
	w.Profile.RepairOf(e).Reason = change.ReasonRequired
	if _, err := w.Workspace.Planner.PlanRepair(t.Context(), e.Table, it, ""); !errors.Is(err, session.ErrRefused) {
		t.Errorf("without a required reason: got %v, want a refusal", err)
	}
}

// ddbdesk applies, records and undoes a repair like any other change, although the schema does not declare it.
func TestRepairIsUndone(t *testing.T) { synctest.Test(t, repairIsUndone) }

func repairIsUndone(t *testing.T) {
	w, e, it := staleFixture(t, "tazco", "CardRequest")
	p, err := w.Workspace.Planner.PlanRepair(t.Context(), e.Table, it, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Workspace.Committer.Commit(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	key := func() string {
		k, _ := e.Table.PrimaryKey(it)
		now, err := w.Workspace.Reading.Get(t.Context(), e.Table, k)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := now.Text(staleKey[e.Name])
		return text
	}
	if key() == "stale" {
		t.Error("the repair left the key stale")
	}
	if _, err := w.Workspace.Planner.PlanRepair(t.Context(), e.Table, p.Writes[0].After, ""); !errors.As(err, new(*change.Conflict)) {
		t.Errorf("repairing an item without defects: got %v, want a conflict", err)
	}
	last, found, err := w.Workspace.Journal.Last()
	plan := last.Plan
	if !found || err != nil || plan.Action.ID != p.Action.ID {
		t.Fatalf("the last change is %+v, %v, want the repair", plan, err)
	}
	undo, err := w.Workspace.Planner.PlanUndo(t.Context(), plan, "a mistake")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Workspace.Committer.Commit(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if key() != "stale" {
		t.Errorf("the key after the undo = %q, want stale", key())
	}
}

// ddbdesk refuses the role support before any read, and the journal records the attempt.
func TestRepairNeedsAdmin(t *testing.T) {
	w, _, _ := staleFixture(t, "authbridge", "Verification")
	if _, err := w.Workspace.Committer.Start(t.Context(), changes.Set{Reason: "x"}); err != nil {
		t.Errorf("starting as an admin: %v", err)
	}
	support := w.With(session.Support)
	if _, err := support.Committer.Start(t.Context(), changes.Set{Reason: " to help "}); !errors.Is(err, session.ErrRefused) {
		t.Errorf("starting as support: got %v, want a refusal", err)
	}
	log, err := support.Journal.Log(10)
	if err != nil || len(log.Remarks) != 1 {
		t.Fatalf("want 1 remark in the journal, got %+v, %v", log, err)
	}
	if e := log.Remarks[0]; e.Kind != journal.Refusal || e.Subject != "authbridge.repair" || e.Detail.Reason != "to help" ||
		!strings.Contains(e.Detail.Why, "support") {
		t.Errorf("the refusal does not name the role: %+v", e)
	}
}
