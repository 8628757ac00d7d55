package sweep

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// Limits bound how a manifest is applied. The zero value is the default rate without a canary.
type Limits struct {
	Rate   float64 // write units per second; 0 for the default, negative for no limit
	Canary int     // items that are changed first; 0 for none
	// Continue is called after the canary, if it was committed and items remain. Its error ends the sweep. Nil continues.
	Continue func(ctx context.Context, done Summary, remaining int) error
	// Waiting is told how long the sweep waits until the outcome of an interrupted change can be determined. It may be nil.
	Waiting func(time.Duration)
}

// ApplyManifest applies the parts of a manifest that were not applied before, and calls each with every outcome. It stops after
// a canary that was not committed, after an unknown outcome, and when too many items fail; see Apply for the rest. A change
// that an earlier run left without an outcome comes last, and is resolved first. An error before the first outcome means that
// nothing was tried. Later it is that of Continue, or of a file that another program changes. A
// canceled ctx completes the current item and skips the others; they can be applied later with
// the same file. The Summary has no Outcomes: a manifest may have millions of items, and each
// gets them.
func (r *Runner) ApplyManifest(ctx context.Context, m *Manifest, l Limits, each func(Outcome)) (Summary, error) {
	none := Summary{ID: m.Sweep, Counts: map[Status]int{}}
	a, err := r.checkManifest(ctx, m)
	if err != nil {
		return none, err
	}
	past, err := r.past(m)
	if err != nil {
		return none, err
	}
	rate, err := r.writeBudget(ctx, a.Entity.Table, l.Rate)
	if err != nil {
		return none, err
	}
	run := &manifestRun{Run: &Run{Runner: r, sum: none, pace: pacer{budget: rate}}, m: m, limits: l, action: a, each: each}
	return run.apply(ctx, past)
}

// A manifestRun is a manifest while it is applied.
type manifestRun struct {
	*Run
	m      *Manifest
	limits Limits
	action *change.Action
	each   func(Outcome)
	tried  int // in this run
	bad    int // of them, those that were not committed
}

const (
	// errorShare is the share of items that are not committed above which a sweep stops: the data is not as it was planned.
	errorShare = 0.2
	// errorsFrom is the number of tried items from which the share counts.
	errorsFrom = 20
)

// A numbered is a part with its place in the manifest.
type numbered struct {
	Part
	n int // from 0
}

// apply applies first the parts that were never tried.
func (r *manifestRun) apply(ctx context.Context, past history) (Summary, error) {
	var open []numbered
	n := 0
	for part, err := range r.m.all() {
		if err != nil {
			return r.sum, err
		}
		p := numbered{part, n}
		n++
		before := past.of(p.n)
		switch before.was {
		case wasOpen:
			open = append(open, p)
		case wasCommitted:
			r.report(p, Outcome{Status: Earlier, Journal: before.entry()})
		case wasUndone:
			r.report(p, Outcome{Status: Earlier, Why: "undone since", Journal: before.entry()})
		default:
			r.part(ctx, p)
			if err := r.afterCanary(ctx, r.m.Items-r.sum.Total()); err != nil {
				return r.sum, err
			}
		}
	}
	for _, p := range open {
		r.resume(ctx, p, past.open[p.n])
	}
	return r.sum, nil
}

func (r *manifestRun) part(ctx context.Context, p numbered) {
	var f *changes.PlanFile
	o := r.step(ctx, p.n, func(ctx context.Context) (plan *change.Plan, err error) {
		if f, err = r.planFile(r.m, p.Part); err != nil {
			return nil, err
		}
		plan, err = r.planner.LoadPlan(ctx, f)
		if err == nil && r.partKey(plan.Writes[0].Table, plan.Writes[0].Before) != p.Key {
			return nil, changes.Edited() // It would be reported, and was reviewed, as another item.
		}
		return plan, err
	}, func(ctx context.Context, plan *change.Plan) (*changes.Commitment, error) {
		return r.committer.ApplyPart(ctx, f, plan, changes.Part{Sweep: r.m.Sweep, Number: p.n + 1})
	})
	if o.Status == Conflict {
		// The journal of another machine may have the change.
		if is, err := r.shows(ctx, r.action, f, p.Result); err == nil && is {
			o.Status, o.Why, o.Err = Earlier, "the item is already as the sweep leaves it", nil
		}
	}
	if o.Status != Skipped {
		if r.tried++; o.Status != Committed && o.Status != Earlier {
			r.bad++
		}
	}
	r.report(p, o)
	if r.sum.Stopped == "" && r.tried >= errorsFrom && float64(r.bad) > errorShare*float64(r.tried) {
		r.sum.Stopped = fmt.Sprintf("stopped because %d of %d items were not changed", r.bad, r.tried)
	}
}

