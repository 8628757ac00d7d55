package changes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A BulkItem is an item as it was shown when a person selected it.
type BulkItem struct {
	Table *models.Table
	Item  models.Item
	// Undoes is the change of the item to undo; nil applies the action.
	Undoes *PastChange
}

// A Bulk is one change of many items, each in a transaction of its own.
type Bulk struct {
	Action *change.Action    // nil repairs what derives from other attributes
	Inputs map[string]string // in addition to what each item fills
	Reason string
	Items  []BulkItem
}

// A BulkStatus is the outcome of the change of one item.
type BulkStatus string

// The statuses. After any of them but BulkUnknown it is known whether the item was written.
const (
	BulkCommitted BulkStatus = "committed"
	BulkConflict  BulkStatus = "conflict" // the item's state does not allow it, or it changed
	BulkRefused   BulkStatus = "refused"
	BulkFailed    BulkStatus = "failed" // nothing was written
	BulkUnknown   BulkStatus = "unknown"
	BulkSkipped   BulkStatus = "skipped" // not tried
)

// BulkStatuses lists every status.
func BulkStatuses() []BulkStatus {
	return []BulkStatus{BulkCommitted, BulkConflict, BulkRefused, BulkFailed, BulkUnknown, BulkSkipped}
}

// A BulkOutcome is the outcome of the change of one item, with what explains it.
type BulkOutcome struct {
	Index   int    // in Bulk.Items
	Table   string // real name
	Key     string // masked
	Status  BulkStatus
	Why     string      // "" when it was committed as planned
	Journal string      // the ID of its journal entries, "" when it was not committed
	Done    *Commitment `json:"-"` // nil when it was not committed
}

// A BulkSummary counts the outcomes of a bulk.
type BulkSummary struct {
	Counts   map[BulkStatus]int
	Capacity float64 // write units consumed
	Outcomes []BulkOutcome
}

// bulkFailures is how many consecutive failures stop a bulk change, because the cause is likely to affect the
// remaining items.
const bulkFailures = 3

// RunBulk plans and commits the change of one item after another and calls each with every outcome, in order. An
// item that changed since it was selected is a conflict. When ctx ends, the current item is completed and the rest
// are skipped; so they are after an unknown outcome or several consecutive failures. An error means that nothing
// was tried.
func (c *Committer) RunBulk(ctx context.Context, b Bulk, each func(BulkOutcome)) (BulkSummary, error) {
	sum := BulkSummary{Counts: map[BulkStatus]int{}}
	if err := c.canBulk(ctx, b); err != nil {
		return sum, err
	}
	stopped, failures := "", 0
	for i, it := range b.Items {
		o := BulkOutcome{Index: i, Table: it.Table.Name, Key: it.Table.KeyText(c.s.Masker().Item(it.Table, it.Item))}
		if stopped == "" && ctx.Err() != nil {
			stopped = "stopped before this item"
		}
		if stopped != "" {
			o.Status, o.Why = BulkSkipped, stopped
		} else {
			done, err := c.changeOne(ctx, b, it)
			if done != nil {
				o.Done, o.Journal, o.Why = done, done.Journal, strings.Join(done.Notes, "; ")
				sum.Capacity += done.Capacity
			}
			o.judge(ctx, err)
			// Keys in error texts are masked like the key itself.
			o.Why = strings.ReplaceAll(o.Why, models.Printable(it.Table.KeyText(it.Item)), models.Printable(o.Key))
		}
		switch o.Status {
		case BulkUnknown:
			stopped = "stopped because the outcome of the previous item is unknown"
		case BulkFailed:
			if failures++; failures == bulkFailures {
				stopped = fmt.Sprintf("stopped after %d consecutive failures", failures)
			}
		case BulkSkipped:
		default:
			failures = 0
		}
		sum.Counts[o.Status]++
		sum.Outcomes = append(sum.Outcomes, o)
		if each != nil {
			each(o)
		}
	}
	return sum, nil
}

// canBulk returns why nothing of the bulk change can be applied. The journal records the refusal.
func (c *Committer) canBulk(ctx context.Context, b Bulk) error {
	if err := session.CheckReason(b.Reason); err != nil {
		return err
	}
	if b.Action == nil {
		return c.CanRepair(ctx, b.Reason)
	}
	if b.Action.Kind == change.Creates {
		return session.InputErrorf("%s creates items; bulk changes apply to existing items only", b.Action.FullID())
	}
	err := c.s.CanChange(b.Action)
	if err == nil && b.Action.FourEyes {
		err = &session.Refusal{
			Why:  b.Action.FullID() + " needs a second person",
			Next: "write a plan for each item and have someone else apply it",
		}
	}
	if err == nil {
		err = session.NeedsReason(b.Action, b.Reason)
	}
	if err != nil {
		return c.Refuse(ctx, b.Action, nil, b.Reason, err)
	}
	return nil
}

// changeOne applies the change to one item.
func (c *Committer) changeOne(ctx context.Context, b Bulk, it BulkItem) (*Commitment, error) {
	p, err := c.planOne(ctx, b, it)
	if err != nil {
		return nil, err
	}
	if it.Undoes != nil { // The plan refuses what changed since.
		return c.Commit(ctx, p)
	}
	if paths := changedSince(p.Action.Entity, it.Item, p.Basis.Items[change.Subject]); len(paths) > 0 {
		return nil, &change.Conflict{What: "changed since it was listed: " + strings.Join(paths, ", ")}
	}
	return c.Commit(ctx, p)
}

func (c *Committer) planOne(ctx context.Context, b Bulk, it BulkItem) (*change.Plan, error) {
	if it.Undoes != nil {
		return c.planner.PlanUndoOf(ctx, *it.Undoes, b.Reason)
	}
	if b.Action == nil {
		return c.planner.PlanRepair(ctx, it.Table, it.Item, b.Reason)
	}
	r, ok := c.s.Recognize(it.Table, it.Item)
	if !ok || r.Entity != b.Action.Entity {
		return nil, &change.Conflict{What: "not of entity " + b.Action.Entity.Title}
	}
	inputs := ActionArgs(b.Action, r.Entity, it.Item)
	for name, text := range b.Inputs {
		if _, own := inputs[name]; !own {
			inputs[name] = text
		}
	}
	return c.planner.Plan(ctx, b.Action, inputs, b.Reason)
}

// changedSince lists the attributes that show that the item changed since it was selected: states, and the version
// or the time of the last change. For an entity with neither it compares all attributes.
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

// judge derives the status from an error.
func (o *BulkOutcome) judge(ctx context.Context, err error) {
	var conflict *change.Conflict
	switch {
	case err == nil:
		o.Status = BulkCommitted
		return
	case errors.Is(err, ErrUnknown):
		o.Status = BulkUnknown
	case errors.As(err, &conflict):
		o.Status = BulkConflict
	case errors.Is(err, session.ErrRefused):
		o.Status = BulkRefused
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || store.ClassOf(err) == store.Canceled):
		o.Status, o.Why = BulkSkipped, "stopped before this item"
		return
	default:
		o.Status = BulkFailed
	}
	o.Why = models.Printable(err.Error())
}
