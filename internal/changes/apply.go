package changes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// Limits controls how ApplyFile writes. The zero value means the default rate and no canary.
type Limits struct {
	Rate   float64 // write units per second; 0 for the default, negative for no limit
	Canary int     // items to change first; 0 for no canary
	// ApplyFile calls Continue after a committed canary if items remain. Its error ends the sweep. Nil continues.
	Continue func(ctx context.Context, done Summary, remaining int) error
	// Waiting receives the time that the sweep waits before it can determine the outcome of an interrupted change. It
	// may be nil.
	Waiting func(time.Duration)
}

// ApplyFile applies the items of a file that earlier runs did not apply, and calls each with every outcome. It stops
// after an uncommitted canary, after an unknown outcome, and if too many items fail; see Run for other reasons. It
// applies changes that an earlier run left without an outcome last, after it has resolved them. An error before the
// first outcome means that ApplyFile tried no item. A later error comes from Continue, or means that another program
// changed the file. If ctx is canceled, ApplyFile completes the current item and skips the others; a later call can
// apply them.
func (c *Committer) ApplyFile(ctx context.Context, f *File, l Limits, each func(Outcome)) (Summary, error) {
	empty := Summary{ID: f.Sweep, Counts: map[Status]int{}}
	a, err := c.checkFile(ctx, f)
	if err != nil {
		return empty, err
	}
	past, err := c.appliedParts(f)
	if err != nil {
		return empty, err
	}
	rate, err := c.writeBudget(ctx, a.Entity.Table, l.Rate)
	if err != nil {
		return empty, err
	}
	run := &Run{c: c, set: Set{Action: a, Reason: f.Reason, file: f}, summary: empty, pace: pacer{budget: rate}}
	return (&fileRun{Run: run, limits: l, each: each}).apply(ctx, past)
}

// A fileRun is one run of ApplyFile.
type fileRun struct {
	*Run
	limits      Limits
	each        func(Outcome)
	tried       int // items tried in this run
	uncommitted int // tried items that were not committed
}

const (
	// errorShare is the share of uncommitted items above which a sweep stops, because the data differs.
	errorShare = 0.2
	// errorsFrom is the number of tried items from which errorShare applies.
	errorsFrom = 20
)

func (r *fileRun) apply(ctx context.Context, past appliedParts) (Summary, error) {
	var open []Item
	n := 0
	for part, err := range r.set.file.verifiedParts() {
		if err != nil {
			return r.summary, err
		}
		before := past.part(n)
		n++
		it := Item{Table: r.set.Action.Entity.Table, part: &part, number: n}
		switch before.state {
		case partOpen:
			open = append(open, it)
		case partCommitted:
			r.report(it, Outcome{Status: Earlier, Journal: before.entry()})
		case partUndone:
			r.report(it, Outcome{Status: Conflict, Reason: "applied before and undone since; create a new plan", Journal: before.entry()})
		default:
			r.try(ctx, it)
			if err := r.afterCanary(ctx, r.set.file.Items-r.summary.Total()); err != nil {
				return r.summary, err
			}
		}
	}
	for _, it := range open {
		r.resume(ctx, it, past.open[it.number-1])
	}
	return r.summary, nil
}

func (r *fileRun) try(ctx context.Context, it Item) {
	o := r.step(ctx, it)
	if o.Status != Skipped {
		if r.tried++; o.Status != Committed {
			r.uncommitted++
		}
	}
	r.report(it, o)
	if r.summary.Stopped == "" && r.tried >= errorsFrom && float64(r.uncommitted) > errorShare*float64(r.tried) {
		r.summary.Stopped = fmt.Sprintf("stopped because %d of %d items were not changed", r.uncommitted, r.tried)
	}
}

func (r *fileRun) afterCanary(ctx context.Context, remaining int) error {
	switch {
	case r.tried != r.limits.Canary || r.limits.Canary == 0 || r.summary.Stopped != "":
	case r.uncommitted > 0:
		r.summary.Stopped = fmt.Sprintf("stopped because %d of the first %d items were not changed", r.uncommitted, r.tried)
	case remaining > 0 && r.limits.Continue != nil:
		r.limits.Canary = 0
		return r.limits.Continue(ctx, r.summary, remaining)
	}
	return nil
}

