package changes_test

import (
	"context"
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/changes"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Every queue can be read with valid parameters, and its actions apply to its rows.
func TestBuiltinSchemaQueuesCanBeRead(t *testing.T) {
	t.Parallel()
	for _, name := range profiles.Names() {
		w := fixture.New(t, name, session.Support)
		for _, q := range w.Workspace.Session.Profile().Queues {
			inputs := map[string]string{}
			for _, p := range q.Params {
				inputs[p.Name] = "x"
			}
			args, ok := q.Bind(inputs)
			if !ok {
				t.Errorf("%s: the queue needs more parameters than %v", q.ID, inputs)
			}
			r, err := w.Workspace.Reading.Start(q.Pattern, args, reading.RunOptions{Limit: 500, AllowScan: true})
			if err != nil {
				t.Errorf("%s: %v", q.ID, err)
				continue
			}
			page, err := r.Next(t.Context())
			if err != nil {
				t.Errorf("%s: %v", q.ID, err)
			}
			for _, it := range page.Items {
				if _, ok := w.Workspace.Session.Recognize(q.Pattern.Table, it); !ok {
					t.Errorf("%s: the row %s belongs to no entity", q.ID, q.Pattern.Table.KeyText(it))
				}
			}
		}
	}
}

// pendingItems returns rows of the review queue that are in review.
func pendingItems(t *testing.T, w *fixture.Fixture, n int) []changes.Item {
	t.Helper()
	q := w.Profile.Queue("review-queue")
	r, err := w.Workspace.Reading.Start(q.Pattern, q.Args, reading.RunOptions{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var list []changes.Item
	for _, it := range page.Items {
		if status, _ := it.Text("status"); status == "in_review" && len(list) < n {
			list = append(list, changes.Item{Table: q.Pattern.Table, Item: it})
		}
	}
	if len(list) < n {
		t.Fatalf("got %d rows, want at least %d", len(list), n)
	}
	return list
}

func statuses(sum setResult) []changes.Status {
	var list []changes.Status
	for _, o := range sum.Outcomes {
		list = append(list, o.Status)
	}
	return list
}

// An attribute that the pattern did not read did not change.
func TestSweepComparesOnlyListedAttributes(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	a, err := w.Workspace.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	p := *w.Profile.Queue("review-queue").Pattern
	p.Read.Projection, p.Variants = []string{"status"}, nil
	items := pendingItems(t, w, 1)
	items[0].Pattern = &p
	delete(items[0].Item, "updatedAt")
	sum, err := run(t.Context(), w.Workspace, changes.Set{Action: a}, items, nil)
	if diff := cmp.Diff([]changes.Status{changes.Committed}, statuses(sum)); err != nil || diff != "" {
		t.Errorf("error %v, statuses (-want +got):\n%s", err, diff)
	}
}

// An item that another user changed after it was listed is a conflict, even if the action is still possible.
func TestSweepReportsChangedItemsAsConflicts(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	items := pendingItems(t, w, 4)
	touched := items[1].Item.Clone()
	touched["updatedAt"] = models.StringValue("2026-01-20T11:59:59Z")
	decided := items[2].Item.Clone()
	decided["status"] = models.StringValue("rejected")
	w.Put(t, items[1].Table, touched, decided)
	a, err := w.Workspace.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	sum, err := run(t.Context(), w.Workspace, changes.Set{Action: a}, items, func(o changes.Outcome) {
		if o.Index != calls {
			t.Errorf("outcome %d has the index %d", o.Index, calls)
		}
		calls++
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []changes.Status{changes.Committed, changes.Conflict, changes.Conflict, changes.Committed}
	if diff := cmp.Diff(want, statuses(sum)); diff != "" || calls != 4 || sum.Counts[changes.Conflict] != 2 || sum.Capacity == 0 {
		t.Errorf("%+v (-want +got):\n%s", sum, diff)
	}
	if reason := sum.Outcomes[1].Reason; !strings.Contains(reason, "updatedAt") {
		t.Errorf("the reason for the changed item is %q, want updatedAt", reason)
	}
	if sum.Outcomes[0].Journal == "" {
		t.Error("the committed change has no journal entry")
	}
	for i, status := range []string{"approved", "in_review", "rejected", "approved"} {
		key, _ := items[i].Table.PrimaryKey(items[i].Item)
		it, err := w.Workspace.Reading.Get(t.Context(), items[i].Table, key)
		if got, _ := it.Text("status"); err != nil || got != status {
			t.Errorf("status of item %d = %s, want %s: %v", i, got, status, err)
		}
	}
}

// When the sweep is stopped, it completes the current item and skips the remaining items.
func TestStoppedSweepFinishesCurrentItem(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	a, err := w.Workspace.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	sum, err := run(ctx, w.Workspace, changes.Set{Action: a}, pendingItems(t, w, 3), func(changes.Outcome) { cancel() })
	if err != nil {
		t.Fatal(err)
	}
	want := []changes.Status{changes.Committed, changes.Skipped, changes.Skipped}
	if diff := cmp.Diff(want, statuses(sum)); diff != "" {
		t.Errorf("%+v (-want +got):\n%s", sum, diff)
	}
}

// A sweep reports a missing role once, not for each item.
func TestSweepIsRefusedBeforeFirstItem(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	a, err := w.Workspace.Planner.Action("reject")
	if err != nil {
		t.Fatal(err)
	}
	items := pendingItems(t, w, 1)
	rejectOutcome := func(changes.Outcome) { t.Error("the callback ran for a refused sweep") }
	if _, err := run(
		t.Context(), w.With(session.Support), changes.Set{Action: a, Reason: "r"}, items, rejectOutcome,
	); !errors.Is(err, session.ErrRefused) {
		t.Errorf("role support: got %v, want a refusal", err)
	}
	if _, err := run(t.Context(), w.Workspace, changes.Set{Action: a}, items, rejectOutcome); !errors.Is(err, session.ErrRefused) {
		t.Errorf("without a reason: got %v, want a refusal", err)
	}
}

// The sweep repairs items with defects and refuses items that cannot be repaired.
func TestSweepRepairsItemsWithDefects(t *testing.T) { synctest.Test(t, sweepRepairsItemsWithDefects) }

func sweepRepairsItemsWithDefects(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e, it := w.SampleCase(t, "approved")
	it = it.Clone()
	it["GSI1SK"] = models.StringValue("created#2026-01-01T00:00:00Z")
	incomplete := models.Item{"PK": models.StringValue("CASE#ver_ghost"), "SK": models.StringValue("META")}
	w.Put(t, e.Table, it, incomplete)
	found := search(t, w.Workspace, drift.Options{})
	var items []changes.Item
	for _, d := range found {
		items = append(items, changes.Item{Table: d.Table, Item: d.Item})
	}
	sum, err := run(t.Context(), w.Workspace, changes.Set{Reason: "drift", Tables: w.Profile.Tables}, items, nil)
	if err != nil || sum.Counts[changes.Committed] != 1 || sum.Counts[changes.Refused] != 1 {
		t.Fatalf("got %+v, %v, want 1 committed and 1 refused item", sum, err)
	}
	if found = search(t, w.Workspace, drift.Options{}); len(found) != 1 || found[0].Repairable {
		t.Errorf("defects after the repair: %+v, want 1 that cannot be repaired", found)
	}
}

// No cell of the report is a spreadsheet formula.
func TestSweepReportHasLineForEachItem(t *testing.T) {
	var text strings.Builder
	if err := changes.WriteCSV(&text, []changes.Outcome{
		{Table: "t", Key: "=cmd()", Status: changes.Committed, Journal: "01J"},
		{Index: 1, Table: "t", Key: "k\x1b[2J", Status: changes.Conflict, Reason: "changed, twice"},
	}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil || len(rows) != 3 || rows[1][1] != "'=cmd()" || strings.Contains(text.String(), "\x1b") {
		t.Errorf("got %q, %v, want 3 rows of safe text", rows, err)
	}
}

// search returns the results of a drift search.
func search(t *testing.T, s *workspace.Workspace, o drift.Options) []drift.Result {
	t.Helper()
	var found []drift.Result
	_, err := s.Drift.Find(t.Context(), o, func(d drift.Result) error {
		found = append(found, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
