package changes_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/changes"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
)

// connectionLost loses the answer of the first write, and then every request.
func connectionLost() faults.Script {
	lost := false
	return func(r faults.Request) *faults.Fault {
		switch {
		case lost:
			return faults.Named("refused")
		case r.Writes:
			lost = true
			return faults.Named("reset after")
		}
		return nil
	}
}

// A sweep stops at once after an unknown outcome, and after a few consecutive failures. A single failure does not stop
// it.
func TestSweepStopsAfterFailures(t *testing.T) {
	const done, failed, unknown, skipped = changes.Committed, changes.Failed, changes.Unknown, changes.Skipped
	tests := map[string]struct {
		script faults.Script // from the second item on
		want   []changes.Status
	}{
		"connection lost after the write": {connectionLost(), []changes.Status{done, unknown, skipped, skipped, skipped}},
		"every write fails": {
			faults.Writes(faults.Always(faults.Named("refused"))), []changes.Status{done, failed, failed, failed, skipped},
		},
		"response lost": {faults.Writes(faults.Nth(1, faults.Named("reset after"))), []changes.Status{done, done, done, done, done}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, line := faultyFixture(t)
				b := changes.Set{Action: w.Profile.Action("approve")}
				var items []changes.Item
				for i := range test.want {
					it := w.PutCase(t, fmt.Sprintf("ver_%d", i))
					items = append(items, changes.Item{Table: b.Action.Entity.Table, Item: it})
				}
				sum, err := run(t.Context(), w.Workspace, b, items, func(o changes.Outcome) {
					if o.Index == 0 {
						line.Set(test.script)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, statuses(sum)); diff != "" {
					t.Errorf("%+v\n(-want +got):\n%s", sum.Outcomes, diff)
				}
				line.Set(nil)
				for i, o := range sum.Outcomes {
					status, _ := w.Read(t, items[i].Item).Text("status")
					if o.Status == done && status != "approved" || (o.Status == failed || o.Status == skipped) && status != "in_review" {
						t.Errorf("item %d is %s, but its outcome is %s", i, status, o.Status)
					}
					if o.Status != done && o.Reason == "" {
						t.Errorf("item %d: the outcome %s has no reason", i, o.Status)
					}
				}
			})
		})
	}
}

// The reported outcome of each item is correct.
func TestSweepReportsOutcomesUnderRandomFaults(t *testing.T) {
	list := faults.OfKinds(faults.Broken, faults.Failing, faults.Throttling)
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) {
			w, line := faultyFixture(t)
			b := changes.Set{Action: w.Profile.Action("approve")}
			var items []changes.Item
			for i := range 6 {
				items = append(items, changes.Item{Table: b.Action.Entity.Table, Item: w.PutCase(t, fmt.Sprintf("ver_%d", i))})
			}
			line.Set(faults.Random(seed, 0.4, list))
			sum, err := run(t.Context(), w.Workspace, b, items, func(changes.Outcome) {})
			line.Set(nil)
			if err != nil {
				return // Nothing was sent.
			}
			for i, o := range sum.Outcomes {
				status, _ := w.Read(t, items[i].Item).Text("status")
				n := len(w.Entries(t, fmt.Sprintf("ver_%d", i)))
				right := n <= 1 && (n == 1) == (status == "approved")
				switch o.Status {
				case changes.Committed:
					right = right && n == 1
				case changes.Unknown:
				default:
					right = right && n == 0 && o.Reason != ""
				}
				if !right {
					t.Errorf("seed %d: item %d is %s with %d audit entries, but its outcome is %s: %s", seed, i, status, n, o.Status, o.Reason)
				}
			}
		})
	}
}
