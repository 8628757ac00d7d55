package reading_test

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestLogIsBounded(t *testing.T) {
	const kept, sent = 500, 510
	w := fixture.New(t, "authbridge", session.Support)
	var l reading.Log
	ctx, reader, table := l.Watch(t.Context()), w.Conn.Reader(), w.Profile.Tables[0]
	leg := accesspatterns.ScanLeg(table)
	for range sent {
		if _, err := reader.Fetch(ctx, leg, nil, 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := reader.Fetch(ctx, accesspatterns.ScanLeg(&models.Table{ID: "none", Name: "none", PartitionKey: table.PartitionKey}), nil, 1); err == nil {
		t.Fatal("Fetch accepted a missing table")
	}
	list := l.Newest()
	if n, units := l.Total(); len(list) != kept || n != sent+1 || units != sent*0.5 {
		t.Errorf("got %d entries of %d requests, %g units", len(list), n, units)
	}
	if list[0].Operation != "Scan" || list[0].Err == nil || list[0].ID != sent+1 || list[1].Table != table.Name || list[1].Err != nil {
		t.Errorf("got newest entries %+v", list[:2])
	}
}
