package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

type undoInput struct {
	sweepFlags

	planInput

	schema, id, sweepID string

	one, many *op.Param // ID and --sweep
}

var undoChange = op.New(op.Op{
	Path: "undo", Title: "Undo the latest change, a change by its ID, or a sweep",
	Help: "Plans the change that restores the previous values. If an item has changed since, ddbdesk writes nothing and\n" +
		"exits with 10. Version counters and update times advance; audit entries stay, and the undo adds one. --dry-run\n" +
		"prints the plan, --plan saves it for `ddbdesk apply` on this machine, and --yes applies it; without these flags\n" +
		"ddbdesk asks first.\n\n" +
		"If the latest change is part of a sweep, ddbdesk undoes the whole sweep, as with --sweep ID: it restores each item\n" +
		"that has not changed since the sweep, and reports the others.",
	Needs: op.Writes, Formats: formats,
}, func(in *undoInput) []*op.Param {
	in.many = op.Flag(&in.sweepID, "sweep", "undo every change of sweep `ID`")
	in.one = op.Arg(&in.id, "id", "the ID of a change, or its beginning").Optional()
	return append(in.params(), op.SchemaArg(&in.schema), in.one, in.many, in.rateFlag())
}, func(ctx context.Context, c *op.Call, in *undoInput) (op.Result, error) {
	sweep := in.many.Given()
	if in.id != "" && in.firstGiven() != "" {
		return nil, session.InputErrorf("--rate works only with sweeps; omit the flag, or use --sweep ID")
	}
	modes := []choice{{"dry-run", in.dryRun}, {"plan FILE", in.planned.Given()}, {"yes", in.yes}}
	if sweep {
		modes = slices.Delete(modes, 1, 2)
	}
	ask, promptErr := needsPrompt(c, modes...)
	switch {
	case promptErr != nil && !ask:
		return nil, promptErr
	case in.one.Given() && in.id == "":
		return nil, session.InputErrorf("the change ID is empty; list the changes with ddbdesk journal")
	case sweep && (in.id != "" || in.sweepID == ""):
		return nil, session.InputErrorf("give either --sweep with the ID of a sweep, or the ID of a change")
	case sweep:
		if err := in.checkSweep(c); err != nil {
			return nil, err
		}
	}
	w, err := c.OpenSchema(ctx, in.schema)
	if err != nil {
		return nil, err
	}
	if sweep {
		u, err := w.Journal.Undo(in.sweepID, in.reason)
		if err = cmp.Or(err, promptErr); err != nil {
			return nil, err
		}
		return undoSweep(ctx, c, in, w, u, ask)
	}
	past, err := changeToUndo(c, in, w)
	if err = cmp.Or(err, promptErr); err != nil {
		return nil, err
	}
	if set := past.Intent.Detail.Sweep; set != "" && in.id == "" {
		u, err := w.Journal.Undo(set, in.reason)
		if err == nil && u.Changes > 1 {
			err = in.checkSweep(c)
			c.Notef("the latest change is one of %s in sweep %s, and undo reverts all of them; to undo only one, add its ID",
				english.Plural(u.Changes, "change", ""), journal.ShortID(u.ID))
		}
		switch {
		case err != nil:
			return nil, err
		case u.Changes > 1:
			return undoSweep(ctx, c, in, w, u, ask)
		}
	}
	switch {
	case in.firstGiven() != "":
		return nil, session.InputErrorf("--rate works only with sweeps, and the latest change is not part of one; omit the flag")
	case in.id == "" && past.Open():
		return nil, session.InputErrorf("the outcome of the latest change, %s, is unknown; resolve it first with %s",
			journal.ShortID(past.Intent.ID), w.Session.SchemaCommand("journal", "resolve"))
	}
	original, refusal := w.Journal.Undoable(past)
	if original == nil {
		return nil, refusal
	}
	s := pendingChange{Call: c, w: w, action: original.Action, schema: in.schema, reason: in.reason, undo: true}
	willWrite := in.yes || ask
	if refusal == nil && willWrite {
		refusal = w.Session.CanChange(original.Action)
	}
	if refusal == nil {
		if _, refusal = session.ReasonFor(original.Action, in.reason); errors.Is(refusal, session.ErrRefused) {
			subject := original.Action.Term()
			if original.Action.IsRaw() {
				subject = models.Term{ID: "the " + strings.ToLower(original.Action.Title) + " of " + shownItem(w, past.Intent.Detail.Key)}
			}
			refusal = session.Refusef("add --reason TEXT", "undoing %s requires a reason", subject)
		}
	}
	switch {
	case refusal != nil && !willWrite:
		return s.failedOutcome(refusal)
	case refusal != nil:
		return s.failedOutcome(w.Committer.RefuseUndo(ctx, original, in.reason, refusal))
	}
	if s.plan, err = w.Planner.PlanUndo(ctx, original, in.reason); err != nil {
		return s.failedOutcome(err)
	}
	return in.finish(ctx, s, ask)
})