func (r *manifestRun) afterCanary(ctx context.Context, remaining int) error {
	switch {
	case r.tried != r.limits.Canary || r.limits.Canary == 0 || r.sum.Stopped != "":
	case r.bad > 0:
		r.sum.Stopped = fmt.Sprintf("stopped because %d of the first %d items were not changed", r.bad, r.tried)
	case remaining > 0 && r.limits.Continue != nil:
		r.limits.Canary = 0
		return r.limits.Continue(ctx, r.sum, remaining)
	}
	return nil
}

func (r *manifestRun) resume(ctx context.Context, p numbered, c changes.PastChange) {
	if r.sum.Stopped == "" && ctx.Err() == nil {
		state, err := r.settle(ctx, c)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			r.report(p, Outcome{Status: Unknown, Why: models.Printable(err.Error()), Journal: c.Intent.ID})
			return
		case state == change.Unclear:
			r.report(p, Outcome{Status: Unknown, Why: "the item was changed since, and does not show it", Journal: c.Intent.ID})
			return
		case state != change.NotWritten:
			r.report(p, Outcome{Status: Earlier, Journal: c.Intent.ID})
			return
		}
	}
	r.part(ctx, p)
}

func (r *manifestRun) settle(ctx context.Context, c changes.PastChange) (change.State, error) {
	if wait := r.journal.Unsettled(c); wait > 0 {
		if r.limits.Waiting != nil {
			r.limits.Waiting(wait)
		}
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return r.journal.Resolve(ctx, c)
}

func (r *manifestRun) report(p numbered, o Outcome) {
	o.Index, o.Table, o.Key = p.n, r.action.Entity.Table.Name, p.Key
	r.count(o)
	if r.each != nil {
		r.each(o)
	}
}

const (
	// politeShare is the part of a production table's provisioned write units that a sweep uses by default.
	politeShare = 0.25
	// politeBudget is what it uses on demand, in write units per second: a small part of the 4,000 that a new table serves.
	// Source: Amazon DynamoDB Developer Guide, "DynamoDB on-demand capacity mode", initial throughput.
	politeBudget = 100
)

// writeBudget returns write units per second, 0 for no limit.
func (r *Runner) writeBudget(ctx context.Context, t *models.Table, given float64) (float64, error) {
	if given != 0 || !r.s.Production() {
		return max(given, 0), nil
	}
	info, err := r.tables.Describe(ctx, t.Name)
	switch {
	case err != nil && store.ClassOf(err) != store.AccessDenied:
		return 0, err
	case info.WriteUnits > 0:
		return max(politeShare*float64(info.WriteUnits), 1), nil
	}
	return politeBudget, nil
}

func (r *Runner) needsBackup(ctx context.Context, list []*models.Table) error {
	if !r.s.Production() {
		return nil
	}
	var off []string
	for _, t := range list {
		on, err := r.s.Store().PointInTimeRecovery(ctx, t.Name)
		switch {
		case store.ClassOf(err) == store.AccessDenied:
			return &session.Refusal{
				Why:  "a sweep on production needs point-in-time recovery, and dynamodb:DescribeContinuousBackups is denied on " + t.Name,
				Next: "grant the permission; see ddbdesk iam",
			}
		case err != nil:
			return err
		case !on:
			off = append(off, t.Name)
		}
	}
	if len(off) == 0 {
		return nil
	}
	return &session.Refusal{
		Why: fmt.Sprintf("a sweep on production needs point-in-time recovery, which is off for %s: "+
			"undo does not restore items that change after the sweep", strings.Join(off, ", ")),
		Next: "enable it on the table",
	}
}
