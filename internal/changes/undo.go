package changes

import (
	"context"
	"iter"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// An UndoSet is the part of an applied set that can still be undone. It does not store the changes, because a set may
// have millions; the undo reads them from the journal.
type UndoSet struct {
	Set                   // the set of the undo; its action is nil for repairs and replacements
	ID      string        // ID of the set to undo
	Table   *models.Table // table of the newest change; nil without a change, or if the schema no longer has the table
	Changes int           // committed changes to undo
	Keys    []string      // keys of the items to undo, newest change first, with personal data masked
	Earlier int           // changes that are already undone
	Open    int           // changes without an outcome, which must be resolved first
	Unclear int           // changes that the undo leaves, because their items do not show the outcome
}

// Undo returns the part of a set that can still be undone. Users call the set a sweep. id is the start of its ID. The
// error wraps session.ErrInput unless exactly one sweep in the journal matches.
func (j *Journal) Undo(id, reason string) (UndoSet, error) {
	u := UndoSet{Set: Set{Reason: reason, Undo: true}}
	for c, err := range j.Past() {
		if err != nil {
			return u, err
		}
		sweep := c.Intent.Detail.Sweep
		switch {
		case sweep == "" || !strings.HasPrefix(sweep, id) || c.IsUndo():
			continue
		case u.ID != "" && u.ID != sweep:
			return u, session.InputErrorf("sweep %s is ambiguous; give more characters of its ID", models.Printable(id))
		}
		u.ID = sweep
		switch {
		case c.Undone:
			u.Earlier++
		case c.Open():
			u.Open++
		case c.Unclear():
			u.Unclear++
		case c.Committed():
			u.Keys = append(u.Keys, c.Intent.Detail.Key)
			if u.Changes++; u.Changes == 1 {
				u.Table = j.tableOf(c.Intent.Detail.Table)
			}
			if a := j.ActionOf(c); u.Action == nil && a != nil && a.Kind != change.KindRepair && a.Kind != change.KindReplace {
				u.Action = a
			}
		}
	}
	if u.ID == "" {
		return u, session.InputErrorf("the journal has no sweep %s for this schema and connection; "+
			"ddbdesk journal -o json shows the sweep of each change", models.Printable(id))
	}
	return u, nil
}

func (j *Journal) tableOf(name string) *models.Table {
	return models.First(j.s.Profile().Tables, func(t *models.Table) bool { return t.Name == name })
}

// Items yields the changes, newest first, while it reads the journal.
func (u UndoSet) Items(j *Journal) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		remaining := u.Changes
		for c, err := range j.Past() {
			if err != nil {
				yield(Item{}, err)
				return
			}
			if c.Intent.Detail.Sweep != u.ID || c.IsUndo() || c.Undone || !c.Committed() {
				continue
			}
			remaining--
			if !yield(Item{Table: j.tableOf(c.Intent.Detail.Table), Undoes: &c}, nil) || remaining <= 0 {
				return
			}
		}
	}
}

// PreviewUndo plans to undo each item. It writes nothing.
func (pl *Planner) PreviewUndo(ctx context.Context, u UndoSet) (Preview, error) {
	out := newPreview(Selection{Set: u.Set})
	out.Selected, out.Undoes = u.Changes, &u.ID
	if u.Changes == 0 {
		return out, nil
	}
	err := pl.planEach(ctx, &out, u.Table, nil, func(_ context.Context, visit func(Item) error) error {
		for it, err := range u.Items(pl.journal) {
			if err == nil {
				err = visit(it)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}
