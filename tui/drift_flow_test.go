package tui

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// putStale writes a case whose index key contains its previous state.
func (f *queueFixture) putStale(n int) {
	f.t.Helper()
	f.put(n, "approved", models.Item{"GSI1SK": models.StringValue("in_review#" + f.created(n))})
}

// search searches all entities for drift.
func search(tt *tuitest.Terminal, found string) {
	tt.Reach("RCU", "enter")
	tt.Reach(found, "tab", "enter")
}

// Outside of production, a search within the limit of scans needs no consent.
func TestSmallSearchForDriftStartsAtOnce(t *testing.T) {
	withCases(t, 2, func(_ *testing.T, w *queueFixture) {
		w.scanLimit = 1000
		tt := w.enter(wideSize, ":drift", "Search for drift in")
		tt.WaitFor("RCU")
		tt.Reach("All items match the schema", "enter")
	})
}

func TestDriftIsFoundAndListed(t *testing.T) {
	inQueueFixture(t, 2, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		w.putStale(3)
		w.putStale(4)
		w.write(change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String("AuthBridgeTable"), Item: models.Item{
			"PK": models.StringValue("CASE#ver_00000009-77aa-4c02-9d11-0a1b2c3d4e5f"), "SK": models.StringValue("META"),
			"status": models.StringValue("approved"),
		}}}}})
		w.write(change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String("AuthBridgeTable"), Item: models.Item{
			"PK": models.StringValue("CASE:ver_1"), "SK": models.StringValue("META"),
		}}}}})
		tt := w.enter(size, ":drift", "Search for drift in")
		tt.WaitFor("RCU")
		tt.Golden("choose")
		reads := w.transport.reads.Load()
		tt.Press("enter")
		tt.Golden("consent")
		tt.Press("enter")
		if w.transport.reads.Load() != reads {
			t.Fatal("the console scanned the tables without consent")
		}
		search(tt, "4 problems in 6 items")
		tt.Golden("findings")
		tt.Reach("in_review#2026-01-20T08:04:00Z → approved#2026-01-20T08:04:00Z", "4")
		tt.Reach("enter show the plan", "o", "f")
		tt.Reach("only if", "enter")
		tt.Advance(queueGrace)
		tt.Reach("✓ Done", "tab", "enter")
		tt.Advance(queueGrace)
		tt.Reach("✓ repaired", "enter")
		if got := w.text(4, "GSI1SK"); got != "approved#"+w.created(4) {
			t.Errorf("GSI1SK = %s", got)
		}
		tt.Reach("1 marked", "1", "o", "M")
		tt.Press("o", "f")
		tt.Advance(queueGrace)
		tt.Golden("repair")
		tt.Reach("1 done", "right", "enter")
		tt.Press("esc")
		if got := w.text(3, "GSI1SK"); got != "approved#"+w.created(3) {
			t.Errorf("GSI1SK = %s", got)
		}
		tt.Reach("Search for drift?", "ctrl+r")
		tt.Reach("2 problems in", "tab", "enter")
		tt.Reach("read at", "enter")
		tt.Reach("Search for drift in", "esc", "esc")
	})
}
