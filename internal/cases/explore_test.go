package cases_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

// explore returns the tree of an approved case of authbridge.
func explore(t *testing.T, f *fixture.Fixture, change func(*cases.Limits)) *cases.Tree {
	t.Helper()
	e, it := f.SampleCase(t, "approved")
	l := cases.DefaultLimits()
	change(&l)
	tree, err := f.Workspace.Cases.Explore(t.Context(), startAt(e, it), l)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// names returns the branch names of a tree, indented by depth.
func names(tree *cases.Tree) []string {
	return models.MapSlice(tree.Rows(), func(r cases.Row) string { return strings.Repeat(" ", r.Depth) + r.Name })
}

func TestExploreFollowsEntriesAboutItem(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	tree := explore(t, f, func(*cases.Limits) {})
	got := names(tree)
	for _, want := range []string{"Verification", " list-verification-documents", " list-client-verifications"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, list := range []string{" list-verifications-by-date", " list-audit-by-date"} {
		if slices.Contains(got, list) {
			t.Errorf("Explore followed %q, which lists every case", list)
		}
	}
	if len(names(explore(t, f, func(l *cases.Limits) { l.Depth = 0 }))) != 1 {
		t.Error("depth 0 follows a relation")
	}
	deeper := len(explore(t, f, func(l *cases.Limits) { l.Depth = 2 }).Items())
	if items := len(tree.Items()); deeper <= items {
		t.Errorf("got %d items at depth 1 and %d at depth 2", items, deeper)
	}
	without := names(explore(t, f, func(l *cases.Limits) { l.Without = []string{"list-client-verifications"} }))
	if slices.Contains(without, " list-client-verifications") {
		t.Errorf("%q contains the excluded pattern", without)
	}
}

func TestLimitsBoundTree(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	for name, c := range map[string]struct {
		change  func(*cases.Limits)
		limit   int
		message string
	}{
		"items": {func(l *cases.Limits) { l.Items = 3 }, 3, "stopped at 3 items"},
		"bytes": {func(l *cases.Limits) { l.Bytes = 700 }, 3, ""},
		"units": {func(l *cases.Limits) { l.Units = 1 }, 3, "stopped at the limit of reads"},
		"rows":  {func(l *cases.Limits) { l.Rows = 1 }, 6, ""},
	} {
		tree := explore(t, f, c.change)
		items, bytes := len(tree.Items()), 0
		for _, r := range tree.Items() {
			bytes += r.Item.Size()
		}
		if items == 0 || items > c.limit || name == "bytes" && bytes > 700 {
			t.Errorf("%s: got %d items with %d bytes", name, items, bytes)
		}
		more := slices.ContainsFunc(tree.Rows(), func(r cases.Row) bool { return strings.Contains(r.Note(), "more exist") })
		if !strings.Contains(tree.Summary(), c.message) || c.message == "" && !more {
			t.Errorf("%s: got summary %s, more: %v", name, tree.Summary(), more)
		}
	}
}

// Pruning a branch removes the items that it found first.
func TestPrunedBranchesAreNotCollected(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	tree := explore(t, f, func(*cases.Limits) {})
	before := len(tree.Items())
	i := slices.IndexFunc(tree.Rows(), func(r cases.Row) bool { return r.Name == "list-client-verifications" })
	row := tree.Rows()[i]
	row.Pruned = true
	after := len(tree.Items())
	if after != before-row.New() || !strings.HasPrefix(tree.Rows()[i].Note(), "omitted") {
		t.Errorf("pruning leaves %d of %d items, want %d fewer", after, before, row.New())
	}
	c, report, err := f.Workspace.Cases.Collect(t.Context(), tree, cases.Purpose{})
	if err != nil || len(c.Records) != after || report.Deleted != 0 {
		t.Errorf("collected %d items, %v", len(c.Records), err)
	}
}

// Undeclared attributes are only included if the user names them, and items that disappear are counted.
func TestCaseReport(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Developer)
	e, it := f.SampleCase(t, "approved")
	it = it.Clone()
	it["campaign"], it["26771234567"] = models.StringValue("spring"), models.StringValue("x")
	f.Put(t, e.Table, it)
	tree := explore(t, f, func(l *cases.Limits) { l.Depth = 0 })
	_, unmatched, err := f.Workspace.Cases.Collect(t.Context(), tree, cases.Purpose{
		Keep: []string{"nope", "campaign", "Client.campaign", "status"}, Reason: "a bug", Ticket: "OPS-7",
	})
	if want := []string{"nope", "Client.campaign", "status"}; err != nil || !slices.Equal(unmatched.Unmatched, want) {
		t.Errorf("got %v, %v, want %v", unmatched, err, want)
	}
	for _, keep := range [][]string{nil, {"campaign"}, {"Verification.campaign"}} {
		c, report, err := f.Workspace.Cases.Collect(t.Context(), tree, cases.Purpose{Keep: keep, Reason: "a bug", Ticket: "OPS-7"})
		if err != nil {
			t.Fatal(err)
		}
		_, hasCampaign := c.Records[0].Item["campaign"]
		if hasCampaign != (keep != nil) || report.Kept["Verification.campaign"] != len(keep) || report.Dropped["Verification.campaign"] != 1-len(keep) {
			t.Errorf("%v: campaign is kept: %v: %q", keep, hasCampaign, report.Lines())
		}
		if c.Reason != "a bug" || c.Ticket != "OPS-7" || c.Start.Entity != "Verification" {
			t.Errorf("the header is %+v", c.Header)
		}
	}
	recorded := 0
	for entry, err := range journal.Read(f.Workspace.Session.JournalPath()) {
		if err != nil || entry.Kind != journal.Export || entry.Detail.Reason != "OPS-7 a bug" {
			t.Errorf("the journal contains %+v, %v", entry, err)
		}
		recorded++
	}
	if recorded != 4 {
		t.Errorf("the journal contains %d entries, want 4", recorded)
	}
}

func TestProductionNeedsReason(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	o := f.Options()
	o.Environment = "prod"
	w := f.Open(o)
	if !w.Session.Production() {
		t.Fatal("the session is not on production")
	}
	tree := explore(t, f, func(*cases.Limits) {})
	if _, _, err := w.Cases.Collect(t.Context(), tree, cases.Purpose{Reason: " "}); !errors.Is(err, session.ErrRefused) {
		t.Errorf("got %v without a reason, want a refusal", err)
	}
	c, _, err := w.Cases.Collect(t.Context(), tree, cases.Purpose{Reason: "OPS-7"})
	if err != nil || !c.Production {
		t.Errorf("got %+v, %v, want a case from production", c, err)
	}
}
