package changes

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Set is one action, repair or undo for one or many items, with a separate transaction for each item.
type Set struct {
	Action *change.Action    // nil repairs derived attributes
	Inputs map[string]string // inputs in addition to those that each item fills
	Reason string
	Tables []*models.Table // tables of a repair, which skips items of other tables
	Rate   float64         // write units per second; 0 for the default, negative for no limit
	Undo   bool            // the items are changes to undo

	file *File // the file that the items are parts of; nil for selected items
}

// An Item is a selected item as ddbdesk read it.
type Item struct {
	Table *models.Table
	Item  models.Item // nil if only the journal contains it
	// Pattern is the pattern that read Item, because its projection can omit attributes; nil for a whole item.
	Pattern *accesspatterns.Pattern
	// Undoes is the change of the item to undo; nil applies the action.
	Undoes *PastChange

	number int   // number in its set, from 1
	part   *Part // the item's part of the file; nil without a file
}

// Items yields its arguments. Use it with Run.
func Items(items ...Item) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
	}
}

// An Outcome is the result of one item's change.
type Outcome struct {
	Index      int         `json:"-"`     // index of the item, from 0
	Table      string      `json:"table"` // real name
	Key        string      `json:"key"`   // masked
	Status     Status      `json:"status"`
	Reason     string      `json:"why"`     // reason; "" for an item committed as planned
	Journal    string      `json:"journal"` // ID of the journal entries, "" if this run did not commit the item
	Commitment *Commitment `json:"-"`       // nil for an uncommitted item
	Planned    bool        `json:"-"`       // planning succeeded, even if a later step failed
	Err        error       `json:"-"`       // error of an uncommitted item; nil for a skipped one
}

// A Summary counts the outcomes of a set without storing them.
type Summary struct {
	ID       string // ID of the set in the journal
	Counts   map[Status]int
	Capacity float64 // write units consumed
	Stopped  string  // reason for skipped items, or ""
}

// Total returns the number of items with an outcome.
func (s Summary) Total() int {
	n := 0
	for _, c := range s.Counts {
		n += c
	}
	return n
}

func newSetID() string {
	var id [16]byte
	rand.Read(id[:]) // rand.Read never returns an error.
	return hex.EncodeToString(id[:])
}

// maxFailures is the number of consecutive failures that stops a set, because the cause probably affects the remaining
// items.
const maxFailures = 3

// A Run applies a set. Its methods must not be called concurrently.
type Run struct {
	c        *Committer
	set      Set
	pace     pacer
	failures int // consecutive failures
	summary  Summary
}

// Run plans and commits the items one after another and calls each with every outcome, in order. An item that changed
// since it was selected is a conflict. If ctx ends, Run completes the current item and skips the rest. It also skips
// the rest after an unknown outcome or several consecutive failures. One item is in memory at a time. An error before
// the first outcome means that Run tried no item; a later error comes from items.
func (c *Committer) Run(ctx context.Context, s Set, items iter.Seq2[Item, error], each func(Outcome)) (Summary, error) {
	run, err := c.Start(ctx, s)
	if err != nil {
		return Summary{Counts: map[Status]int{}}, err
	}
	for it, err := range items {
		if err != nil {
			return run.summary, err
		}
		each(run.Change(ctx, it))
	}
	return run.summary, nil
}

// Start begins a set; pass its items to Change one after another. An error means that the session or the action does
// not allow the set; the journal records the refusal.
func (c *Committer) Start(ctx context.Context, s Set) (*Run, error) {
	if err := c.checkSet(ctx, s); err != nil {
		return nil, err
	}
	return &Run{c: c, set: s, summary: Summary{ID: newSetID(), Counts: map[Status]int{}}}, nil
}

// Summary returns the outcomes so far.
func (r *Run) Summary() Summary { return r.summary }

