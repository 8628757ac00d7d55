package changes_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

// storedCases stores verifications of one client, and returns the selection of them all.
func storedCases(t *testing.T, w *fixture.Fixture, ids ...string) changes.Selection {
	t.Helper()
	for _, id := range ids {
		w.PutCase(t, id)
	}
	return changes.Selection{
		Set: changes.Set{Action: w.Profile.Action("approve")}, Pattern: w.Profile.Pattern("list-client-verifications"),
		Args: map[string]string{"clientId": "client_a"},
	}
}

// The preview counts items that the action cannot change by reason, without the text that differs between them.
func TestPreviewCountsRefusalsByReason(t *testing.T) {
	w, line := faultyFixture(t)
	s := storedCases(t, w, "ver_1", "ver_2", "ver_3", "ver_4")
	e := s.Action.Entity
	for _, id := range []string{"ver_2", "ver_3"} {
		it := w.PutCase(t, id).Clone()
		it["status"] = models.StringValue("rejected")
		it["GSI1SK"] = models.StringValue("rejected#2026-01-19T10:00:00Z")
		w.Put(t, e.Table, it)
	}
	line.Set(nil)
	var planned []string
	p, err := w.With(session.Support).Planner.Preview(t.Context(), s, func(it changes.Item, _ *change.Plan) error {
		id, _ := it.Item.Text("verificationId")
		planned = append(planned, id)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(planned, " ") != "ver_1 ver_4" || p.Selected != 4 || p.Items != 2 || len(p.Plans) != 2 {
		t.Errorf("planned %v, want ver_1 and ver_4: %+v", planned, p)
	}
	if len(p.Refusals) != 1 || p.Refusals[0].Count != 2 || p.Refusals[0].Status != changes.Conflict ||
		!strings.Contains(p.Refusals[0].Reason, "status is rejected") {
		t.Errorf("got refusals %+v, want one about the status", p.Refusals)
	}
	if p.Capacity != 2*p.Plans[0].Capacity() || p.ReadUnits == 0 || *p.Price <= 0 {
		t.Errorf("got %g WCU, %g RCU and $%g", p.Capacity, p.ReadUnits, *p.Price)
	}
	for _, c := range line.Calls() {
		if c.Writes {
			t.Errorf("the preview sent the write %s", c.Operation)
		}
	}
}

// Planning the items stays within the read budget.
func TestPreviewKeepsReadBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := faultyFixture(t)
		s := storedCases(t, w, "ver_1", "ver_2", "ver_3", "ver_4", "ver_5", "ver_6")
		o := w.Options()
		o.Budget = 0.5
		start := time.Now()
		p, err := w.Open(o).Planner.Preview(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		// The next request pays for the units of the last one.
		if took, minimum := time.Since(start).Seconds(), (p.ReadUnits-2)/o.Budget; took < minimum {
			t.Errorf("read %g RCU in %g s, want at least %g s", p.ReadUnits, took, minimum)
		}
	})
}

// A filter matches values as the role sees them, so filtering cannot reveal a masked value.
func TestFilterSeesMaskedValues(t *testing.T) {
	w, _ := faultyFixture(t)
	s := storedCases(t, w, "ver_1")
	it := w.PutCase(t, "ver_1").Clone()
	it["customerMetadata"] = &types.AttributeValueMemberM{Value: models.Item{"email": models.StringValue("kagiso@example.com")}}
	w.Put(t, s.Action.Entity.Table, it)
	s.Where = "customerMetadata.email:kagiso"
	_, err := w.Workspace.Planner.Preview(t.Context(), s, nil)
	if !errors.As(err, new(*change.Conflict)) || !strings.Contains(err.Error(), "matches none of 1 item") {
		t.Errorf("got %v, want a conflict because no item matches", err)
	}
}

// An error that is not about an item ends the preview, because its counts would be wrong.
func TestPreviewFailsWhenItemsCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, line := faultyFixture(t)
		s := storedCases(t, w, "ver_1", "ver_2")
		line.Set(faults.Only(faults.Always(faults.Named("access denied")), "GetItem"))
		if _, err := w.Workspace.Planner.Preview(t.Context(), s, nil); err == nil || errors.As(err, new(*change.Conflict)) {
			t.Errorf("got %v, want a read error", err)
		}
	})
}

// On a terminal, a preview contains a reason that several obstacles share only once.
func TestDrawnPreviewSharesReasons(t *testing.T) {
	w, _ := faultyFixture(t)
	p := changes.Preview{Selection: storedCases(t, w, "ver_1"), SetDocument: changes.SetDocument{Refusals: []changes.Obstacle{
		{Reason: "status is approved: expire needs status in_review", Count: 1200, Example: "a"},
		{Reason: "the item changed", Count: 2, Example: "b"},
		{Reason: "status is expired: expire needs status in_review", Count: 1, Example: "c"},
	}}}
	lines := p.Lines(w.Workspace.Session.Masker(), false, strings.ToUpper)
	want := []string{
		"", "1,201 items excluded, because expire needs status in_review:", "  1,200  status is approved (such as A)",
		"      1  status is expired (such as C)", "", "2 items excluded: the item changed (such as B)",
	}
	if diff := cmp.Diff(want, lines[len(lines)-len(want):]); diff != "" {
		t.Error(diff)
	}
}

// The preview of a set shows what it costs on AWS.
func TestPreviewShowsPrice(t *testing.T) {
	w, _ := faultyFixture(t)
	s := storedCases(t, w, "ver_1")
	for price, want := range map[float64]string{0.001: "WCU, less than $0.01 on demand in us-east-1", 1.5: "WCU, about $1.50 on demand in us-east-1"} {
		p := changes.Preview{Selection: s, SetDocument: changes.SetDocument{Items: 1, Price: &price}}
		if got := strings.Join(p.Lines(w.Workspace.Session.Masker(), false, nil), "\n"); !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
