package sweep

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// maxFailures is how many consecutive failures stop a sweep, because the cause is likely to affect the remaining items.
const maxFailures = 3

// A Run is a sweep while it is applied. Its methods must not be called concurrently.
type Run struct {
	*Runner
	sweep    Sweep
	pace     pacer
	failures int // consecutive
	sum      Summary
}

// Apply plans and commits the change of one item after another and calls each, which may be nil, with every outcome, in
// order. An item that changed since it was selected is a conflict. When ctx ends, the current item is completed and the
// rest are skipped; so they are after an unknown outcome or several consecutive failures. An error means that nothing was
// tried. The Summary has an outcome for each item, in their order, also for those that were
// skipped.
func (r *Runner) Apply(ctx context.Context, s Sweep, each func(Outcome)) (Summary, error) {
	run, err := r.Start(ctx, s)
	if err != nil {
		return Summary{Counts: map[Status]int{}}, err
	}
	for _, it := range s.Items {
		o := run.Change(ctx, it)
		run.sum.Outcomes = append(run.sum.Outcomes, o)
		if each != nil {
			each(o)
		}
	}
	return run.Summary(), nil
}

// Start begins a sweep whose items are passed to Change, one after another. An error means that the session or the action
// does not allow it; the journal records the refusal.
func (r *Runner) Start(ctx context.Context, s Sweep) (*Run, error) {
	if err := r.canApply(ctx, s); err != nil {
		return nil, err
	}
	return &Run{Runner: r, sweep: s, sum: Summary{ID: changes.NewSweep(), Counts: map[Status]int{}}}, nil
}

// Summary returns the outcomes so far.
func (r *Run) Summary() Summary { return r.sum }

// Change changes the next item and returns its outcome; see Apply. It waits for the write
// budget. Its Status is never empty.
func (r *Run) Change(ctx context.Context, it Item) Outcome {
	n := r.sum.Total()
	if n == 0 {
		if err := r.budget(ctx, it.Table); err != nil {
			r.sum.Stopped = err.Error()
		}
	}
	o := r.step(ctx, n, func(ctx context.Context) (*change.Plan, error) {
		return r.plan(ctx, r.sweep, it)
	}, func(ctx context.Context, p *change.Plan) (*changes.Commitment, error) {
		return r.committer.CommitPart(ctx, p, changes.Part{Sweep: r.sum.ID, Number: n + 1})
	})
	o.Table, o.Key = it.Table.Name, r.keyOf(it)
	if it.Item != nil { // Keys in error texts are masked like the key itself.
		o.Why = strings.ReplaceAll(o.Why, models.Printable(it.Table.KeyText(it.Item)), models.Printable(o.Key))
	}
	r.count(o)
	return o
}

func (r *Run) budget(ctx context.Context, t *models.Table) error {
	rate, err := r.writeBudget(ctx, t, r.sweep.Rate)
	r.pace.budget = rate
	return err
}

func (r *Runner) keyOf(it Item) string {
	if it.Item == nil {
		return it.Undoes.Intent.Detail.Key
	}
	return it.Table.KeyText(r.s.Masker().Item(it.Table, it.Item))
}

func (r *Run) step(
	ctx context.Context, index int, plan func(context.Context) (*change.Plan, error),
	commit func(context.Context, *change.Plan) (*changes.Commitment, error),
) Outcome {
	o := Outcome{Index: index}
	if r.sum.Stopped == "" && ctx.Err() != nil {
		r.sum.Stopped = "stopped before this item"
	}
	if r.sum.Stopped != "" {
		o.Status, o.Why = Skipped, r.sum.Stopped
		return o
	}
	keep := func(ctx context.Context) (p *change.Plan, err error) {
		p, err = plan(ctx)
		o.Plan = p
		return p, err
	}
	done, err := r.paced(ctx, keep, commit)
	for try := 1; try < throttledTries && (store.ClassOf(err) == store.Throttled || store.ClassOf(err) == store.Conflict); try++ {
		done, err = r.paced(ctx, keep, commit) // Nothing was written.
	}
	if done != nil {
		o.Done, o.Journal, o.Why = done, done.Journal, strings.Join(done.Notes, "; ")
		r.sum.Capacity += done.Capacity
	}
	o.judge(ctx, err)
	return o
}

// throttledTries is how often an item is tried whose requests are throttled, each with all retries of the store.
const throttledTries = 5

func (r *Run) paced(
	ctx context.Context, plan func(context.Context) (*change.Plan, error),
	commit func(context.Context, *change.Plan) (*changes.Commitment, error),
) (*changes.Commitment, error) {
	ctx, observed := r.pace.observed(ctx)
	defer observed()
	p, err := plan(ctx)
	if err != nil {
		return nil, err
	}
	cost := p.Capacity()
	if err := r.pace.reserve(ctx, r.pace.enough(cost)); err != nil {
		return nil, err
	}
	done, err := commit(ctx, p)
	if err == nil && done.Capacity > 0 { // A lost response has none.
		r.pace.settle(cost, done.Capacity)
	}
	return done, err
}

