package changes

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Set is one action, or the repair or the undo, of one or many items, each in a transaction of its own.
type Set struct {
	Action *change.Action    // nil repairs what derives from other attributes
	Inputs map[string]string // in addition to what each item fills
	Reason string
	Tables []*models.Table // of the items of a repair; no item of another table is repaired
	Rate   float64         // write units per second; 0 for the default, negative for no limit
	Undo   bool            // its items are changes to undo
}

// An Item is an item as it was read when it was selected.
type Item struct {
	Table *models.Table
	Item  models.Item // nil if only the journal knows it
	// Undoes is the change of the item to undo; nil applies the action.
	Undoes *PastChange
}

// Each returns items for Run.
func Each(items ...Item) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
	}
}

// An Outcome is the outcome of the change of one item, with what explains it.
type Outcome struct {
	Index   int         `json:"-"`     // of the item, from 0
	Table   string      `json:"table"` // real name
	Key     string      `json:"key"`   // masked
	Status  Status      `json:"status"`
	Why     string      `json:"why"`     // "" when it was committed as planned
	Journal string      `json:"journal"` // the ID of its journal entries, "" when this run has not committed it
	Done    *Commitment `json:"-"`       // nil when it was not committed
	Planned bool        `json:"-"`       // it was refused or failed later than that
	Err     error       `json:"-"`       // why it was not committed; nil for a skipped item
}

// A Summary counts the outcomes of a set. It holds none of them.
type Summary struct {
	ID       string // of the set, as the journal has it
	Counts   map[Status]int
	Capacity float64 // write units consumed
	Stopped  string  // why items were skipped, "" if none was
}

// Total returns how many items have an outcome.
func (s Summary) Total() int {
	n := 0
	for _, c := range s.Counts {
		n += c
	}
	return n
}

// newSet returns the ID of a new set: 128 random bits in hexadecimal.
func newSet() string {
	var id [16]byte
	rand.Read(id[:]) // It never returns an error: it ends the program instead.
	return hex.EncodeToString(id[:])
}

// maxFailures is how many consecutive failures stop a set, because the cause is likely to affect the remaining items.
const maxFailures = 3

// A Run is a set while it is applied. Its methods must not be called concurrently.
type Run struct {
	c        *Committer
	set      Set
	pace     pacer
	failures int // consecutive
	sum      Summary
}

// Run plans and commits the change of one item after another and calls each with every outcome, in order. An item that changed
// since it was selected is a conflict. When ctx ends, the current item is completed and the rest are skipped; so they are after
// an unknown outcome or several consecutive failures. One item is in memory at a time. An error before the first outcome means
// that nothing was tried; later it is that of the items.
func (c *Committer) Run(ctx context.Context, s Set, items iter.Seq2[Item, error], each func(Outcome)) (Summary, error) {
	run, err := c.Start(ctx, s)
	if err != nil {
		return Summary{Counts: map[Status]int{}}, err
	}
	for it, err := range items {
		if err != nil {
			return run.sum, err
		}
		each(run.Change(ctx, it))
	}
	return run.sum, nil
}

// Start begins a set whose items are passed to Change, one after another. An error means that the session or the action
// does not allow it; the journal records the refusal.
func (c *Committer) Start(ctx context.Context, s Set) (*Run, error) {
	if err := c.canRun(ctx, s); err != nil {
		return nil, err
	}
	return &Run{c: c, set: s, sum: Summary{ID: newSet(), Counts: map[Status]int{}}}, nil
}

// Summary returns the outcomes so far.
func (r *Run) Summary() Summary { return r.sum }

// Change changes the next item and returns its outcome; see Run. It waits for the write
// budget. Its Status is never empty.
func (r *Run) Change(ctx context.Context, it Item) Outcome {
	n := r.sum.Total()
	if n == 0 {
		rate, err := r.c.writeBudget(ctx, it.Table, r.set.Rate)
		if r.pace.budget = rate; err != nil {
			r.sum.Stopped = err.Error()
		}
	}
	o := r.step(ctx, n, func(ctx context.Context) (*change.Plan, error) {
		return r.c.planner.planItem(ctx, r.set, it)
	}, func(ctx context.Context, p *change.Plan) (*Commitment, error) {
		return r.c.commitPart(ctx, p, Member{r.sum.ID, n + 1})
	})
	o.Table, o.Key = it.Table.Name, r.c.planner.keyOf(it)
	if it.Item != nil { // Keys in error texts are masked like the key itself.
		o.Why = strings.ReplaceAll(o.Why, models.Printable(it.Table.KeyText(it.Item)), models.Printable(o.Key))
	}
	r.count(o)
	return o
}

