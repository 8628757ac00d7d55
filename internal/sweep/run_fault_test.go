package sweep_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
)

// onLine is a fixture with empty tables behind a line that may be bad.
func onLine(t *testing.T) (*fixture.Fixture, *faults.Line) {
	t.Helper()
	line := faults.New(fixture.Database(t))
	f := fixture.Of(t, schemas.Open(t, "authbridge"), fixture.Connect(t, line))
	f.Create(t)
	f.Workspace = f.As("kagiso")
	return f, line
}

// dead loses the answer of the first write, and then every request.
func dead() faults.Script {
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

// An unknown outcome stops a sweep at once, repeated failures after a few items. A single failure does not.
func TestSweepStopsAfterFailures(t *testing.T) {
	const done, failed, unknown, skipped = sweep.Committed, sweep.Failed, sweep.Unknown, sweep.Skipped
	tests := map[string]struct {
		script faults.Script // from the second item on
		want   []sweep.Status
	}{
		"the line is dead after it arrived": {dead(), []sweep.Status{done, unknown, skipped, skipped, skipped}},
		"every write is refused": {
			faults.Writes(faults.Always(faults.Named("refused"))), []sweep.Status{done, failed, failed, failed, skipped},
		},
		"an answer is lost": {faults.Writes(faults.Nth(1, faults.Named("reset after"))), []sweep.Status{done, done, done, done, done}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, line := onLine(t)
				b := sweep.Sweep{Action: w.Profile.Action("approve")}
				for i := range test.want {
					it := w.PutCase(t, fmt.Sprintf("ver_%d", i))
					b.Items = append(b.Items, sweep.Item{Table: b.Action.Entity.Table, Item: it})
				}
				sum, err := w.Workspace.Sweeps.Apply(t.Context(), b, func(o sweep.Outcome) {
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
					status, _ := w.Read(t, b.Items[i].Item).Text("status")
					if o.Status == done && status != "approved" || (o.Status == failed || o.Status == skipped) && status != "in_review" {
						t.Errorf("item %d is %s, and was said to be %s", i, status, o.Status)
					}
					if o.Status != done && o.Why == "" {
						t.Errorf("item %d: %s without words", i, o.Status)
					}
				}
			})
		})
	}
}

// The reported outcome of each item is correct.
func TestSweepReportsOutcomesUnderRandomFaults(t *testing.T) {
	list := faults.Of(faults.Broken, faults.Failing, faults.Throttling)
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) {
			w, line := onLine(t)
			b := sweep.Sweep{Action: w.Profile.Action("approve")}
			for i := range 6 {
				b.Items = append(b.Items, sweep.Item{Table: b.Action.Entity.Table, Item: w.PutCase(t, fmt.Sprintf("ver_%d", i))})
			}
			line.Set(faults.Random(seed, 0.4, list))
			sum, err := w.Workspace.Sweeps.Apply(t.Context(), b, func(sweep.Outcome) {})
			line.Set(nil)
			if err != nil {
				return // Nothing was begun.
			}
			for i, o := range sum.Outcomes {
				status, _ := w.Read(t, b.Items[i].Item).Text("status")
				n := len(w.Entries(t, fmt.Sprintf("ver_%d", i)))
				right := n <= 1 && (n == 1) == (status == "approved")
				switch o.Status {
				case sweep.Committed:
					right = right && n == 1
				case sweep.Unknown:
				default:
					right = right && n == 0 && o.Why != ""
				}
				if !right {
					t.Errorf("seed %d: item %d is %s with %d audit entries, and was said to be %s: %s", seed, i, status, n, o.Status, o.Why)
				}
			}
		})
	}
}
