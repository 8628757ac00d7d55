package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestPutNewReplacesNothing(t *testing.T) {
	db, err := embedded.Open(embedded.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	line := faults.New(db)
	c := connect(t, line)
	table := &models.Table{ID: "orders", Name: "orders", PartitionKey: models.Key{Name: "id", Type: models.TypeS}, Indexes: []*models.Index{
		{Name: "byDay", PartitionKeys: []models.Key{{Name: "day", Type: models.TypeS}}, Projection: models.ProjectionAll},
	}}
	if err := c.Admin().CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	numbered := func(from, to, version int, text string) []models.Item {
		var list []models.Item
		for i := from; i < to; i++ {
			list = append(list, item(attrs{"id": fmt.Sprint(i), "version": version, "text": text}))
		}
		return list
	}
	for _, step := range []struct {
		items   []models.Item
		written int
	}{
		{nil, 0},
		{numbered(0, 250, 1, ""), 250},
		{numbered(0, 250, 2, ""), 0},
		{numbered(240, 251, 2, ""), 1},
		{numbered(0, 260, 3, ""), 9},
		{numbered(300, 320, 1, strings.Repeat("x", 390_000)), 20}, // more than one transaction may have
	} {
		written, _, err := c.Admin().PutNew(t.Context(), table, step.items)
		if err != nil || written != step.written {
			t.Errorf("%d items: %d written, %v; want %d", len(step.items), written, err, step.written)
		}
	}
	found, err := batchGet(t.Context(), c.Reader(), "orders", []models.Item{item(attrs{"id": "7"}), item(attrs{"id": "250"})})
	if err != nil || len(found) != 2 {
		t.Fatalf("%v, %v", found, err)
	}
	for i, want := range []string{"1", "2"} {
		if n, ok := found[i]["version"].(*types.AttributeValueMemberN); !ok || n.Value != want {
			t.Errorf("version %v, want %s", found[i]["version"], want)
		}
	}
	line.Set(faults.Writes(faults.After(1, faults.Named("refused"))))
	written, _, err := c.Admin().PutNew(t.Context(), table, numbered(1000, 1250, 1, ""))
	if written != 100 || store.ClassOf(err) != store.Unreachable || strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("%d written, and %v", written, err)
	}
	line.Set(nil)
	bad := numbered(2000, 2250, 1, "")
	bad[230]["day"] = &types.AttributeValueMemberNULL{Value: true}
	var existed int
	written, existed, err = c.Admin().PutNew(t.Context(), table, bad)
	e, ok := errors.AsType[*store.Error](err)
	if written != 200 || existed != 0 || !ok || e.Class != store.Validation || len(e.Failures) != 1 || e.Failures[0].Index != 230 ||
		!strings.HasPrefix(e.What, "DynamoDB rejected the item: ") || !strings.Contains(e.What, "Type mismatch for Index Key day") {
		t.Errorf("%d written, %d existed, %v", written, existed, err)
	}
	if written, existed, err := c.Admin().PutNew(t.Context(), table, bad); written != 0 || existed != 200 || err == nil {
		t.Errorf("again: %d written, %d existed, %v", written, existed, err)
	}
	table.Name = "missing"
	if _, _, err := c.Admin().PutNew(t.Context(), table, numbered(0, 1, 1, "")); store.ClassOf(err) != store.TableMissing {
		t.Errorf("got %v", err)
	}
}
