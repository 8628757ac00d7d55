package changes_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// planFile plans a selection, and returns its file after reading it.
func planFile(t *testing.T, w *workspace.Workspace, s changes.Selection) *changes.File {
	t.Helper()
	return openPlanFile(t, savePlanFile(t, w, s))
}

// savePlanFile plans a selection, and returns the path of its file.
func savePlanFile(t *testing.T, w *workspace.Workspace, s changes.Selection) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sweep.json")
	draft, err := w.Planner.NewFile(path, s, "authbridge")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Planner.Preview(t.Context(), s, draft.Add); err != nil {
		t.Fatal(errors.Join(err, draft.Discard()))
	}
	if err := draft.Save(); err != nil {
		t.Fatal(err)
	}
	return path
}

func openPlanFile(t *testing.T, path string) *changes.File {
	t.Helper()
	m, err := changes.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// applyAll applies a plan file, and returns the outcomes in the order of the items.
func applyAll(t *testing.T, w *workspace.Workspace, m *changes.File, l changes.Limits) (setResult, error) {
	t.Helper()
	outcomes := make([]changes.Outcome, m.Items)
	sum, err := w.Committer.ApplyFile(t.Context(), m, l, func(o changes.Outcome) { outcomes[o.Index] = o })
	return setResult{sum, outcomes[:sum.Total()]}, err
}

// setResult is the result of a set.
type setResult struct {
	changes.Summary
	Outcomes []changes.Outcome
}

// run changes items, and returns the outcomes.
func run(ctx context.Context, w *workspace.Workspace, s changes.Set, items []changes.Item, each func(changes.Outcome)) (r setResult, err error) {
	r.Summary, err = w.Committer.Run(ctx, s, changes.Items(items...), func(o changes.Outcome) {
		if r.Outcomes = append(r.Outcomes, o); each != nil {
			each(o)
		}
	})
	return r, err
}

// withRealClock returns a console that uses the clock of the synctest bubble, as the journal does.
func withRealClock(w *fixture.Fixture) *workspace.Workspace {
	o := w.Options()
	o.Actor, o.Clock = "kagiso", time.Now
	return w.Open(o)
}

// A killingDoer ends the goroutine that sends a request, like a process that is killed.
type killingDoer struct {
	next      store.Doer
	mu        sync.Mutex
	remaining int  // number of requests that pass; negative for all
	arrives   bool // the killed request still arrives
}

func (d *killingDoer) Do(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	isKill := d.remaining == 0
	d.remaining--
	d.mu.Unlock()
	if isKill {
		if d.arrives {
			if answer, err := d.next.Do(r); err == nil {
				_ = answer.Body.Close()
			}
		}
		runtime.Goexit()
	}
	return d.next.Do(r)
}

// The consumed units never exceed the rate at any time.
func TestSweepKeepsWriteBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate = 5
		w, _ := faultyFixture(t)
		m := planFile(t, withRealClock(w), storedCases(t, w, "ver_1", "ver_2", "ver_3", "ver_4", "ver_5"))
		start, used := time.Now(), 0.0
		sum, err := withRealClock(w).Committer.ApplyFile(t.Context(), m, changes.Limits{Rate: rate}, func(o changes.Outcome) {
			used += o.Commitment.Capacity
			if maximum := rate * time.Since(start).Seconds(); used > maximum+1e-6 {
				t.Errorf("used %g WCU after %s, want at most %g", used, time.Since(start), maximum)
			}
		})
		if err != nil || sum.Counts[changes.Committed] != 5 || sum.Capacity != used || used == 0 {
			t.Fatalf("got %+v, %v, want 5 committed items", sum, err)
		}
		if took := time.Since(start).Seconds(); took > used/rate+1 {
			t.Errorf("the sweep took %g s for %g WCU", took, used)
		}
	})
}

// A table that throttles slows the sweep down, but no item fails.
func TestSweepSlowsDownWhileTableThrottles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, line := faultyFixture(t)
		m := planFile(t, withRealClock(w), storedCases(t, w, "ver_1", "ver_2", "ver_3"))
		line.Set(faults.Writes(faults.First(20, faults.Named("throttled"))))
		sum, err := applyAll(t, withRealClock(w), m, changes.Limits{})
		if err != nil || sum.Counts[changes.Committed] != 3 {
			t.Errorf("got %+v, %v, want 3 committed items", sum.Counts, err)
		}
	})
}

