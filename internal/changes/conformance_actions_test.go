package changes_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// changesOf applies and undoes every action of the schema on sample items, and compares the stored items with the
// plan.
func changesOf(t *testing.T, w *fixture.Fixture) {
	if _, err := tables.Seed(t.Context(), w.Profile, w.Conn, sample.Options{Seed: 3, At: fixture.Now}); err != nil {
		t.Fatal(err)
	}
	samples, err := sample.Items(w.Profile, sample.Options{Seed: 3, At: fixture.Now})
	if err != nil {
		t.Fatal(err)
	}
	now, o := fixture.Now, w.Options()
	o.Clock = func() time.Time {
		now = now.Add(time.Second) // Some trails allow one entry a second.
		return now
	}
	w.Workspace = w.Open(o)
	for _, a := range w.Profile.Actions {
		t.Run(a.ID, func(t *testing.T) {
			enabled := *a
			enabled.Disabled, enabled.FourEyes = "", false // even actions that are off must work
			enabled.Exclusive = nil                        // the samples contain items that the action would orphan
			cause := errors.New("no sample item")
			for _, sample := range samples {
				r, ok := models.Recognize(w.Profile.Entities, sample.Table, sample.Item)
				if !ok || r.Entity != a.Entity {
					continue
				}
				it := storeReadyItem(t, w, &enabled, sample.Item)
				if cause = commitAndUndo(t, w, &enabled, it); cause == nil {
					return
				}
				// Restore the sample that was modified for the action.
				if err := stored.Put(t.Context(), w.Conn.Writer(), sample.Table.Name, []models.Item{sample.Item}); err != nil {
					t.Fatal(err)
				}
			}
			t.Fatalf("no sample item allows the action: %v", cause)
		})
	}
}

// storeReadyItem stores the item in a state that allows the action.
func storeReadyItem(t *testing.T, w *fixture.Fixture, a *change.Action, it models.Item) models.Item {
	t.Helper()
	it = it.Clone()
	e := a.Entity
	if a.Lifecycle != nil {
		if now, _ := it.Text(a.Lifecycle.Attribute); !slices.Contains(a.From(), now) {
			attribute := e.Attribute(a.Lifecycle.Attribute)
			v, err := models.ScalarValue(attribute.Type, a.From()[0])
			if err != nil {
				t.Fatal(err)
			}
			it.SetNames(strings.Split(attribute.Path, "."), v)
		}
	}
	for _, k := range e.Table.KeyAttributes() {
		tpl := e.Keys[k.Name]
		if tpl.IsZero() || k == e.Table.PartitionKey || k == e.Table.SortKey {
			continue
		}
		text, err := tpl.Format(e.Values(it))
		if a.Kind == change.KindRepair {
			text = "9" // stale
		}
		if _, exists := it[k.Name]; err == nil && exists {
			if it[k.Name], err = models.ScalarValue(k.Type, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := stored.Put(t.Context(), w.Conn.Writer(), e.Table.Name, []models.Item{it}); err != nil {
		t.Fatal(err)
	}
	return it
}

// commitAndUndo commits the action and its undo. The error explains why the item does not allow it.
func commitAndUndo(t *testing.T, w *fixture.Fixture, a *change.Action, it models.Item) error {
	t.Helper()
	plan, err := w.Workspace.Planner.Plan(t.Context(), a, someInputs(a, it), "as agreed")
	var conflict *change.Conflict
	if errors.As(err, &conflict) {
		return err
	}
	if err != nil {
		t.Fatal(err)
	}
	done, err := w.Workspace.Committer.Commit(t.Context(), plan)
	if err != nil {
		t.Fatalf("%v\n%s", err, plan.Text(false))
	}
	if len(done.Notes) > 0 || chargesCapacity(t) && done.Capacity != done.Plan.Capacity() {
		t.Errorf("got notes %q and %g WCU, want the estimated %g WCU", done.Notes, done.Capacity, done.Plan.Capacity())
	}
	for _, write := range done.Plan.Writes {
		now, err := w.Workspace.Reading.Get(t.Context(), write.Table, write.Key)
		if err != nil {
			t.Fatal(err)
		}
		if !models.EqualItems(now, write.After) {
			t.Errorf("%s is\n%s, want\n%s", write.Entity.Name, now.AppendJSON(nil), write.After.AppendJSON(nil))
		}
	}
	undo, err := w.Workspace.Planner.PlanUndo(t.Context(), done.Plan, "a mistake")
	if a.NoUndo != "" {
		if !errors.As(err, &conflict) {
			t.Errorf("got %v, want a conflict because the action has no undo", err)
		}
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	undone, err := w.Workspace.Committer.Commit(t.Context(), undo)
	if err != nil {
		t.Fatalf("undo: %v\n%s", err, undo.Text(false))
	}
	if len(undone.Notes) > 0 || chargesCapacity(t) && undone.Capacity != undone.Plan.Capacity() {
		t.Errorf("undo: notes %q, consumed %g WCU, the plan estimated %g", undone.Notes, undone.Capacity, undone.Plan.Capacity())
	}
	return nil
}

// someInputs returns the item's key and a value for each required input.
func someInputs(a *change.Action, it models.Item) map[string]string {
	inputs := map[string]string{}
	values := a.Entity.Values(it)
	for _, in := range a.Inputs {
		v, exists := values(in.Name)
		switch {
		case !in.Required && (in.Default != "" || in.Type != accesspatterns.String):
		case exists && isKeyInput(a, in.Name):
			inputs[in.Name] = v
		case in.Name == a.Target:
			state, _ := it.Text(a.Lifecycle.Attribute)
			for _, tr := range a.Transitions {
				if slices.Contains(tr.From, state) {
					inputs[in.Name] = tr.To
				}
			}
		case in.Type == accesspatterns.Enum:
			for _, value := range in.Enum {
				if value != v {
					inputs[in.Name] = value
				}
			}
		case in.Type == accesspatterns.Number || in.Type == accesspatterns.Integer:
			inputs[in.Name] = "700"
		case in.Type == accesspatterns.Boolean:
			inputs[in.Name] = "true"
		case in.Type == accesspatterns.Timestamp || in.Type == accesspatterns.Day:
			inputs[in.Name] = "now"
		default:
			inputs[in.Name] = in.Prefix + "new" + a.ID
		}
	}
	return inputs
}

// isKeyInput reports whether the input is a part of the item's key. For a new item, only the partition key counts.
func isKeyInput(a *change.Action, input string) bool {
	partition, _ := a.Entity.KeyTemplate(a.Entity.Table.PartitionKey.Name)
	sort, _ := a.Entity.KeyTemplate(a.Entity.Table.SortKey.Name)
	if a.Kind == change.KindPut {
		return partition.Has(input) && len(sort.Placeholders()) > 0
	}
	return partition.Has(input) || sort.Has(input)
}

// chargesCapacity reports whether the test's server consumes capacity like AWS. DynamoDB Local does not: an approval
// costs 24 units there, but 8 in the embedded database and in dynoxide.
func chargesCapacity(t *testing.T) bool { return !strings.Contains(t.Name(), "/dynamodb-local/") }
