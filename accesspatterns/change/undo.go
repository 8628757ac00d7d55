package change

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Undo reads the items that the plan wrote and makes a plan that restores them. The undo advances versions and times of
// change instead of restoring them, keeps audit entries and adds its own. The error is a *Conflict if an item has
// changed since, and its differences show the changes that the undo would have overwritten. Other errors come from get
// and the schema. Undo cannot revert effects outside ddbdesk, such as a sent email.
func (p *Plan) Undo(ctx context.Context, input UserInput, get GetItem) (*Plan, error) {
	if p.Action.NoUndo != "" {
		return nil, &Conflict{Message: "this cannot be undone: " + p.Action.NoUndo}
	}
	if p.Undoes != nil {
		return nil, Conflictf("an undo cannot be undone; run %s again", p.Action.Short())
	}
	input.Inputs = p.Basis.Inputs
	b, err := p.Action.newBasis(input)
	if err != nil {
		return nil, err
	}
	for i, w := range p.Writes {
		if w.Entry || w.Operation == Check {
			continue
		}
		it, err := get(ctx, w.Table, w.Key)
		if err != nil {
			return nil, err
		}
		if it == nil && i == 0 && p.Action.IsRaw() {
			b.Items[Subject] = w.Before // subject of the audit entries
		}
		if it == nil {
			continue
		}
		b.Items[writtenAlias(i)] = it
		if i == 0 {
			b.Items[Subject] = it
		}
	}
	if err := newScope(p.Action, b).readForEntries(ctx, get); err != nil {
		return nil, err
	}
	return p.undo(b)
}

func writtenAlias(i int) string { return "#" + strconv.Itoa(i) }

func (p *Plan) undo(b *Basis) (*Plan, error) {
	pl := planner{newScope(p.Action, b)}
	pl.verb = "undo-" + p.Action.ID
	u := &Plan{Action: p.Action, Basis: b, Undoes: p, From: p.To, To: p.From}
	for i, w := range p.Writes {
		if w.Entry || w.Operation == Check {
			continue
		}
		write, err := pl.reverse(w, b.Items[writtenAlias(i)])
		if err != nil {
			return nil, err
		}
		u.Writes = append(u.Writes, write)
	}
	return u, pl.finish(u, p.Action.UndoEntry)
}

func (pl planner) reverse(w Write, current models.Item) (Write, error) {
	itemName := fmt.Sprintf("%s %s", w.Entity.Title, models.Printable(w.Table.KeyText(w.Key)))
	reversed := Write{Table: w.Table, Entity: w.Entity, Key: w.Key, Before: current}
	if w.Operation == Delete {
		if current != nil {
			return reversed, &Conflict{Message: itemName + " exists again"}
		}
		reversed.Operation, reversed.After, reversed.Changes = Put, w.Before, models.Diff(nil, w.Before)
		reversed.Condition = []accesspatterns.Condition{reversed.existenceCondition(accesspatterns.NotExists)}
		return reversed, nil
	}
	if current == nil {
		return reversed, &Conflict{Message: itemName + " no longer exists"}
	}
	if changed := pl.unexplainedChanges(w, conflictingChanges(w, current)); len(changed) > 0 {
		return reversed, &Conflict{Message: itemName + " was changed since", Differences: changed}
	}
	if w.Operation == Put {
		reversed.Operation = Delete
	} else if err := pl.restore(w, &reversed); err != nil {
		return reversed, err
	}
	if s := changeConditions(draft{entity: w.Entity, before: current}, reversed); reversed.Operation == Delete {
		reversed.setCondition(s, nil)
	} else {
		reversed.Condition = s
	}
	return reversed, nil
}

func conflictingChanges(w Write, current models.Item) []models.Change {
	if w.Operation == Put {
		return models.Diff(w.Entity.WithoutVolatile(w.After), w.Entity.WithoutVolatile(current))
	}
	var list []models.Change
	for _, c := range w.Changes {
		v, _ := current.At(c.Path)
		if !models.EqualValues(v, c.After) {
			list = append(list, models.Change{Path: c.Path, Before: c.After, After: v})
		}
	}
	return list
}

// unexplainedChanges returns changes that no known later write explains. An undo does not restore the version, the time
// of change and attributes derived from them, so unexplainedChanges compares these with the latest write.
func (pl planner) unexplainedChanges(w Write, changed []models.Change) []models.Change {
	if len(changed) == 0 || pl.basis.LaterWrites == nil {
		return changed
	}
	latest := map[string]types.AttributeValue{} // nil for a removed attribute
	for _, later := range slices.Backward(pl.basis.LaterWrites(w.Table, w.Key)) {
		for _, c := range later.Changes {
			latest[c.Path] = c.After
		}
	}
	return slices.DeleteFunc(changed, func(c models.Change) bool {
		v, known := latest[c.Path]
		return known && isMaintained(w.Entity, c.Path) && models.EqualValues(v, c.After)
	})
}

func isMaintained(e *models.Entity, path string) bool {
	a := e.Attribute(path)
	return path == e.Version || path == e.Updated || a != nil && a.Equals != "" ||
		slices.ContainsFunc(derivedKeys(e), func(k models.Key) bool { return k.Name == path })
}

// restore computes index keys again, because a key with the time of change must contain the time of the undo.
func (pl planner) restore(w Write, restored *Write) error {
	now, after := restored.Before, restored.Before.Clone()
	if pl.action.Kind == KindReplace {
		restoreAll(w, restored)
		return nil
	}
	derived, written := map[string]bool{}, map[string]bool{}
	isKey := func(c models.Change) bool {
		return c.Derived && pl.action.Kind != KindRepair && pl.basis.Live.isKey(w.Table, c.Path)
	}
	for _, c := range w.Changes {
		derived[c.Path], written[c.Path] = c.Derived, true
		switch {
		case c.Path == w.Entity.Version || c.Path == w.Entity.Updated || isKey(c):
		case c.Before == nil:
			w.Entity.Remove(after, c.Path)
		default:
			w.Entity.Set(after, c.Path, c.Before)
		}
	}
	if err := pl.advanceVersionAndTime(w.Entity, now, after, nil); err != nil {
		return err
	}
	for _, f := range pl.deriver().computeKeys(w.Entity, now, after, differsBetween(now, after), derived) {
		delete(after, f.name)
	}
	// If a key cannot be computed from the attributes, restore its stored value, which the change removed because the
	// key lacked a part.
	for _, c := range w.Changes {
		if _, present := after.At(c.Path); isKey(c) && c.Before != nil && !present {
			w.Entity.Set(after, c.Path, c.Before)
		}
	}
	restored.Operation, restored.After = Update, after
	restored.Changes = changesOf(*restored, withoutRewritten(w.Entity, now, after, written), derived)
	return nil
}

// restoreAll restores an item with its version and time of change, because those stored belong to the other item.
func restoreAll(w Write, restored *Write) {
	after := restored.Before.Clone()
	for _, c := range w.Changes {
		if c.Before == nil {
			w.Entity.Remove(after, c.Path)
		} else {
			w.Entity.Set(after, c.Path, c.Before)
		}
	}
	restored.Operation, restored.After, restored.Changes = Update, after, models.Diff(restored.Before, after)
}