// Change changes the next item and returns its outcome; see Run. It waits for the write budget. The outcome's Status is
// never empty.
func (r *Run) Change(ctx context.Context, it Item) Outcome {
	if it.number = r.summary.Total() + 1; it.number == 1 {
		rate, err := r.c.writeBudget(ctx, it.Table, r.set.Rate)
		if r.pace.budget = rate; err != nil {
			var o Outcome
			o.setStatus(ctx, err)
			r.summary.Stopped = o.Reason
			return r.record(it, o)
		}
	}
	return r.record(it, r.step(ctx, it))
}

func (r *Run) step(ctx context.Context, it Item) (o Outcome) {
	if r.summary.Stopped == "" && ctx.Err() != nil {
		r.summary.Stopped = "stopped before this item"
	}
	if r.summary.Stopped != "" {
		o.Status, o.Reason = Skipped, r.summary.Stopped
		return o
	}
	commitment, err := r.planAndCommit(ctx, it, &o)
	for try := 1; try < throttledTries && (store.ClassOf(err) == store.Throttled || store.ClassOf(err) == store.Conflict); try++ {
		commitment, err = r.planAndCommit(ctx, it, &o) // Nothing was written.
	}
	if commitment != nil {
		o.Commitment, o.Journal, o.Reason = commitment, commitment.Journal, strings.Join(commitment.Notes, "; ")
		r.summary.Capacity += commitment.Capacity
	}
	o.setStatus(ctx, err)
	return o
}

// throttledTries is the maximum number of attempts for an item with throttled requests, each with all retries of the
// store.
const throttledTries = 5

func (r *Run) planAndCommit(ctx context.Context, it Item, o *Outcome) (*Commitment, error) {
	ctx, stop := r.pace.observe(ctx)
	defer stop()
	p, err := r.c.planner.planItem(ctx, r.set, it)
	if o.Planned = err == nil; err != nil {
		return nil, err
	}
	cost := p.Capacity()
	if err := r.pace.reserve(ctx, r.pace.expectedUnits(cost)); err != nil {
		return nil, err
	}
	commitment, err := r.c.commit(ctx, p, origin{file: r.set.file, member: Member{r.summary.ID, it.number}})
	if err == nil && commitment.Capacity > 0 { // A lost response reports no capacity.
		r.pace.recordCost(cost, commitment.Capacity)
	}
	return commitment, err
}

func (r *Run) record(it Item, o Outcome) Outcome {
	o.Index, o.Table, o.Key = it.number-1, it.Table.Name, r.c.planner.keyOf(it)
	if it.Item != nil { // Mask keys in error texts like the key itself.
		o.Reason = strings.ReplaceAll(o.Reason, models.Printable(it.Table.KeyText(it.Item)), models.Printable(o.Key))
	}
	switch o.Status {
	case Unknown:
		r.summary.Stopped = "stopped because the outcome of the previous item is unknown"
	case Failed:
		if r.failures++; r.failures == maxFailures {
			r.summary.Stopped = fmt.Sprintf("stopped after %d consecutive failures", r.failures)
		}
	case Skipped, Earlier:
	default:
		r.failures = 0
	}
	r.summary.Counts[o.Status]++
	return o
}

func (o *Outcome) setStatus(ctx context.Context, err error) {
	o.Status = StatusOf(err)
	switch stopped := ctx.Err() != nil && (errors.Is(err, ctx.Err()) || store.ClassOf(err) == store.Canceled); {
	case o.Status == Committed:
	case o.Status == Failed && stopped:
		o.Status, o.Reason = Skipped, "stopped before this item"
	default:
		o.Reason, o.Err = models.Printable(err.Error()), err
	}
}