// resume resolves the change that an earlier run left open, and tries the item if that change was not written.
func (r *fileRun) resume(ctx context.Context, it Item, c PastChange) {
	if r.summary.Stopped != "" || ctx.Err() != nil {
		r.try(ctx, it)
		return
	}
	if !c.Open() { // Resolved as unclear, which never stops the run.
		r.report(it, r.step(ctx, it))
		return
	}
	o := Outcome{Status: Unknown, Journal: c.Intent.ID}
	state, err := r.settle(ctx, c)
	switch {
	case ctx.Err() != nil, err == nil && state == change.NotWritten:
		r.try(ctx, it)
		return
	case err != nil:
		o.Reason = models.Printable(err.Error())
	case state == change.Unclear:
		o.Reason = "the item has changed since, so it is unknown whether this change was written"
	case state == change.AsPlanned:
		o.Reason = "the item is as planned, but who changed it is unknown"
	default:
		o.Status = Earlier
	}
	stopped := r.summary.Stopped
	if r.report(it, o); err == nil {
		r.summary.Stopped = stopped // Resolve read the items, so the next item is not in doubt.
	}
}

func (r *fileRun) settle(ctx context.Context, c PastChange) (change.State, error) {
	j := r.c.planner.journal
	if delay := j.Unsettled(c); delay > 0 {
		if r.limits.Waiting != nil {
			r.limits.Waiting(delay)
		}
		if err := wait(ctx, delay); err != nil {
			return "", err
		}
	}
	return j.Resolve(ctx, c)
}

func (r *fileRun) report(it Item, o Outcome) {
	if o = r.record(it, o); r.each != nil {
		r.each(o)
	}
}

const (
	// productionShare is the share of a production table's provisioned write units that a sweep uses by default.
	productionShare = 0.25
	// onDemandBudget is the default for on-demand tables, in write units per second: a small part of the 4,000 that a new
	// table serves. Source: Amazon DynamoDB Developer Guide, "DynamoDB on-demand capacity mode", initial throughput.
	onDemandBudget = 100
)

// writeBudget returns write units per second, or 0 for no limit.
func (c *Committer) writeBudget(ctx context.Context, t *models.Table, given float64) (float64, error) {
	if given != 0 || !c.s.Production() {
		return max(given, 0), nil
	}
	info, err := c.planner.tables.Describe(ctx, t.Name)
	switch {
	case err != nil && store.ClassOf(err) != store.AccessDenied:
		return 0, err
	case info.WriteUnits > 0:
		return max(productionShare*float64(info.WriteUnits), 1), nil
	}
	return onDemandBudget, nil
}

func (c *Committer) needsBackup(ctx context.Context, list []*models.Table) error {
	if !c.s.Production() {
		return nil
	}
	var unprotected []string
	for _, t := range list {
		enabled, err := c.s.Store().PointInTimeRecovery(ctx, t.Name)
		switch {
		case store.ClassOf(err) == store.AccessDenied:
			return &session.Refusal{
				Reason: "a sweep on production needs point-in-time recovery, and dynamodb:DescribeContinuousBackups is denied on " + t.Name,
				Advice: "grant the permission; see ddbdesk iam",
			}
		case err != nil:
			return err
		case !enabled:
			unprotected = append(unprotected, t.Name)
		}
	}
	if len(unprotected) == 0 {
		return nil
	}
	return &session.Refusal{
		Reason: fmt.Sprintf("a sweep on production needs point-in-time recovery, which is off for %s: "+
			"undo does not restore items that change after the sweep", strings.Join(unprotected, ", ")),
		Advice: "enable it on the table",
	}
}

func (c *Committer) checkFile(ctx context.Context, f *File) (*change.Action, error) {
	a, err := c.planner.Action(f.Action)
	if err != nil {
		return nil, err
	}
	if err := f.check(c.s.Viewer); err != nil {
		return nil, err
	}
	return a, c.checkAllowed(ctx, a, f.Reason, c.planner.CheckSecondPerson(f, a), a.Tables())
}