// A canary that is not committed stops the sweep, even without a prompt.
func TestFailedCanaryStopsSweep(t *testing.T) {
	w, _ := faultyFixture(t)
	s := storedCases(t, w, "ver_1", "ver_2", "ver_3", "ver_4")
	m := planFile(t, w.Workspace, s)
	it := w.PutCase(t, "ver_2").Clone()
	it["updatedAt"] = models.StringValue("2026-01-19T11:00:00Z")
	w.Put(t, s.Action.Entity.Table, it)
	sum, err := applyAll(t, w.Workspace, m, changes.Limits{Canary: 2})
	want := []changes.Status{changes.Committed, changes.Conflict, changes.Skipped, changes.Skipped}
	if diff := cmp.Diff(want, statuses(sum)); diff != "" || err != nil {
		t.Errorf("got error %v (-want +got):\n%s", err, diff)
	}
	if reason := sum.Outcomes[3].Reason; reason != "stopped because 1 of the first 2 items were not changed" {
		t.Errorf("got reason %q", reason)
	}
	// Without a canary, the sweep applies the rest.
	sum, err = applyAll(t, w.As("kagiso"), m, changes.Limits{})
	want = []changes.Status{changes.Earlier, changes.Conflict, changes.Committed, changes.Committed}
	if diff := cmp.Diff(want, statuses(sum)); diff != "" || err != nil {
		t.Errorf("the continued sweep: got error %v (-want +got):\n%s", err, diff)
	}
}

// The user can end the sweep after the canary.
func TestDeclinedSweepSkipsRest(t *testing.T) {
	w, _ := faultyFixture(t)
	m := planFile(t, w.Workspace, storedCases(t, w, "ver_1", "ver_2", "ver_3"))
	declined := errors.New("no")
	sum, err := w.Workspace.Committer.ApplyFile(t.Context(), m, changes.Limits{
		Canary: 1, Continue: func(_ context.Context, done changes.Summary, remaining int) error {
			if done.Counts[changes.Committed] != 1 || remaining != 2 {
				t.Errorf("Continue was called with %+v and %d remaining, want 1 committed and 2", done.Counts, remaining)
			}
			return declined
		},
	}, nil)
	if !errors.Is(err, declined) || sum.Total() != 1 {
		t.Errorf("got %+v, %v, want 1 outcome", sum, err)
	}
}

// A sweep stops when too many items differ from the plan.
func TestSweepStopsAtErrorRate(t *testing.T) {
	w, _ := faultyFixture(t)
	var ids []string
	for i := range 30 {
		ids = append(ids, fmt.Sprintf("ver_%02d", i))
	}
	s := storedCases(t, w, ids...)
	m := planFile(t, w.Workspace, s)
	for i := 0; i < 30; i += 3 {
		it := w.PutCase(t, ids[i]).Clone()
		it["updatedAt"] = models.StringValue("2026-01-19T11:00:00Z")
		w.Put(t, s.Action.Entity.Table, it)
	}
	sum, err := applyAll(t, w.Workspace, m, changes.Limits{})
	if err != nil || sum.Counts[changes.Skipped] != 10 || sum.Outcomes[29].Reason != "stopped because 7 of 20 items were not changed" {
		t.Errorf("got %+v, %v with reason %q, want 10 skipped items after 7 of 20 differ", sum.Counts, err, sum.Outcomes[29].Reason)
	}
}

