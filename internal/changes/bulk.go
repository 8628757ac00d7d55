package changes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	session "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A BulkItem is an item as a person saw it when they chose it.
type BulkItem struct {
	Table *models.Table
	Item  models.Item
}

// A Bulk is one change of many items, each in a transaction of its own.
type Bulk struct {
	Action *change.Action    // nil: repair what derives from other attributes
	Inputs map[string]string // besides what each item fills
	Reason string
	Items  []BulkItem
}

// A BulkStatus says how the change of one item ended.
type BulkStatus string

// The statuses. Only Unknown leaves open whether something was written.
const (
	BulkCommitted BulkStatus = "committed"
	BulkConflict  BulkStatus = "conflict" // the item does not allow it, or has changed
	BulkRefused   BulkStatus = "refused"
	BulkFailed    BulkStatus = "failed" // nothing was written
	BulkUnknown   BulkStatus = "unknown"
	BulkSkipped   BulkStatus = "skipped" // not tried
)

// BulkStatuses lists every status.
func BulkStatuses() []BulkStatus {
	return []BulkStatus{BulkCommitted, BulkConflict, BulkRefused, BulkFailed, BulkUnknown, BulkSkipped}
}

// A BulkOutcome is how the change of one item ended.
type BulkOutcome struct {
	Index   int    // in Bulk.Items
	Table   string // its real name
	Key     string // as it may be shown
	Status  BulkStatus
	Why     string // "" when it was committed as planned
	Journal string // the ID of its journal entries, "" when it was not committed
}

// A BulkSummary counts the outcomes of a bulk.
type BulkSummary struct {
	Counts   map[BulkStatus]int
	Capacity float64 // write units consumed
	Outcomes []BulkOutcome
}

// bulkFailures is how many failures in a row end a bulk: what stops that many
// stops the rest as well.
const bulkFailures = 3

// RunBulk plans and commits the change of one item after another and calls each
// with every outcome, in order. An item that is no longer as it was chosen is a
// conflict. When ctx ends, the item under way is finished and the rest are
// skipped; the same after an unknown outcome, or several failures in a row. The
// error says why nothing was tried at all.
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
				o.Journal, o.Why = done.Journal, strings.Join(done.Notes, "; ")
				sum.Capacity += done.Capacity
			}
			o.judge(ctx, err)
			// What an error repeats of the key is shown as the key is.
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

// canBulk returns why nothing of the bulk can be carried out. The refusal goes
// to the journal.
func (c *Committer) canBulk(ctx context.Context, b Bulk) error {
	if b.Action == nil {
		return c.CanRepair(ctx, b.Reason)
	}
	if b.Action.Kind == change.Creates {
		return session.InputErrorf("%s creates items; bulk changes apply to existing items only", b.Action.FullID())
	}
	err := c.s.CanChange(b.Action)
	if err == nil && b.Action.FourEyes {
		err = &session.Refusal{Why: b.Action.FullID() + " needs a second person", Next: "write a plan for each item and have someone else apply it"}
	}
	if err == nil {
		err = session.NeedsReason(b.Action, b.Reason)
	}
	if err != nil {
		return c.Refuse(ctx, b.Action, nil, b.Reason, err)
	}
	return nil
}

// changeOne carries out the change of one item.
func (c *Committer) changeOne(ctx context.Context, b Bulk, it BulkItem) (*Commitment, error) {
	p, err := c.planOne(ctx, b, it)
	if err != nil {
		return nil, err
	}
	if paths := moved(p.Action.Entity, it.Item, p.Basis.Items[change.Subject]); len(paths) > 0 {
		return nil, &change.Conflict{What: "changed since it was listed: " + strings.Join(paths, ", ")}
	}
	return c.Commit(ctx, p)
}

func (c *Committer) planOne(ctx context.Context, b Bulk, it BulkItem) (*change.Plan, error) {
	if b.Action == nil {
		return c.planner.PlanRepair(ctx, it.Table, it.Item, b.Reason)
	}
	r, ok := c.s.Recognise(it.Table, it.Item)
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

// moved lists what tells that the item is no longer the one that was chosen:
// states, and its version or the time of its last change; everything, where an
// entity has neither.
func moved(e *models.Entity, chosen, now models.Item) []string {
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

// judge reads the outcome from an error.
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
