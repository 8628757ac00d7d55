package requests_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
)

// applyFaults contains transient and permanent faults, before and after the transaction.
var applyFaults = []string{
	"refused", "reset before", "reset after", "cut answer", "stalled body", "hang", "hang after", "internal error",
	"internal error after", "throttled", "transaction in progress", "expired token", "log-in page",
}

// During any fault, the case, its audit entry and the request change together or not at all. After a second attempt,
// the change is applied once.
func TestApplyUnderEveryFault(t *testing.T) {
	for _, name := range applyFaults {
		f := faults.Named(name)
		scripts := map[string]faults.Script{
			"first transaction":        faults.Only(faults.First(1, f), "TransactWriteItems"),
			"every transaction":        faults.Only(faults.Always(f), "TransactWriteItems"),
			"requests after the first": faults.Only(faults.After(1, f), "GetItem", "TransactWriteItems"),
		}
		for label, script := range scripts {
			t.Run(name+", "+label, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := newRequestsFixture(t)
					it := d.PutCase(t, "ver_1")
					q := file(t, d.user("ana", session.Support), "ver_1")
					ben := d.user("ben", session.Admin)
					v := review(t, ben, q)
					d.line.Set(script)
					_, _, err := ben.Requests.Apply(t.Context(), v)
					d.line.Set(nil)
					now := fmt.Sprint(d.status(t, it), len(d.Entries(t, "ver_1")), read(t, ben, q.ID).State)
					if now != "approved1applied" && (now != "in_review0open" || err == nil) {
						t.Fatalf("got %s after %v", now, err)
					}
					cleo := d.user("cleo", session.Admin)
					second := apply(t, cleo, read(t, cleo, q.ID))
					if done := now == "approved1applied"; done == (second == nil) {
						t.Errorf("got %s; the second attempt returned %v", now, second)
					}
					if d.status(t, it) != "approved" || len(d.Entries(t, "ver_1")) != 1 || read(t, ben, q.ID).State != requests.Applied {
						t.Errorf("status = %s with %d entries in the end", d.status(t, it), len(d.Entries(t, "ver_1")))
					}
				})
			})
		}
	}
}
