package changes_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/changes"
)

// An unknown outcome stops a bulk change at once, repeated failures after a few items. A single failure does not.
func TestBulkStopsAfterFailures(t *testing.T) {
	const (
		done, failed, unknown, skipped = changes.BulkCommitted, changes.BulkFailed, changes.BulkUnknown, changes.BulkSkipped
		all                            = 1 << 20
	)
	tests := map[string]struct {
		break2 func(*cable) // before the second item
		want   []changes.BulkStatus
	}{
		"the line is dead after it arrived": {
			func(c *cable) { c.cutAfter = true }, []changes.BulkStatus{done, unknown, skipped, skipped, skipped},
		},
		"every write is refused": {func(c *cable) { c.refuse = all }, []changes.BulkStatus{done, failed, failed, failed, skipped}},
		"an answer is lost":      {func(c *cable) { c.swallow = 1 }, []changes.BulkStatus{done, done, done, done, done}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, c := behind(t)
				b := changes.Bulk{Action: w.Profile.Action("approve")}
				for i := range test.want {
					it := w.PutCase(t, fmt.Sprintf("ver_%d", i))
					b.Items = append(b.Items, changes.BulkItem{Table: b.Action.Entity.Table, Item: it})
				}
				sum, err := w.Workspace.Committer.RunBulk(t.Context(), b, func(o changes.BulkOutcome) {
					if o.Index == 0 {
						test.break2(c)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, statuses(sum)); diff != "" {
					t.Errorf("%+v\n(-want +got):\n%s", sum.Outcomes, diff)
				}
				*c = cable{next: c.next}
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