func (c *Committer) checkSet(ctx context.Context, s Set) error {
	if err := session.CheckReason(s.Reason); err != nil {
		return err
	}
	a, tables := s.Action, s.Tables
	if a == nil {
		a = &change.Action{ID: "repair", Profile: c.s.Profile().Name}
	} else {
		if err := checkSweepable(a); err != nil {
			return err
		}
		tables = a.Tables()
	}
	if s.Undo { // Each item's undo has its own check.
		return c.checkAllowed(ctx, a, s.Reason, nil, nil)
	}
	var fourEyesErr error
	if a.FourEyes {
		fourEyesErr = session.Refusef("save the sweep with ddbdesk change SCHEMA ACTION --over PATTERN --plan FILE and have someone else apply it",
			"%s needs a second person", a.Term())
	}
	return c.checkAllowed(ctx, a, s.Reason, fourEyesErr, tables)
}

// checkAllowed records the refusal of a whole set in the journal. fourEyesErr is the refusal without a second person.
func (c *Committer) checkAllowed(ctx context.Context, a *change.Action, reason string, fourEyesErr error, list []*models.Table) error {
	_, reasonErr := session.ReasonFor(a, reason)
	err := cmp.Or(c.s.CanChange(a), fourEyesErr, reasonErr)
	if err == nil {
		err = c.needsBackup(ctx, list)
	}
	if errors.Is(err, session.ErrRefused) {
		return c.Refuse(ctx, a, nil, reason, err)
	}
	return err
}

func checkSweepable(a *change.Action) error {
	if !a.CanSweep() {
		return session.InputErrorf("%s creates items; a sweep applies to existing items only", a.Term())
	}
	return nil
}

func (pl *Planner) keyOf(it Item) string {
	switch {
	case it.part != nil:
		return it.part.Key
	case it.Item == nil:
		return it.Undoes.Intent.Detail.Key
	}
	return it.Table.KeyText(pl.s.Masker().Item(it.Table, it.Item))
}

func (pl *Planner) planItem(ctx context.Context, s Set, it Item) (*change.Plan, error) {
	switch { // Both plans refuse items that changed since.
	case it.part != nil:
		return pl.loadPart(ctx, s.file, *it.part)
	case s.Undo:
		return pl.PlanUndoOf(ctx, *it.Undoes, s.Reason)
	}
	p, err := pl.planAction(ctx, s, it)
	if err != nil {
		return nil, err
	}
	if paths := changedPaths(p.Action.Entity, it, p.Basis.Items[change.Subject]); len(paths) > 0 {
		return nil, &change.Conflict{Message: "changed since it was listed: " + strings.Join(paths, ", ")}
	}
	return p, nil
}

func (pl *Planner) planAction(ctx context.Context, s Set, it Item) (*change.Plan, error) {
	if s.Action == nil {
		if !slices.Contains(s.Tables, it.Table) {
			return nil, &session.Refusal{Reason: "table " + it.Table.Name + " is not part of this repair"}
		}
		return pl.PlanRepair(ctx, it.Table, it.Item, s.Reason)
	}
	found, ok := pl.s.Recognize(it.Table, it.Item)
	if !ok || found.Entity != s.Action.Entity {
		return nil, &change.Conflict{Message: "not of entity " + s.Action.Entity.Title}
	}
	inputs := ActionArgs(s.Action, found.Entity, it.Item)
	for name, text := range s.Inputs {
		if _, filled := inputs[name]; !filled {
			inputs[name] = text
		}
	}
	return pl.Plan(ctx, s.Action, inputs, s.Reason)
}

// changedPaths compares the states and the version or time of change, or all attributes if the entity has neither.
func changedPaths(e *models.Entity, chosen Item, now models.Item) []string {
	compared := map[string]bool{e.Version: e.Version != "", e.Updated: e.Updated != ""}
	all := e.Version == "" && e.Updated == ""
	for _, l := range e.Lifecycles {
		compared[l.Attribute] = true
	}
	var paths []string
	for _, c := range models.Diff(chosen.Item, now) {
		if (all || compared[c.Path]) && (chosen.Pattern == nil || chosen.Pattern.ReadsAttribute(c.Path)) {
			paths = append(paths, c.Path)
		}
	}
	return paths
}