// changeToUndo returns the change with an ID, or the latest change that may have been applied and is not undone.
func changeToUndo(c *op.Call, in *undoInput, w *workspace.Workspace) (changes.PastChange, error) {
	if in.id != "" {
		return findChange(c.Note, w, in.id)
	}
	for past, err := range w.Journal.Past() {
		if err := noteDamaged(c.Note, err); err != nil {
			return past, err
		} else if past.MayBeApplied() && !past.Undone && !past.IsUndo() {
			return past, nil
		}
	}
	return changes.PastChange{}, session.InputErrorf("the journal has no change of %s to undo on this connection; "+
		"list all changes with ddbdesk journal", w.Session.Profile().Name)
}

func (in *undoInput) checkSweep(c *op.Call) error {
	switch {
	case in.planned.Given():
		return session.InputErrorf("--plan saves the undo of only one change; for a sweep, use --dry-run or --yes")
	case c.Output == "cli":
		return session.InputErrorf("-o cli prints only one change; for a sweep, use -o text or -o json")
	}
	return nil
}

// undoSweep undoes only items that have not changed since. On production, the user must type the number of items.
func undoSweep(
	ctx context.Context, c *op.Call, in *undoInput, w *workspace.Workspace, u changes.UndoSet, ask bool,
) (op.Result, error) {
	if u.Earlier > 0 {
		c.Notef("%s already undone", english.Plural(u.Earlier, "change is", "changes are"))
	}
	if u.Open > 0 {
		c.Notef("%s unresolved; run ddbdesk journal resolve %s first", english.Plural(u.Open, "change is", "changes are"),
			models.Printable(in.schema))
	}
	if u.Unclear > 0 {
		c.Notef("%s not undone, because the outcome is unclear; to find the items, run ddbdesk journal",
			english.Plural(u.Unclear, "change is", "changes are"))
	}
	if in.dryRun || u.Changes == 0 {
		p, err := w.Planner.PreviewUndo(ctx, u)
		if err != nil {
			return nil, err
		}
		return preview(w, p)
	}
	if ask {
		keys := models.MapSlice(models.Limited(u.Keys, 3), func(key string) string { return shownItem(w, key) })
		q := op.Question{
			Preview:  []string{"items: " + models.Printable(strings.Join(keys, ", ")) + "; for the plans and their cost, add --dry-run"},
			Declined: nothingWritten,
		}
		subject := english.Plural(u.Changes, "change", "")
		if u.Action != nil {
			subject = u.Action.ID + " on " + english.Plural(u.Changes, "item", "")
		}
		q.Text = fmt.Sprintf("Undo %s of sweep %s? (y/N) ", subject, journal.ShortID(u.ID))
		if w.Session.Production() {
			q.Answer = strconv.Itoa(u.Changes)
			q.Text = fmt.Sprintf("This is production. Type the number of items, %s, to undo sweep %s: ", q.Answer, journal.ShortID(u.ID))
		}
		if _, err := c.Ask(ctx, q); err != nil {
			return nil, err
		}
	}
	return newRunningSweep(ctx, c, w, in.schema, u.Changes, func(each func(changes.Outcome)) (changes.Summary, error) {
		u.Rate = in.Rate
		return w.Committer.Run(ctx, u.Set, u.Items(w.Journal), each)
	}).stream(), nil
}
