package drift_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// search returns the results of a drift search.
func search(t *testing.T, s *workspace.Workspace, o drift.Options) ([]drift.Result, drift.Summary) {
	t.Helper()
	var found []drift.Result
	sum, err := s.Drift.Find(t.Context(), o, func(d drift.Result) error {
		found = append(found, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, sum
}

func TestSampleItemsHaveNoDefects(t *testing.T) {
	t.Parallel()
	fixture.EachSchema(t, session.Support, func(t *testing.T, w *fixture.Fixture, samples []sample.Item) {
		found, sum := search(t, w.Workspace, drift.Options{})
		for _, d := range found {
			t.Errorf("%s %s: unexpected defects %+v", d.Table.Name, d.Table.KeyText(d.Item), d.Defects)
		}
		if sum.Scanned != len(samples) || sum.Capacity == 0 || sum.Items != len(found) {
			t.Errorf("got %+v, want %d scanned items and %d with defects", sum, len(samples), len(found))
		}
	})
}

// The test damages the index keys and repeated times of one item of each entity, one after another.
func TestEveryStaleKeyIsFoundAndRepaired(t *testing.T) {
	t.Parallel()
	fixture.EachSchema(t, session.Admin, func(t *testing.T, w *fixture.Fixture, samples []sample.Item) {
		seen := map[*models.Entity]bool{}
		for _, s := range samples {
			if seen[s.Entity] || s.Entity.Owner != "" {
				continue
			}
			seen[s.Entity] = true
			for _, path := range derivedPaths(s.Entity, s.Item) {
				damaged := s.Item.Clone()
				v, _ := damaged.At(path)
				text := "9"
				if models.ValueType(v) == models.TypeS {
					text = "stale"
				}
				wrong, err := models.ScalarValue(models.ValueType(v), text)
				if err != nil {
					t.Fatal(err)
				}
				damaged.SetNames(strings.Split(path, "."), wrong)
				checkRepair(t, w, s, damaged, path)
			}
		}
	})
}

// derivedPaths lists the item's index keys and repeated times that follow from its attributes alone.
func derivedPaths(e *models.Entity, it models.Item) []string {
	var paths []string
	for _, k := range e.Table.KeyAttributes() {
		t, ok := e.Keys[k.Name]
		if _, exists := it[k.Name]; !ok || !exists || k == e.Table.PartitionKey || k == e.Table.SortKey || t.String() == "{"+k.Name+"}" {
			continue
		}
		if !slices.ContainsFunc(t.Placeholders(), func(n string) bool { a := e.Attribute(n); return a == nil || a.KeyOnly }) {
			paths = append(paths, k.Name)
		}
	}
	for _, a := range e.Attributes {
		if _, exists := it[a.Name]; a.Equals != "" && a.Format.IsTime() && exists {
			paths = append(paths, a.Name)
		}
	}
	return paths
}

func checkRepair(t *testing.T, w *fixture.Fixture, s sample.Item, damaged models.Item, path string) {
	t.Helper()
	w.Put(t, s.Table, damaged)
	defer w.Put(t, s.Table, s.Item)
	found, _ := search(t, w.Workspace, drift.Options{Entity: s.Entity.Name})
	if len(found) != 1 || len(found[0].Defects) != 1 || found[0].Defects[0].Attribute != path || !found[0].Repairable {
		t.Errorf("%s of %s: got defects %+v, want 1 that can be repaired", path, s.Entity.Name, found)
		return
	}
	plan, err := w.Workspace.Planner.PlanRepair(t.Context(), s.Table, found[0].Item, "drift")
	if err != nil {
		t.Errorf("%s of %s: %v", path, s.Entity.Name, err)
		return
	}
	if _, err := w.Workspace.Committer.Commit(t.Context(), plan); err != nil {
		t.Errorf("%s of %s: %v", path, s.Entity.Name, err)
		return
	}
	now, err := w.Workspace.Reading.Get(t.Context(), s.Table, plan.Writes[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	if defects := w.Workspace.Drift.DefectsShown(w.Workspace.Session.Masker(), s.Table, now); len(defects) > 0 {
		t.Errorf("%s of %s: defects after the repair: %+v", path, s.Entity.Name, defects)
	}
	if diff := cmp.Diff(models.Item{}, changedAttributes(s.Item, now)); diff != "" {
		t.Errorf("%s of %s after the repair (-want +got):\n%s", path, s.Entity.Name, diff)
	}
}

// changedAttributes returns the attributes of the second item that differ.
func changedAttributes(a, b models.Item) models.Item {
	out := models.Item{}
	for _, c := range models.Diff(a, b) {
		out[c.Path] = c.After
	}
	return out
}

func TestIncompleteAndUnknownItemsCannotBeRepaired(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e := w.Profile.Entity("Verification")
	text := models.StringValue
	incomplete := models.Item{"PK": text("CASE#ver_ghost"), "SK": text("META"), "status": text("approved")}
	unknownItem := models.Item{"PK": text("KASE#ver_1"), "SK": text("META")}
	w.Put(t, e.Table, incomplete, unknownItem)
	found, sum := search(t, w.Workspace, drift.Options{})
	want := map[change.DefectKind]int{change.Ghost: 1, change.Unknown: 1}
	if diff := cmp.Diff(want, sum.Kinds); diff != "" || sum.Items != 2 {
		t.Fatalf("%d items (-want +got):\n%s", sum.Items, diff)
	}
	for _, d := range found {
		if d.Repairable || d.Obstacle == "" {
			t.Errorf("%+v: got repairable %v with obstacle %q", d.Defects, d.Repairable, d.Obstacle)
		}
		if _, err := w.Workspace.Planner.PlanRepair(t.Context(), d.Table, d.Item, ""); !errors.Is(err, session.ErrRefused) {
			t.Errorf("PlanRepair() returned %v, want a refusal", err)
		}
	}
	if found, _ = search(t, w.Workspace, drift.Options{Entity: "Verification"}); len(found) != 1 || found[0].Entity != e {
		t.Errorf("only Verification: got %+v, want 1 item", found)
	}
	if _, err := w.Workspace.Drift.Find(
		t.Context(), drift.Options{Entity: "Verifcation"}, nil,
	); !errors.Is(err, session.ErrInput) || !strings.Contains(err.Error(), "Verification") {
		t.Errorf("an unknown entity: got %v, want a suggestion", err)
	}
}

// The search does not call the function again after its error or the end of the context.
func TestFindEndsWithErrorOrContext(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e := w.Profile.Entity("Verification")
	for _, id := range []string{"ver_g1", "ver_g2"} {
		w.Put(t, e.Table, models.Item{"PK": models.StringValue("CASE#" + id), "SK": models.StringValue("META")})
	}
	enough := errors.New("enough")
	calls, reported := 0, 0
	count := drift.Options{Progress: func(_ *models.Table, progress drift.Summary) { reported = progress.Scanned }}
	if _, sum := search(t, w.Workspace, count); reported != sum.Scanned || reported == 0 {
		t.Errorf("the progress reports %d of %d items", reported, sum.Scanned)
	}
	sum, err := w.Workspace.Drift.Find(t.Context(), drift.Options{}, func(drift.Result) error { calls++; return enough })
	if !errors.Is(err, enough) || calls != 1 || sum.Items != 1 {
		t.Errorf("got %d calls, %+v, %v, want 1 call", calls, sum, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Workspace.Drift.Find(ctx, drift.Options{}, func(drift.Result) error { t.Error("the callback was called"); return nil }); err == nil {
		t.Error("the canceled search returned no error")
	}
}

// Without consent, Find refuses the search and reports the cost of the scan.
func TestFindOnProductionNeedsConsent(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Support)
	s := workspace.New(session.Options{Profile: w.Profile, Store: w.Conn.Reader(), Context: w.Profile.Guardrails.Production[0]})
	_, err := s.Drift.Find(t.Context(), drift.Options{}, func(drift.Result) error { return nil })
	if !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "392 items") || !strings.Contains(err.Error(), "--allow-scan") {
		t.Fatalf("got %v, want a refusal with the cost", err)
	}
	if _, sum := search(t, s, drift.Options{AllowScan: true}); sum.Scanned == 0 {
		t.Error("the allowed search read no item")
	}
}

// A live table may have a key whose name differs from the one in the schema.
func TestDefectsUseKeyNamesOfLiveTable(t *testing.T) {
	const literal = "status#createdAt"
	w := fixture.NewAltered(t, "authbridge", "verifications", func(m *models.Table) {
		m.Index("GSI1").SortKeys[0].Name = literal
	}, map[string]string{"GSI1SK": literal})
	found, sum := search(t, w.Workspace, drift.Options{Entity: "Verification"})
	if len(found) > 0 || sum.Scanned == 0 {
		t.Fatalf("scanned %d items and found %+v, want no defects", sum.Scanned, found)
	}
	e := w.Profile.Entity("Verification")
	samples := w.Samples(t)
	i := slices.IndexFunc(samples, func(s sample.Item) bool { return s.Entity == e })
	it := samples[i].Item.Clone()
	delete(it, "GSI1SK")
	it[literal] = models.StringValue("created#2020-01-01T00:00:00Z")
	w.Put(t, e.Table, it)
	found, _ = search(t, w.Workspace, drift.Options{Entity: "Verification"})
	if len(found) != 1 || len(found[0].Defects) != 1 || found[0].Defects[0].Attribute != literal || !found[0].Repairable {
		t.Errorf("got defects %+v, want 1 that can be repaired", found)
	}
}

// If the audit entry requires a reason, the defect is the reason.
func TestRepairsDoNotNeedReason(t *testing.T) {
	w := fixture.New(t, "tazco", session.Admin)
	samples := w.Samples(t)
	repaired := 0
	for _, sample := range samples {
		it := sample.Item.Clone()
		for _, x := range sample.Table.Indexes {
			for _, k := range x.SortKeys {
				if _, derived := sample.Entity.Keys[k.Name]; derived && it[k.Name] != nil {
					it[k.Name] = models.StringValue("old")
				}
			}
		}
		if models.EqualItems(it, sample.Item) {
			continue
		}
		w.Put(t, sample.Table, it)
		p, err := w.Workspace.Planner.PlanRepair(t.Context(), sample.Table, it, "")
		var refusal *session.Refusal
		switch {
		case errors.As(err, &refusal): // items that cannot be repaired at all
			continue
		case err != nil:
			t.Errorf("repairing %s: %v", sample.Entity.Name, err)
			continue
		}
		repaired++
		for _, write := range p.Writes {
			if reason, ok := write.After.Text("reason"); write.Entry && (!ok || reason == "") {
				t.Errorf("the audit entry of %s has no reason", sample.Entity.Name)
			}
		}
	}
	if repaired == 0 {
		t.Error("no sample item was repaired")
	}
}

// The search reports a wrong value that it cannot derive, but offers no repair.
func TestWrongValuesAreReported(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, "authbridge", session.Support)
	e, it := w.SampleCase(t, "created")
	it = it.Clone()
	it["documentType"] = models.StringValue("library_card")
	w.Put(t, e.Table, it)
	found, sum := search(t, w.Workspace, drift.Options{})
	if len(found) != 1 || sum.Kinds[change.WrongValue] != 1 {
		t.Fatalf("got %+v, %+v, want 1 wrong value", found, sum)
	}
	if d := found[0].Defects[0]; d.Attribute != "documentType" || d.Stored != "library_card" || found[0].Repairable {
		t.Errorf("got %+v, repairable: %t", d, found[0].Repairable)
	}
}
