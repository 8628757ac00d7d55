package profiles_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// A tableSet is a minimal database in memory, on which actions can be planned.
type tableSet map[string]models.Item

func itemKey(t *models.Table, key models.Item) string {
	return t.Name + " " + string(key.AppendDynamoDBJSON(nil))
}

func (d tableSet) put(t *models.Table, it models.Item) {
	if key, ok := t.PrimaryKey(it); ok {
		d[itemKey(t, key)] = it
	}
}

func (d tableSet) get(_ context.Context, t *models.Table, key models.Item) (models.Item, error) {
	return d[itemKey(t, key)], nil
}

// commit applies a plan. Like DynamoDB, it rejects the plan if one of its conditions fails.
func (d tableSet) commit(p *change.Plan) error {
	for _, w := range p.Writes {
		now := d[itemKey(w.Table, w.Key)]
		for _, c := range w.Condition {
			if !c.Holds(now) {
				return fmt.Errorf("%s %s: %s does not hold", w.Operation, w.Table.KeyText(w.Key), c)
			}
		}
	}
	for _, w := range p.Writes {
		id := itemKey(w.Table, w.Key)
		switch w.Operation {
		case change.Delete:
			delete(d, id)
		case change.Put:
			d[id] = w.After
		case change.Update:
			// An update sends only the changes.
			it := d[id].Clone()
			for _, c := range w.Changes {
				if c.After == nil {
					it.Remove(c.Path)
				} else {
					it.SetNames(strings.Split(c.Path, "."), c.After)
				}
			}
			d[id] = it
		case change.Check:
		}
	}
	return nil
}

func (d tableSet) clone() tableSet {
	out := tableSet{}
	maps.Copy(out, d)
	return out
}

// sampleTables returns the schema's sample data as a database and by entity.
func sampleTables(t *testing.T, p *profiles.Profile, seed uint64) (tableSet, map[*models.Entity][]models.Item) {
	t.Helper()
	list, err := sample.Items(p, sample.Options{Seed: seed, At: actionTime})
	if err != nil {
		t.Fatal(err)
	}
	db, byEntity := tableSet{}, map[*models.Entity][]models.Item{}
	for _, s := range list {
		db.put(s.Table, s.Item)
		if r, ok := models.Recognize(p.Entities, s.Table, s.Item); ok {
			byEntity[r.Entity] = append(byEntity[r.Entity], s.Item)
		}
	}
	return db, byEntity
}

var actionTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// inputsFor returns inputs of the action for the item: the values of its key and random values for other inputs.
func inputsFor(t *rapid.T, a *change.Action, it models.Item) map[string]string {
	values := a.Entity.Values(it)
	inputs := map[string]string{}
	for _, in := range a.Inputs {
		isInKey := false
		for _, k := range []string{a.Entity.Table.PartitionKey.Name, a.Entity.Table.SortKey.Name} {
			tpl, ok := a.Entity.KeyTemplate(k)
			isInKey = isInKey || ok && tpl.Has(in.Name)
		}
		if isInKey && a.Kind != change.KindPut {
			if v, ok := values(in.Name); ok {
				inputs[in.Name] = v
			}
			continue
		}
		if in.Required || rapid.Bool().Draw(t, in.Name+" given") && in.Default == "" {
			inputs[in.Name] = inputFor(t, a, in)
		}
	}
	return inputs
}

func inputFor(t *rapid.T, a *change.Action, in *accesspatterns.Param) string {
	if in.Name == a.Target {
		states := []string{}
		for _, tr := range a.Transitions {
			states = append(states, tr.To)
		}
		return rapid.SampledFrom(states).Draw(t, in.Name)
	}
	switch in.Type {
	case accesspatterns.Enum:
		return rapid.SampledFrom(in.Enum).Draw(t, in.Name)
	case accesspatterns.Number, accesspatterns.Integer:
		return fmt.Sprint(rapid.IntRange(1, 90000).Draw(t, in.Name))
	case accesspatterns.Boolean:
		return rapid.SampledFrom([]string{"true", "false"}).Draw(t, in.Name)
	case accesspatterns.Timestamp, accesspatterns.Day:
		return rapid.SampledFrom([]string{"now", "today", "now-3d", "2026-04-01T10:00:00Z"}).Draw(t, in.Name)
	default:
		return in.Prefix + rapid.StringMatching(`[a-z0-9]{8}`).Draw(t, in.Name)
	}
}

