package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/ops/data"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// The items of an old case must not expire while a user looks at it.
func TestOpenCaseItemsDoNotExpire(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	e := p.Entity("Verification")
	samples := schemas.Samples(t, p, sample.Options{Seed: 1, At: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)})
	var records []*cases.Record
	for _, s := range samples {
		if s.Entity == e {
			records = append(records, &cases.Record{Table: s.Table, Item: s.Item})
		}
	}
	countItems := func(o embedded.Options) int {
		n := 0
		synctest.Test(t, func(t *testing.T) {
			db, err := embedded.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			}()
			conn, err := store.Connect(t.Context(), store.Options{Embedded: db})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := data.Write(t.Context(), p, conn, data.AddRecords(records)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			page, err := conn.Reader().Fetch(t.Context(), accesspatterns.ScanLeg(e.Table), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			n = len(page.Items)
		})
		return n
	}
	if n := countItems(caseStoreOptions()); n != len(records) {
		t.Errorf("%d of %d items remain without expiry", n, len(records))
	}
	if n := countItems(embedded.Options{NoSync: true}); n != 0 {
		t.Errorf("%d of %d items remain with expiry, want none", n, len(records))
	}
}
