package change_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestPlanCapacityMatchesStore(t *testing.T) {
	db, err := embedded.Open(embedded.Options{Path: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	conn, err := store.Connect(t.Context(), store.Options{Embedded: db})
	if err != nil {
		t.Fatal(err)
	}
	table := &models.Table{Name: "events", PartitionKey: key("PK"), Indexes: []*models.Index{
		{Name: "all", PartitionKeys: models.KeyList(key("a")), SortKeys: models.KeyList(key("b")), Projection: models.ProjectionAll},
		{Name: "keys", PartitionKeys: models.KeyList(key("b")), Projection: models.ProjectionKeysOnly},
		{Name: "some", PartitionKeys: models.KeyList(key("a")), Projection: models.ProjectionInclude, Include: []string{"c"}},
	}}
	if err := conn.Admin().CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	next := 0
	rapid.Check(t, func(t *rapid.T) {
		p := &change.Plan{Basis: &change.Basis{UserInput: change.UserInput{Token: fmt.Sprintf("%036d", next)}}}
		for range rapid.IntRange(1, 3).Draw(t, "writes") {
			next++
			w := plannedWrite(t, table, fmt.Sprint(next))
			p.Writes = append(p.Writes, w)
			if w.Before != nil {
				if err := stored.Put(t.Context(), conn.Writer(), table.Name, []models.Item{w.Before}); err != nil {
					t.Fatal(err)
				}
			}
		}
		done, err := conn.Writer().Commit(t.Context(), p.Batch())
		if err != nil {
			t.Fatal(err)
		}
		if done.Capacity != p.Capacity() {
			t.Fatalf("the plan estimated %g WCU, the store charged %g:\n%s", p.Capacity(), done.Capacity, p.Batch().CLI())
		}
	})
}

func TestWritesAreChargedByKilobyte(t *testing.T) {
	for size, want := range map[int]float64{1: 1, 1023: 1, 1024: 1, 1025: 2, 2047: 2, 2048: 2, 2049: 3} {
		it := models.Item{"k": models.StringValue(strings.Repeat("x", size-1))} // The name also counts.
		p := &change.Plan{Basis: &change.Basis{}, Writes: []change.Write{{
			Operation: change.Put, Table: &models.Table{PartitionKey: key("k")}, Key: it, After: it,
		}}}
		if got := p.Capacity(); got != want {
			t.Errorf("%d bytes: %g units, want %g", size, got, want)
		}
	}
}

func key(name string) models.Key { return models.Key{Name: name, Type: models.TypeS} }

// plannedWrite returns a write of the item with the key, by a random operation.
func plannedWrite(t *rapid.T, table *models.Table, pk string) change.Write {
	w := change.Write{Table: table, Key: models.Item{"PK": models.StringValue(pk)}}
	w.Operation = rapid.SampledFrom([]change.Operation{
		change.Put, change.Update, change.Delete, change.Check,
	}).Draw(t, "operation")
	item := func(label string) models.Item {
		it := w.Key.Clone()
		for _, name := range []string{"a", "b", "c", "d"} {
			if n := rapid.SampledFrom([]int{0, 1, 2, 500, 1000}).Draw(t, label+" "+name); n > 0 {
				it[name] = models.StringValue(strings.Repeat("x", n))
			}
		}
		return it
	}
	if w.Operation != change.Put {
		w.Before = item("before")
		w.Condition = []accesspatterns.Condition{{Attribute: "PK", Compare: accesspatterns.Exists}}
	}
	switch w.Operation {
	case change.Check:
		w.After = w.Before
	case change.Delete:
	default:
		w.After = item("after")
		w.Changes = models.Diff(w.Before, w.After)
		if len(w.Changes) == 0 {
			w.After["e"] = models.StringValue("changed")
			w.Changes = models.Diff(w.Before, w.After)
		}
	}
	return w
}