// inState returns the item in a random state from which the action starts.
func inState(t *rapid.T, a *change.Action, it models.Item) models.Item {
	it = it.Clone()
	if a.Kind == change.KindRepair {
		stale := rapid.SampledFrom(indexKeys(a.Entity, it)).Draw(t, "stale key")
		it[stale.Name], _ = models.ScalarValue(stale.Type, "9")
	}
	if a.Lifecycle == nil {
		return it
	}
	attribute := a.Entity.Attribute(a.Lifecycle.Attribute)
	v, err := models.ScalarValue(attribute.Type, rapid.SampledFrom(a.From()).Draw(t, "state"))
	if err != nil {
		t.Fatal(err)
	}
	it.SetNames(strings.Split(attribute.Path, "."), v)
	return withKeys(a.Entity, it)
}

// indexKeys returns the index key attributes that the item contains.
func indexKeys(e *models.Entity, it models.Item) []models.Key {
	var keys []models.Key
	for _, k := range e.Table.KeyAttributes() {
		_, exists := it[k.Name]
		if _, declared := e.Keys[k.Name]; declared && exists && k != e.Table.PartitionKey && k != e.Table.SortKey {
			keys = append(keys, k)
		}
	}
	return keys
}

// withKeys computes the item's keys again.
func withKeys(e *models.Entity, it models.Item) models.Item {
	for _, k := range e.Table.KeyAttributes() {
		if tpl := e.Keys[k.Name]; !tpl.IsZero() {
			if text, err := tpl.Format(e.Values(it)); err == nil {
				it[k.Name], _ = models.ScalarValue(k.Type, text)
			} else {
				delete(it, k.Name)
			}
		}
	}
	return it
}

// Every action plans correct writes for sample items in a state where it starts, and its undo restores the items.
func TestEveryActionPlansAndUndoes(t *testing.T) {
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		db, byEntity := sampleTables(t, p, 7)
		for _, a := range p.Actions {
			t.Run(a.FullID(), func(t *testing.T) {
				items := byEntity[a.Entity]
				if len(items) == 0 {
					t.Fatalf("no sample item is a %s", a.Entity.Name)
				}
				planned := 0
				rapid.Check(t, func(t *rapid.T) {
					clone := db.clone()
					it := inState(t, a, rapid.SampledFrom(items).Draw(t, "item"))
					if a.Kind != change.KindPut {
						clone.put(a.Entity.Table, it)
					}
					if planAndUndo(t, p, a, clone, inputsFor(t, a, it)) {
						planned++
					}
				})
				if planned == 0 && !testing.Short() { // With -short, rapid draws too few items to be sure.
					t.Error("no sample item allows the action")
				}
			})
		}
	}
}