// An unknown outcome of one item does not prevent later runs from changing the other items.
func TestUnclearItemsDoNotStopSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, line := faultyFixture(t)
		var ids []string
		for i := range 25 {
			ids = append(ids, fmt.Sprintf("ver_%02d", i))
		}
		s := storedCases(t, w, ids...)
		s.Action.Audits = nil // Nothing proves a single write without an audit entry.
		m := planFile(t, withRealClock(w), s)
		for range 6 {
			line.Set(connectionLost())
			if sum, err := applyAll(t, withRealClock(w), m, changes.Limits{}); err != nil || sum.Counts[changes.Unknown] != 1 {
				t.Fatalf("got %+v, %v, want 1 unknown outcome", sum.Counts, err)
			}
			line.Set(nil)
			time.Sleep(time.Hour)
			if state, err := withRealClock(w).Journal.Resolve(t.Context(), changesIn(t, w.Workspace)[0]); err != nil || state != change.AsPlanned {
				t.Fatalf("Resolve() = %q, %v, want AsPlanned", state, err)
			}
		}
		sum, err := applyAll(t, withRealClock(w), m, changes.Limits{})
		if err != nil || sum.Counts[changes.Committed] != 19 || sum.Counts[changes.Conflict] != 6 || sum.Stopped != "" {
			t.Errorf("got %+v, %v with reason %q", sum.Counts, err, sum.Stopped)
		}
		if u, err := w.Workspace.Journal.Undo(m.Sweep, ""); err != nil || u.Changes != 19 || u.Unclear != 6 {
			t.Errorf("Undo() = %d changes and %d unclear ones, %v, want 19 and 6", u.Changes, u.Unclear, err)
		}
	})
}

// Production needs point-in-time recovery.
func TestSweepOnProductionNeedsRecovery(t *testing.T) {
	w, line := faultyFixture(t)
	o, yes := w.Options(), true
	o.Declared.Production, o.Actor = &yes, "kagiso"
	live := w.Open(o)
	m := planFile(t, live, storedCases(t, w, "ver_1"))
	_, err := applyAll(t, live, m, changes.Limits{})
	warning := "point-in-time recovery, which is off for AuthBridgeTable"
	if !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), warning) {
		t.Errorf("without recovery: got %v, want a refusal", err)
	}
	a := w.Profile.Action("approve")
	for name, s := range map[string]changes.Set{"marked items": {Action: a}, "repairs": {Tables: a.Tables()}} {
		if _, err := run(t.Context(), live, s, pendingItems(t, w, 1), nil); !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), warning) {
			t.Errorf("without recovery, %s: got %v, want a refusal", name, err)
		}
	}
	line.Set(faults.Only(faults.Always(faults.Named("access denied")), "DescribeContinuousBackups"))
	_, err = applyAll(t, live, m, changes.Limits{})
	if !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "dynamodb:DescribeContinuousBackups is denied") {
		t.Errorf("without the permission: got %v, want a refusal", err)
	}
	line.Set(nil)
	fixture.EnableRecovery(t, line, "AuthBridgeTable")
	w.PutCase(t, "ver_2")
	pending := pendingItems(t, w, 2)
	line.Set(faults.Only(faults.Always(faults.Named("refused")), "DescribeTable"))
	undescribed, err := run(t.Context(), w.Open(o), changes.Set{Action: a}, pending, nil)
	line.Set(nil)
	if err != nil || undescribed.Counts[changes.Failed] != 1 || undescribed.Counts[changes.Skipped] != 1 ||
		store.ClassOf(undescribed.Outcomes[0].Err) != store.Unreachable {
		t.Errorf("without a write budget: got %+v, %v, want 1 failed and 1 skipped item", undescribed, err)
	}
	sum, err := applyAll(t, live, m, changes.Limits{})
	if err != nil || sum.Counts[changes.Committed] != 1 {
		t.Errorf("with recovery: got %+v, %v, want 1 committed item", sum, err)
	}
}

