package sweep

import (
	"context"
	"iter"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// An Undoing is what remains to undo of a sweep that was applied. It does not hold the changes, of which a sweep may have millions:
// they are read from the journal when they are undone.
type Undoing struct {
	ID      string // of the sweep that is undone
	Reason  string
	Rate    float64        // see Sweep
	Action  *change.Action // nil for repairs and replacements
	Table   *models.Table  // of the newest change; nil if the schema has it no longer, or without a change
	Changes int            // committed changes to undo
	Earlier int            // changes that are undone already
	Open    int            // changes without an outcome, which have to be resolved first
}

// Undo returns what remains to undo of a sweep. ID are the first characters of its ID. The error
// wraps session.ErrInput if the journal has no such sweep, or several.
func (r *Runner) Undo(id, reason string) (Undoing, error) {
	u := Undoing{Reason: reason}
	for c, err := range r.journal.Past() {
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
		case c.Committed():
			if u.Changes++; u.Changes == 1 {
				u.Table = r.tableOf(c.Intent.Detail.Table)
			}
			if a := r.journal.ActionOf(c); u.Action == nil && a != nil && a.Kind != change.Repairs && a.Kind != change.Replaces {
				u.Action = a
			}
		}
	}
	if u.ID == "" {
		return u, session.InputErrorf("the journal has no sweep %s of this schema and connection", models.Printable(id))
	}
	return u, nil
}

func (r *Runner) tableOf(name string) *models.Table {
	for _, t := range r.s.Profile().Tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func (u Undoing) items(r *Runner) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		left := u.Changes
		for c, err := range r.journal.Past() {
			if err != nil {
				yield(Item{}, err)
				return
			}
			if c.Intent.Detail.Sweep != u.ID || c.IsUndo() || c.Undone || !c.Committed() {
				continue
			}
			left--
			if !yield(Item{Table: r.tableOf(c.Intent.Detail.Table), Undoes: &c}, nil) || left <= 0 {
				return
			}
		}
	}
}

func (u Undoing) sweep() Sweep {
	return Sweep{Action: u.Action, Reason: u.Reason, Rate: u.Rate, undo: true}
}

// PreviewUndo plans to undo each item. It writes nothing.
func (r *Runner) PreviewUndo(ctx context.Context, u Undoing) (Preview, error) {
	out := Preview{Selection: Selection{Action: u.Action}, Selected: u.Changes}
	if u.Changes == 0 {
		return out, nil
	}
	err := r.planEach(ctx, &out, u.sweep(), u.Table, nil, func(_ context.Context, take func(Item) error) error {
		for it, err := range u.items(r) {
			if err == nil {
				err = take(it)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// ApplyUndo undoes the changes one after another, as Apply changes items, and calls each with every outcome. The Summary has no
// Outcomes. An error after the first outcome is that of a line of the journal that cannot be read: the rest is not undone.
func (r *Runner) ApplyUndo(ctx context.Context, u Undoing, each func(Outcome)) (Summary, error) {
	run, err := r.Start(ctx, u.sweep())
	if err != nil {
		return Summary{Counts: map[Status]int{}}, err
	}
	for it, err := range u.items(r) {
		if err != nil {
			return run.Summary(), err
		}
		each(run.Change(ctx, it))
	}
	return run.Summary(), nil
}