func (r *Run) count(o Outcome) {
	switch o.Status {
	case Unknown:
		r.sum.Stopped = "stopped because the outcome of the previous item is unknown"
	case Failed:
		if r.failures++; r.failures == maxFailures {
			r.sum.Stopped = fmt.Sprintf("stopped after %d consecutive failures", r.failures)
		}
	case Skipped, Earlier:
	default:
		r.failures = 0
	}
	r.sum.Counts[o.Status]++
}

func (r *Runner) canApply(ctx context.Context, s Sweep) error {
	if err := session.CheckReason(s.Reason); err != nil {
		return err
	}
	if s.Action == nil {
		if err := r.committer.CanRepair(ctx, s.Reason); err != nil || s.undoes() {
			return err
		}
		err := r.needsBackup(ctx, s.tables())
		if errors.Is(err, session.ErrRefused) {
			return r.s.Refuse(ctx, r.s.Profile().Name+".repair", journal.Detail{Reason: s.Reason}, err)
		}
		return err
	}
	if err := sweepable(s.Action); err != nil {
		return err
	}
	err := r.s.CanChange(s.Action)
	if err == nil && s.Action.FourEyes && !s.undoes() { // An undo is checked item by item.
		err = &session.Refusal{
			Why:  s.Action.FullID() + " needs a second person",
			Next: "save the sweep with ddbdesk change .. --over PATTERN --plan FILE and have someone else apply it",
		}
	}
	if err == nil {
		err = session.NeedsReason(s.Action, s.Reason)
	}
	if err == nil && !s.undoes() {
		err = r.needsBackup(ctx, s.tables())
	}
	if errors.Is(err, session.ErrRefused) {
		return r.committer.Refuse(ctx, s.Action, nil, s.Reason, err)
	}
	return err
}

func (s Sweep) undoes() bool { return s.undo || len(s.Items) > 0 && s.Items[0].Undoes != nil }

func sweepable(a *change.Action) error {
	if !a.CanSweep() {
		return session.InputErrorf("%s creates items; a sweep applies to existing items only", a.FullID())
	}
	return nil
}

// plan returns a conflict for an item that changed since it was selected.
func (r *Runner) plan(ctx context.Context, s Sweep, it Item) (*change.Plan, error) {
	if it.Undoes != nil { // The plan refuses what changed since.
		return r.planner.PlanUndoOf(ctx, *it.Undoes, s.Reason)
	}
	p, err := r.planAction(ctx, s, it)
	if err != nil {
		return nil, err
	}
	if paths := changedSince(p.Action.Entity, it.Item, p.Basis.Items[change.Subject]); len(paths) > 0 {
		return nil, &change.Conflict{What: "changed since it was listed: " + strings.Join(paths, ", ")}
	}
	return p, nil
}

func (r *Runner) planAction(ctx context.Context, s Sweep, it Item) (*change.Plan, error) {
	if s.Action == nil {
		return r.planner.PlanRepair(ctx, it.Table, it.Item, s.Reason)
	}
	found, ok := r.s.Recognize(it.Table, it.Item)
	if !ok || found.Entity != s.Action.Entity {
		return nil, &change.Conflict{What: "not of entity " + s.Action.Entity.Title}
	}
	inputs := changes.ActionArgs(s.Action, found.Entity, it.Item)
	for name, text := range s.Inputs {
		if _, own := inputs[name]; !own {
			inputs[name] = text
		}
	}
	return r.planner.Plan(ctx, s.Action, inputs, s.Reason)
}

// changedSince compares states, and the version or the time of the last change; all attributes for an entity with
// neither.
func changedSince(e *models.Entity, chosen, now models.Item) []string {
	watch := map[string]bool{e.Version: e.Version != "", e.Updated: e.Updated != ""}
	all := e.Version == "" && e.Updated == ""
	for _, l := range e.Lifecycles {
		watch[l.Attribute] = true
	}
	var paths []string
	for _, c := range models.Diff(chosen, now) {
		if all || watch[c.Path] {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

func (o *Outcome) judge(ctx context.Context, err error) {
	var conflict *change.Conflict
	switch {
	case err == nil:
		o.Status = Committed
		return
	case errors.Is(err, changes.ErrUnknown):
		o.Status = Unknown
	case errors.As(err, &conflict):
		o.Status = Conflict
	case errors.Is(err, session.ErrRefused):
		o.Status = Refused
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || store.ClassOf(err) == store.Canceled):
		o.Status, o.Why = Skipped, "stopped before this item"
		return
	default:
		o.Status = Failed
	}
	o.Why, o.Err = models.Printable(err.Error()), err
}