// planAndUndo reports whether the items allowed the change.
func planAndUndo(t *rapid.T, p *profiles.Profile, a *change.Action, db tableSet, inputs map[string]string) bool {
	input := change.UserInput{
		Inputs: inputs, Actor: "kagiso", Reason: "checked", Token: "11111111-2222-4333-8444-555555555555", Now: actionTime,
	}
	b, err := a.Gather(t.Context(), input, db.get)
	var plan *change.Plan
	if err == nil {
		plan, err = a.Plan(b)
	}
	if _, ok := errors.AsType[*change.Conflict](err); ok {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	checkPlan(t, p, plan)
	if replanned, err := plan.At(*plan.Basis); err != nil || string(replanned.Batch().Explain().Input) != string(plan.Batch().Explain().Input) {
		t.Fatalf("planning again gives another request: %v", err)
	}
	before := db.clone()
	if err := db.commit(plan); err != nil {
		t.Fatal(err)
	}
	for _, w := range plan.Writes {
		if got := db[itemKey(w.Table, w.Key)]; !models.EqualItems(got, w.After) {
			t.Fatalf("the request stores %s, but the plan contains %s", got.AppendJSON(nil), w.After.AppendJSON(nil))
		}
	}
	if err := db.clone().commit(plan); err == nil && !onlyChecks(plan) {
		t.Fatal("the same plan was committed twice")
	}
	undo(t, plan, input, before, db)
	return true
}

// onlyChecks reports whether a plan only checks items, so that a second commit does no harm.
func onlyChecks(p *change.Plan) bool {
	return !slices.ContainsFunc(p.Writes, func(w change.Write) bool { return w.Operation != change.Check })
}

func checkPlan(t *rapid.T, p *profiles.Profile, plan *change.Plan) {
	for _, w := range plan.Writes {
		if len(w.Condition) == 0 {
			t.Fatalf("%s %s has no condition", w.Operation, w.Table.KeyText(w.Key))
		}
		if w.After == nil {
			continue
		}
		r, ok := models.Recognize(p.Entities, w.Table, w.After)
		if !ok || r.Entity != w.Entity {
			t.Fatalf("%s is no longer recognized as %s: %v", w.After.AppendJSON(nil), w.Entity.Name, w.Entity.Explain(w.After))
		}
		if missing := w.Entity.MissingAttributes(w.After); len(missing) > 0 && w.Operation == change.Put {
			t.Fatalf("the new %s lacks %v", w.Entity.Name, missing)
		}
		for _, k := range w.Entity.KeyStates(w.After) {
			if k.Problem != "" && (w.Operation == change.Put || !sameProblem(w, k)) {
				t.Fatalf("%s of %s is %q, its template gives %q: %s", k.Name, w.Entity.Name, k.Stored, k.Expected, k.Problem)
			}
		}
		for _, c := range w.Changes {
			attribute := w.Entity.Attribute(c.Path)
			if text, ok := models.ValueText(c.After); ok && c.After != nil && attribute != nil && len(attribute.Enum) > 0 &&
				!attribute.OpenEnum && !slices.Contains(attribute.Enum, text) {
				t.Fatalf("%s of %s is %q, want one of %v", c.Path, w.Entity.Name, text, attribute.Enum)
			}
		}
	}
}

// sameProblem reports whether the key was already wrong before the change, which does not affect it.
func sameProblem(w change.Write, k models.KeyState) bool {
	for _, before := range w.Entity.KeyStates(w.Before) {
		if before.Name == k.Name && before.Problem == k.Problem && before.Stored == k.Stored {
			return true
		}
	}
	return false
}

// undo undoes the plan and compares the database with its previous state, except for counters, times of change and
// audit entries, which an undo does not restore.
func undo(t *rapid.T, plan *change.Plan, input change.UserInput, before, db tableSet) {
	input.Token, input.Now = "22222222-3333-4444-8555-666666666666", actionTime.Add(time.Minute)
	undone, err := plan.Undo(t.Context(), input, db.get)
	if plan.Action.NoUndo != "" {
		if _, ok := errors.AsType[*change.Conflict](err); !ok {
			t.Fatalf("%s has no undo, but Undo returned %v", plan.Action.ID, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("undo: %v", err)
	}
	if err := db.commit(undone); err != nil {
		t.Fatalf("undo: %v", err)
	}
	entries := map[string]bool{}
	moved := map[string][]string{}
	for _, p := range []*change.Plan{plan, undone} {
		for _, w := range p.Writes {
			id := itemKey(w.Table, w.Key)
			entries[id] = entries[id] || w.Entry
			moved[id] = []string{w.Entity.Version, w.Entity.Updated}
		}
	}
	for id := range moved { // The plan wrote nothing else.
		if entries[id] {
			continue
		}
		if (before[id] == nil) != (db[id] == nil) {
			t.Fatalf("the undo did not restore %s", id)
		}
		want, got := before[id].Clone(), db[id].Clone()
		for _, name := range moved[id] {
			delete(want, name)
			delete(got, name)
		}
		if !models.EqualItems(want, got) {
			t.Fatalf("the undo did not restore %s:\n%s", id, cmp.Diff(string(want.AppendJSON(nil)), string(got.AppendJSON(nil))))
		}
	}
}
