package sweep

import (
	"context"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// An Undoing is what remains to undo of a sweep that was applied.
type Undoing struct {
	ID      string // of the sweep that is undone
	Sweep   Sweep  // the newest change first
	Earlier int    // changes that are undone already
	Open    int    // changes without an outcome, which have to be resolved first
}

// Undo returns the sweep that undoes the committed changes of another one. ID are the first characters of its ID. The error
// wraps session.ErrInput if the journal has no such sweep, or several.
func (r *Runner) Undo(id, reason string) (Undoing, error) {
	u := Undoing{Sweep: Sweep{Reason: reason}}
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
			u.add(r, c)
		}
	}
	if u.ID == "" {
		return u, session.InputErrorf("the journal has no sweep %s of this schema and connection", models.Printable(id))
	}
	return u, nil
}

// add adds a committed change.
func (u *Undoing) add(r *Runner, c changes.PastChange) {
	it := Item{Undoes: &c}
	if p, err := r.journal.PlanOf(c); err == nil && p.Action.Kind != change.Repairs && p.Action.Kind != change.Replaces && u.Sweep.Action == nil {
		u.Sweep.Action = p.Action
	}
	for _, t := range r.s.Profile().Tables {
		if t.Name == c.Intent.Detail.Table {
			it.Table = t
		}
	}
	u.Sweep.Items = append(u.Sweep.Items, it)
}

// PreviewUndo plans to undo each item. It writes nothing.
func (r *Runner) PreviewUndo(ctx context.Context, u Undoing) (Preview, error) {
	out := Preview{Selection: Selection{Action: u.Sweep.Action}, Selected: len(u.Sweep.Items)}
	if len(u.Sweep.Items) == 0 {
		return out, nil
	}
	err := r.planEach(ctx, &out, u.Sweep, u.Sweep.Items[0].Table, nil, func(_ context.Context, take func(Item) error) error {
		for _, it := range u.Sweep.Items {
			if err := take(it); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}
