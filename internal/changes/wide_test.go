package changes_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

const wideProfile = `
name: wide
tables: {wide: {partition_key: id}}
entities: {Record: {table: wide, keys: {id: "{id}"}, attributes: {id: {type: S, required: true}, at: {type: S, format: iso8601}}}}
patterns: {get-record: {operation: get, key: {id: "{id}"}, returns: [Record]}}
actions:
  remove: {title: Remove, kind: delete, entity: Record, inputs: {id: {}}}
`

// wideItem returns an item with n attributes in addition to its key.
func wideItem(n int) models.Item {
	it := models.Item{"id": models.StringValue("r1")}
	for i := range n - 1 {
		it[fmt.Sprintf("attribute_with_a_long_name_%04d", i)] = models.StringValue(fmt.Sprint("value ", i))
	}
	it["at"] = models.StringValue("2026-01-14T10:00:00Z")
	return it
}

func wideFixture(t *testing.T) (*fixture.Fixture, *relay) {
	t.Helper()
	p, err := profiles.Load("wide.yaml", []byte(wideProfile), nil)
	if err != nil {
		t.Fatal(err)
	}
	y := &relay{next: fixture.Database(t)}
	return fixtureAs(t, "kagiso", p, fixture.Connect(t, y)), y
}

func planRemoval(t *testing.T, w *fixture.Fixture) *change.Plan {
	t.Helper()
	p, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action("remove"), map[string]string{"id": "r1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// recordOf returns the stored item of the fixture.
func recordOf(t *testing.T, w *fixture.Fixture) models.Item {
	t.Helper()
	it, err := w.Workspace.Reading.Get(t.Context(), w.Profile.Entity("Record").Table, models.Item{"id": models.StringValue("r1")})
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// undoLastChange undoes the last change in the journal.
func undoLastChange(t *testing.T, w *fixture.Fixture) {
	t.Helper()
	last, ok, err := w.Workspace.Journal.LastChange(w.Profile.Entity("Record").Table, models.Item{"id": models.StringValue("r1")})
	if err != nil || !ok {
		t.Fatalf("no change to undo: %v", err)
	}
	u, err := w.Workspace.Planner.PlanUndo(t.Context(), last.Plan, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Workspace.Committer.Commit(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}

// ddbdesk deletes and restores an item of any width. It compares attributes that do not fit into the condition
// separately.
func TestItemsOfAnyWidthAreDeleted(t *testing.T) {
	for n, compared := range map[int]string{1: "", 150: "", 151: "150 of 151 attributes", 1000: "150 of 1000 attributes"} {
		w, _ := wideFixture(t)
		table := w.Profile.Entity("Record").Table
		it := wideItem(n)
		w.Put(t, table, it)
		p := planRemoval(t, w)
		if text := p.Text(false); compared != "" && !strings.Contains(text, compared) || compared == "" && strings.Contains(text, " of ") {
			t.Errorf("%d attributes: unexpected plan:\n%s", n, text)
		}
		if len(p.Writes[0].Unchecked) > 0 && !strings.Contains(p.Writes[0].ConditionText(), `at = "2026-01-14T10:00:00Z"`) {
			t.Errorf("%d attributes: the condition does not compare the time", n)
		}
		if _, err := w.Workspace.Committer.Commit(t.Context(), p); err != nil {
			t.Errorf("%d attributes: %v", n, err)
			continue
		}
		undoLastChange(t, w)
		if now := recordOf(t, w); !models.EqualItems(now, it) {
			t.Errorf("%d attributes: the undo restored %d attributes", n, len(now)-1)
		}
	}
}

// An attribute that the condition does not compare is not lost with the item.
func TestChangesToUncomparedAttributesAreReported(t *testing.T) {
	w, y := wideFixture(t)
	table := w.Profile.Entity("Record").Table
	it := wideItem(400)
	w.Put(t, table, it)
	p := planRemoval(t, w)
	unseen := p.Writes[0].Unchecked[0]
	changed := it.Clone()
	changed[unseen] = models.StringValue("changed")

	w.Put(t, table, changed)
	var conflict *change.Conflict
	if _, err := w.Workspace.Committer.Commit(t.Context(), p); !errors.As(err, &conflict) || len(conflict.Differences) != 1 ||
		!strings.Contains(err.Error(), "changed since it was read") {
		t.Errorf("after a change before the delete: got %v, want a conflict", err)
	}

	w.Put(t, table, it)
	p = planRemoval(t, w)
	y.before = func() { w.Put(t, table, changed) } // between the last read and the write
	done, err := w.Workspace.Committer.Commit(t.Context(), p)
	if err != nil || !strings.Contains(strings.Join(done.Notes, " "), "had just changed; undo restores the item with them") {
		t.Fatalf("after a change during the delete: got %v, want a note", err)
	}
	undoLastChange(t, w)
	if now := recordOf(t, w); !models.EqualItems(now, changed) {
		t.Error("the undo does not restore the deleted version of the item")
	}
}