func (r *Run) step(
	ctx context.Context, index int, plan func(context.Context) (*change.Plan, error),
	commit func(context.Context, *change.Plan) (*Commitment, error),
) Outcome {
	o := Outcome{Index: index}
	if r.sum.Stopped == "" && ctx.Err() != nil {
		r.sum.Stopped = "stopped before this item"
	}
	if r.sum.Stopped != "" {
		o.Status, o.Why = Skipped, r.sum.Stopped
		return o
	}
	keep := func(ctx context.Context) (*change.Plan, error) {
		p, err := plan(ctx)
		o.Planned = err == nil
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
	commit func(context.Context, *change.Plan) (*Commitment, error),
) (*Commitment, error) {
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

func (o *Outcome) judge(ctx context.Context, err error) {
	var conflict *change.Conflict
	switch {
	case err == nil:
		o.Status = Committed
		return
	case errors.Is(err, ErrUnknown):
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

// canRun says once what would be refused for each item.
func (c *Committer) canRun(ctx context.Context, s Set) error {
	reason, noReason := session.ReasonFor(s.Action, s.Reason)
	if noReason != nil && !errors.Is(noReason, session.ErrRefused) {
		return noReason
	}
	if s.Action == nil {
		if err := c.CanRepair(ctx, s.Reason); err != nil || s.Undo {
			return err
		}
		err := c.needsBackup(ctx, s.Tables)
		if errors.Is(err, session.ErrRefused) {
			return c.s.Refuse(ctx, c.s.Profile().Name+".repair", journal.Detail{Reason: reason}, err)
		}
		return err
	}
	if err := sweepable(s.Action); err != nil {
		return err
	}
	err := c.s.CanChange(s.Action)
	if err == nil && s.Action.FourEyes && !s.Undo { // An undo is checked item by item.
		err = &session.Refusal{
			Why:  s.Action.FullID() + " needs a second person",
			Next: "save the sweep with ddbdesk change .. --over PATTERN --plan FILE and have someone else apply it",
		}
	}
	if err == nil {
		err = noReason
	}
	if err == nil && !s.Undo {
		err = c.needsBackup(ctx, s.Action.Tables())
	}
	if errors.Is(err, session.ErrRefused) {
		return c.Refuse(ctx, s.Action, nil, s.Reason, err)
	}
	return err
}

func sweepable(a *change.Action) error {
	if !a.CanSweep() {
		return session.InputErrorf("%s creates items; a sweep applies to existing items only", a.FullID())
	}
	return nil
}

func (pl *Planner) keyOf(it Item) string {
	if it.Item == nil {
		return it.Undoes.Intent.Detail.Key
	}
	return it.Table.KeyText(pl.s.Masker().Item(it.Table, it.Item))
}

func (pl *Planner) planItem(ctx context.Context, s Set, it Item) (*change.Plan, error) {
	if s.Undo { // The plan refuses what changed since.
		return pl.PlanUndoOf(ctx, *it.Undoes, s.Reason)
	}
	p, err := pl.planAction(ctx, s, it)
	if err != nil {
		return nil, err
	}
	if paths := changedSince(p.Action.Entity, it.Item, p.Basis.Items[change.Subject]); len(paths) > 0 {
		return nil, &change.Conflict{What: "changed since it was listed: " + strings.Join(paths, ", ")}
	}
	return p, nil
}

func (pl *Planner) planAction(ctx context.Context, s Set, it Item) (*change.Plan, error) {
	if s.Action == nil {
		if !slices.Contains(s.Tables, it.Table) {
			return nil, &session.Refusal{Why: "table " + it.Table.Name + " is not one that is repaired"}
		}
		return pl.PlanRepair(ctx, it.Table, it.Item, s.Reason)
	}
	found, ok := pl.s.Recognize(it.Table, it.Item)
	if !ok || found.Entity != s.Action.Entity {
		return nil, &change.Conflict{What: "not of entity " + s.Action.Entity.Title}
	}
	inputs := ActionArgs(s.Action, found.Entity, it.Item)
	for name, text := range s.Inputs {
		if _, own := inputs[name]; !own {
			inputs[name] = text
		}
	}
	return pl.Plan(ctx, s.Action, inputs, s.Reason)
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