// A machine that applies the plan file of another machine cannot check its MAC. It still refuses an item whose key was
// replaced in the file.
func TestForgedKeyInForeignPlanFileIsRefused(t *testing.T) {
	w, _ := faultyFixture(t)
	path := savePlanFile(t, w.Workspace, storedCases(t, w, "ver_1", "ver_2"))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	var m changes.File
	if err := errors.Join(json.Unmarshal(lines[0], &m), json.Unmarshal(lines[3], &m)); err != nil {
		t.Fatal(err)
	}
	foreign := strings.Repeat("0", len(m.Machine))
	lines[0] = bytes.Replace(lines[0], []byte(m.Machine), []byte(foreign), 1)
	lines[1] = bytes.Replace(lines[1], []byte("CASE#ver_1"), []byte("CASE#ver_9"), 1)
	parts := sha256.Sum256(slices.Concat(lines[1], lines[2]))
	m.Machine, m.Parts, m.Digest, m.MAC = foreign, hex.EncodeToString(parts[:]), "", ""
	whole, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	sum256 := sha256.Sum256(whole)
	m.Digest = hex.EncodeToString(sum256[:])
	last := fmt.Sprintf(`{"items":2,"capacity":%v,"itemDigest":%q,"digest":%q,"mac":"0"}`+"\n", m.Capacity, m.Parts, m.Digest)
	forged := filepath.Join(t.TempDir(), "forged.json")
	if err := os.WriteFile(forged, slices.Concat(lines[0], lines[1], lines[2], []byte(last)), 0o600); err != nil {
		t.Fatal(err)
	}
	sum, err := applyAll(t, w.Workspace, openPlanFile(t, forged), changes.Limits{})
	if diff := cmp.Diff([]changes.Status{changes.Refused, changes.Committed}, statuses(sum)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// ddbdesk never applies an edited plan file, even if it only lacks a line.
func TestEditedSweepFileIsRefused(t *testing.T) {
	w, _ := faultyFixture(t)
	path := savePlanFile(t, w.Workspace, storedCases(t, w, "ver_1", "ver_2"))
	m := openPlanFile(t, path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	reopen := func(edited []byte) error {
		other := filepath.Join(t.TempDir(), "edited.json")
		if err := os.WriteFile(other, edited, 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := changes.OpenFile(other)
		if err == nil {
			_ = read.Close()
		}
		return err
	}
	if err := reopen(text); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string][2]string{
		"changed item":                    {`"verificationId":"ver_1"`, `"verificationId":"ver_9"`},
		"another action":                  {`"approve"`, `"reject"`},
		"another sweep ID":                {m.Sweep, strings.Repeat("0", 32)},
		"duplicate field in another case": {`"action":`, `"ACTION":"reject","action":`},
		"unknown field":                   {`"items":`, `"more":1,"items":`},
		"another number of items":         {`"items":2`, `"items":1`},
		"another format version":          {"ddbdesk plan 4", "ddbdesk plan 7"},
		"line break removed":              {"}\n", ``},
		"item removed":                    {string(lines[1]), ``},
		"items in another order":          {string(lines[1]) + string(lines[2]), string(lines[2]) + string(lines[1])},
	} {
		edited := bytes.Replace(text, []byte(edit[0]), []byte(edit[1]), 1)
		if bytes.Equal(edited, text) {
			t.Fatalf("%s: the edit changed nothing", name)
		}
		if err := reopen(edited); err == nil {
			t.Errorf("%s: the edited file was accepted", name)
		}
	}
	for n := 0; n < len(text); n += 17 {
		if err := reopen(text[:n]); err == nil {
			t.Fatalf("the file is accepted when truncated to %d of %d bytes", n, len(text))
		}
	}
	// Even with a correct digest, the MAC is wrong.
	forged := *m
	forged.Digest = strings.Repeat("0", 64)
	if _, err := applyAll(t, w.Workspace, &forged, changes.Limits{}); !errors.Is(err, session.ErrRefused) {
		t.Errorf("applying a forged file: got %v, want a refusal", err)
	}
	// Another program changes the file after it was opened.
	edited := bytes.Replace(text, []byte(`"verificationId":"ver_1"`), []byte(`"verificationId":"ver_9"`), 1)
	if err := os.WriteFile(path, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	if sum, err := applyAll(t, w.Workspace, m, changes.Limits{}); !errors.Is(err, session.ErrRefused) || sum.Total() > 0 {
		t.Errorf("the file changed after it was opened: got %+v, %v, want a refusal", sum, err)
	}
}

// The file contains no key with personal data, so other machines cannot apply the item.
func TestPlanFileEncryptsKeysWithPersonalData(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	p.Entity("Verification").Attribute("verificationId").Sensitive = models.PII
	w := fixture.NewOn(t, p, fixture.Connect(t, fixture.Database(t)))
	w.Create(t)
	path := savePlanFile(t, w.Workspace, storedCases(t, w, "ver_secret1"))
	m := openPlanFile(t, path)
	text, err := os.ReadFile(path)
	if err != nil || bytes.Contains(text, []byte("ver_secret1")) {
		t.Errorf("the plan file contains the ID in clear text: %s, %v", text, err)
	}
	o := w.Options()
	o.StateDir = t.TempDir()
	o.JournalPath = filepath.Join(o.StateDir, "journal.jsonl")
	sum, err := applyAll(t, w.Open(o), m, changes.Limits{})
	if err != nil || sum.Counts[changes.Refused] != 1 || !strings.Contains(sum.Outcomes[0].Reason, "apply it on that machine") {
		t.Errorf("on another machine: got %+v, %v, want 1 refused item", sum, err)
	}
	sum, err = applyAll(t, w.Workspace, m, changes.Limits{})
	if err != nil || sum.Counts[changes.Committed] != 1 {
		t.Errorf("on this machine: got %+v, %v, want 1 committed item", sum, err)
	}
}

// If the action needs a second person, only another user than the planner can apply the sweep.
func TestSweepNeedsSecondPersonOfItsAction(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	p.Action("approve").FourEyes = true
	w := fixture.NewOn(t, p, fixture.Connect(t, fixture.Database(t)))
	w.Create(t)
	m := planFile(t, w.As("kagiso"), storedCases(t, w, "ver_1", "ver_2"))
	if _, err := applyAll(t, w.As("kagiso"), m, changes.Limits{}); !errors.Is(err, session.ErrRefused) {
		t.Errorf("applied by the planner: got %v, want a refusal", err)
	}
	sum, err := applyAll(t, w.As("naledi"), m, changes.Limits{})
	if err != nil || sum.Counts[changes.Committed] != 2 {
		t.Errorf("applied by another user: got %+v, %v, want 2 committed items", sum, err)
	}
}

// An undo only restores items that are unchanged since the sweep. It can be repeated.
func TestSweepUndoReportsLaterChanges(t *testing.T) {
	synctest.Test(t, sweepUndoReportsLaterChanges)
}

func sweepUndoReportsLaterChanges(t *testing.T) {
	w, _ := faultyFixture(t)
	s := storedCases(t, w, "ver_1", "ver_2", "ver_3")
	m := planFile(t, w.Workspace, s)
	if _, err := applyAll(t, w.Workspace, m, changes.Limits{}); err != nil {
		t.Fatal(err)
	}
	if l, ok, err := w.Workspace.Journal.Last(); err != nil || !ok || !l.Many() || l.Set.ID != m.Sweep || l.Set.Changes != 3 {
		t.Errorf("the latest change is part of %+v, %v, want the sweep", l.Set, err)
	}
	touched := w.Read(t, w.PutCase(t, "ver_2")).Clone()
	touched["status"] = models.StringValue("expired")
	w.Put(t, s.Action.Entity.Table, touched)
	console := w.As("kagiso")
	u, err := console.Journal.Undo(m.Sweep[:8], "mistake")
	if err != nil || u.Changes != 3 || u.ID != m.Sweep {
		t.Fatalf("got %+v, %v, want 3 changes", u, err)
	}
	p, err := console.Planner.PreviewUndo(t.Context(), u)
	if err != nil || p.Items != 2 || len(p.Refusals) != 1 {
		t.Errorf("preview: got %+v, %v, want 2 items and 1 refusal", p, err)
	}
	var got []changes.Status
	_, err = console.Committer.Run(t.Context(), u.Set, u.Items(console.Journal), func(o changes.Outcome) { got = append(got, o.Status) })
	want := []changes.Status{changes.Committed, changes.Conflict, changes.Committed}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("got error %v (-want +got):\n%s", err, diff)
	}
	for id, want := range map[string]string{"ver_1": "in_review", "ver_2": "expired", "ver_3": "in_review"} {
		it := w.Read(t, models.Item{"PK": models.StringValue("CASE#" + id), "SK": &types.AttributeValueMemberS{Value: "META"}})
		if got, _ := it.Text("status"); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	if u, err = console.Journal.Undo(m.Sweep, ""); err != nil || u.Earlier != 2 || u.Changes != 1 {
		t.Errorf("the second undo: got %+v, %v", u, err)
	}
	if _, err := console.Journal.Undo("ffffffff", ""); !errors.Is(err, session.ErrInput) {
		t.Errorf("an unknown sweep: got %v, want an input error", err)
	}
	var conflict *change.Conflict
	if _, err := console.Planner.Preview(t.Context(), changes.Selection{
		Set: changes.Set{Action: s.Action}, Pattern: s.Pattern, Args: map[string]string{"clientId": "client_none"},
	}, nil); !errors.As(err, &conflict) {
		t.Errorf("an empty sweep: got %v, want a conflict", err)
	}
}
