package change

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Undo reads the items that the plan wrote and makes the plan that takes it
// back. Counters and times of change move on and are not set back; audit
// entries stay, and the undo adds its own. A *Conflict says what happened to
// the items since.
func (p *Plan) Undo(ctx context.Context, g Given, get GetItem) (*Plan, error) {
	if p.Action.NoUndo != "" {
		return nil, &Conflict{What: "this cannot be undone: " + p.Action.NoUndo}
	}
	if p.Undoes != nil {
		return nil, &Conflict{What: "this is an undo: plan " + p.Action.ID + " again instead"}
	}
	g.Inputs = p.Basis.Inputs
	b, err := p.Action.basis(g)
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
		if it == nil {
			continue
		}
		b.Items[written(i)] = it
		if i == 0 {
			b.Items[Subject] = it
		}
	}
	s := newScope(p.Action, b)
	for _, e := range p.Action.Audits {
		if err := s.with(e.Trail.Let).read(ctx, e.Trail.Reads, get); err != nil {
			return nil, err
		}
	}
	return p.undo(b)
}

// written is the alias of the item of write i.
func written(i int) string { return "#" + strconv.Itoa(i) }

// undo makes the plan that takes p back.
func (p *Plan) undo(b *Basis) (*Plan, error) {
	s := newScope(p.Action, b)
	s.verb = "undo-" + p.Action.ID
	u := &Plan{Action: p.Action, Basis: b, Undoes: p, From: p.To, To: p.From}
	for i, w := range p.Writes {
		if w.Entry || w.Operation == Check {
			continue
		}
		back, err := s.reverse(w, b.Items[written(i)])
		if err != nil {
			return nil, err
		}
		u.Writes = append(u.Writes, back)
	}
	s.describe(u.Writes[0])
	for _, e := range p.Action.Audits {
		w, err := s.entry(e, append(slices.Clone(e.Set), p.Action.UndoEntry...))
		if err != nil {
			return nil, err
		}
		u.Writes = append(u.Writes, w)
	}
	return u, u.check()
}

// reverse plans the write that takes w back from the item as it is now.
func (s *scope) reverse(w Write, now models.Item) (Write, error) {
	what := fmt.Sprintf("%s %s", w.Entity.Title, models.Printable(w.Table.KeyText(w.Key)))
	back := Write{Table: w.Table, Entity: w.Entity, Key: w.Key, Before: now}
	if w.Operation == Delete {
		if now != nil {
			return back, &Conflict{What: what + " is there again"}
		}
		back.Operation, back.After, back.Changes = Put, w.Before, models.Diff(nil, w.Before)
		back.Condition = []accesspatterns.Condition{{
			Attribute: w.Table.PartitionKey.Name, Compare: accesspatterns.NotExists, Because: "the key is free",
		}}
		return back, nil
	}
	if now == nil {
		return back, &Conflict{What: what + " is gone"}
	}
	if moved := moved(w, now); len(moved) > 0 {
		return back, &Conflict{What: what + " was changed since", Differences: moved}
	}
	if w.Operation == Put {
		back.Operation = Delete
		back.Condition = seen(draft{entity: w.Entity, before: now}, back)
		return back, nil
	}
	return s.restore(w, back, now)
}

// moved returns what is no longer as w left it.
func moved(w Write, now models.Item) []models.Change {
	var list []models.Change
	if w.Operation == Put {
		for _, c := range models.Diff(w.After, now) {
			if a := w.Entity.Attribute(c.Path); a == nil || !a.Volatile {
				list = append(list, c)
			}
		}
		return list
	}
	for _, c := range w.Changes {
		v, _ := now.At(c.Path)
		if !models.EqualValues(v, c.After) {
			list = append(list, models.Change{Path: c.Path, Before: c.After, After: v})
		}
	}
	return list
}

// restore sets what w changed back to what it was.
func (s *scope) restore(w, back Write, now models.Item) (Write, error) {
	after := now.Clone()
	derived := map[string]bool{}
	for _, c := range w.Changes {
		derived[c.Path] = c.Derived
		switch {
		case c.Path == w.Entity.Version || c.Path == w.Entity.Updated:
		case c.Before == nil:
			after.Without(c.Path)
		default:
			after.With(c.Path, c.Before)
		}
	}
	if err := s.moveOn(w.Entity, now, after, nil); err != nil {
		return back, err
	}
	for path := range s.derive(w.Entity, now, after, false) {
		derived[path] = true
	}
	// A key that the attributes do not give comes back as it was: the change took
	// it away because a part was missing before.
	for _, c := range w.Changes {
		if _, there := after.At(c.Path); c.Derived && c.Before != nil && !there {
			after.With(c.Path, c.Before)
		}
	}
	back.Operation, back.After = Update, after
	back.Changes = marked(models.Diff(now, after), derived)
	back.Condition = seen(draft{entity: w.Entity, before: now}, back)
	return back, nil
}
