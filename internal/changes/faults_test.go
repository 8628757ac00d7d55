package changes_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// faultyFixture returns a fixture without items behind a connection that can inject faults.
func faultyFixture(t *testing.T) (*fixture.Fixture, *faults.Connection) {
	t.Helper()
	line := faults.New(fixture.Database(t))
	return fixtureAs(t, "kagiso", schemas.Open(t, "authbridge"), fixture.Connect(t, line)), line
}

func isThorough() bool { return os.Getenv("DDBDESK_TEST_FAULTS") != "" }

// testedFaults returns the faults to test. A quick run omits faults that affect a change like another one;
// DDBDESK_TEST_FAULTS=1 tests all.
func testedFaults() []*faults.Fault {
	if isThorough() {
		return slices.DeleteFunc(faults.All(), func(f *faults.Fault) bool { return f.Name == "endless answer" }) // takes real time
	}
	var list []*faults.Fault
	for _, name := range []string{
		"refused", "reset before", "reset after", "cut answer", "stalled body", "hang", "hang after", "internal error",
		"internal error after",
		"throttled", "transaction in progress", "expired token", "log-in page",
	} {
		list = append(list, faults.Named(name))
	}
	return list
}

// sentByChange is the maximum number of requests of a change without faults: the change, and two reads.
const sentByChange = 3

// faultScripts returns the requests at which a fault occurs: a single one, or all from one on. A quick run only covers
// the change itself and the reads after it.
func faultScripts(f *faults.Fault) map[string]faults.Script {
	all := map[string]faults.Script{"request 1": faults.Nth(1, f), "all": faults.Always(f), "all from 2 on": faults.After(1, f)}
	for n := 1; isThorough() && n <= sentByChange; n++ {
		all[fmt.Sprintf("request %d", n)] = faults.Nth(n, f)
		all[fmt.Sprintf("all from %d on", n)] = faults.After(n-1, f)
	}
	return all
}

// The test applies and undoes changes with every fault at every request.
func TestChangesUnderEveryFault(t *testing.T) {
	for _, f := range testedFaults() {
		t.Run(f.Name, func(t *testing.T) {
			for label, script := range faultScripts(f) {
				synctest.Test(t, func(t *testing.T) {
					w, line := faultyFixture(t)
					w.PutCase(t, "ver_1")
					p, err := w.Workspace.Planner.Plan(
						t.Context(), w.Profile.Action("approve"), map[string]string{"verificationId": "ver_1"}, "",
					)
					if err != nil {
						t.Fatal(err)
					}
					start := time.Now()
					line.Set(script)
					_, err = w.Workspace.Committer.Commit(t.Context(), p)
					if took := time.Since(start); took > 2*time.Minute+30*time.Second {
						t.Errorf("%s: the change took %s, want at most 2m30s", label, took)
					}
					line.Set(nil)
					if isSettled(t, w, label, err, "approved", "in_review", 1) {
						undoWithFaults(t, w, label, line, script)
					}
				})
			}
		})
	}
}

// undoWithFaults undoes the last change while a fault script runs.
func undoWithFaults(t *testing.T, w *fixture.Fixture, label string, line *faults.Connection, script faults.Script) {
	t.Helper()
	past, err := w.Workspace.Journal.Undoable(changesIn(t, w.Workspace)[0])
	if err != nil {
		t.Fatal(label, err)
	}
	p, err := w.Workspace.Planner.PlanUndo(t.Context(), past, "")
	if err != nil {
		t.Fatal(label, err)
	}
	line.Set(script)
	_, err = w.Workspace.Committer.Commit(t.Context(), p)
	line.Set(nil)
	isSettled(t, w, "undo, "+label, err, "in_review", "approved", 2)
}

// isSettled compares the result of a commit with the stored item and the journal, and resolves open changes. It reports
// whether the change was applied.
func isSettled(t *testing.T, w *fixture.Fixture, label string, err error, applied, before string, entries int) bool {
	t.Helper()
	it, found := w.Workspace.Reading.Get(t.Context(), w.Profile.Entity("Verification").Table, models.Item{
		"PK": models.StringValue("CASE#ver_1"), "SK": models.StringValue("META"),
	})
	if found != nil {
		t.Fatal(found)
	}
	status, _ := it.Text("status")
	old := status == applied
	if !old && status != before {
		t.Errorf("%s: status = %s after the fault", label, status)
	}
	if n := len(w.Entries(t, "ver_1")); old && n != entries || !old && n != entries-1 {
		t.Errorf("%s: status = %s with %d audit entries", label, status, n)
	}
	last := changesIn(t, w.Workspace)[0]
	switch {
	case err == nil && !old, err != nil && !errors.Is(err, changes.ErrUnknown) && old:
		t.Errorf("%s: status = %s, but Commit returned %v", label, status, err)
	case errors.Is(err, changes.ErrUnknown) != last.Open(), !last.Open() && last.Committed() != old:
		t.Errorf("%s: status = %s, Commit returned %v, and the journal contains %+v", label, status, err, last.Outcome)
	case last.Open():
		want := change.NotWritten
		if old {
			want = change.Written
		}
		time.Sleep(time.Hour)
		if state, err := w.Workspace.Journal.Resolve(t.Context(), last); err != nil || state != want {
			t.Errorf("%s: status = %s: Resolve() = %q, %v, want %q", label, status, state, err, want)
		}
		if last = changesIn(t, w.Workspace)[0]; last.Open() || last.Committed() != old {
			t.Errorf("%s: the resolved outcome is %+v", label, last.Outcome)
		}
	}
	return old
}

// After an error, reading continues without losing, repeating or reordering rows.
func TestRowsAreCompleteUnderRandomFaults(t *testing.T) {
	list := faults.OfKinds(faults.Broken, faults.Failing, faults.Throttling, faults.Credentials, faults.OtherServer)
	list = slices.DeleteFunc(list, func(f *faults.Fault) bool { return f.Name == "endless answer" })
	w, line := faultyFixture(t)
	if _, err := tables.Seed(t.Context(), w.Profile, w.Conn, sample.Options{Seed: 1, At: fixture.Now}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"list-client-verifications", "list-verifications-by-date"} {
		p := w.Profile.Pattern(id)
		args := map[string]string{"clientId": "client_xyz789"}
		if p.Param("clientId") == nil {
			args = map[string]string{"date": "2026-01-19"}
		}
		line.Set(nil)
		want := w.Ask(t, p, args, 1000)
		if len(want) < 4 {
			t.Fatalf("%s finds only %d rows", id, len(want))
		}
		for seed := range uint64(8) {
			synctest.Test(t, func(t *testing.T) {
				line.Set(faults.Random(seed, 0.6, list))
				r, err := w.Workspace.Reading.Start(p, args, reading.RunOptions{Limit: 3})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				failed := 0
				for failed < 1000 {
					page, err := r.Next(t.Context())
					for _, it := range page.Items {
						got = append(got, p.Table.KeyText(it))
					}
					if err != nil {
						failed++
					} else if !page.More {
						break
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, seed %d, after %d errors (-want +got):\n%s", id, seed, failed, diff)
				}
			})
		}
	}
}
