package changes

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// sampled is how many plans a preview shows.
const sampled = 3

// writePrice is the price in USD of a write request unit of an on-demand table in us-east-1, as an order of magnitude:
// regions, table classes and contracts differ. Source: Amazon DynamoDB pricing, on-demand capacity, standard table class.
const writePrice = 0.625 / 1e6

// A Preview is the expected result of a sweep. Capacity is in WCU and an estimate: it includes other items in the
// transaction, but not retries.
type Preview struct {
	Selection Selection
	Read      int // items that the pattern returned
	Selected  int // items that the filter matches
	Planned   int // items that the action would change
	Capacity  float64
	Samples   []*change.Plan
	Obstacles []Obstacle // most frequent first
	Notes     []string
	// ReadCapacity is the consumption of selecting and planning, in read units.
	ReadCapacity float64
	// Provisioned says that the price depends on the capacity that the table has, not on what is consumed.
	Provisioned bool
}

// An Obstacle is a reason why some of the selected items are not changed.
type Obstacle struct {
	Status  Status `json:"status"`
	Why     string `json:"why"`
	Count   int    `json:"count"`
	Example string `json:"example"` // the masked key of an item
}

// Price returns the price in USD of the write units at the on-demand rate of us-east-1, 0 if
// the table is provisioned. It is for orientation in a dialog and no bill.
func (p Preview) Price() float64 {
	if p.Provisioned {
		return 0
	}
	return p.Capacity * writePrice
}

// Preview selects the items and plans the change of each, within the read budget of the session. It writes nothing, and
// every role may use it. The error is a *change.Conflict if there is nothing to change, and that of the input or the refusal
// if it concerns all items. each is called in the order of the pattern, by one goroutine, and
// may be nil. Its error ends the preview.
func (pl *Planner) Preview(ctx context.Context, s Selection, each func(Item, *change.Plan) error) (Preview, error) {
	out := Preview{Selection: s}
	_, noReason := session.ReasonFor(s.Action, s.Reason)
	if err := cmp.Or(pl.Check(s), pl.s.CanPlan(s.Action), noReason); err != nil {
		return out, err
	}
	subject := "sweep " + s.Action.FullID() + " over " + s.Pattern.FullID()
	ctx, end := pl.s.Look(ctx, &session.Lookup{Subject: subject, Arguments: s.Args, Always: pl.told(s.Action)})
	err := pl.planEach(ctx, &out, s.Pattern.Table, each,
		func(ctx context.Context, take func(Item) error) error { return pl.choose(ctx, &out, take) })
	if err = end(err); err != nil {
		return Preview{Selection: s}, err
	}
	if info, err := pl.tables.Describe(ctx, s.Pattern.Table.Name); err == nil {
		out.Provisioned = info.Billing == string(types.BillingModeProvisioned)
	}
	return out, nil
}

// planEach stays within the read budget together with choose, which reads on between the plans. each may be nil.
func (pl *Planner) planEach(
	ctx context.Context, out *Preview, t *models.Table, each func(Item, *change.Plan) error,
	choose func(context.Context, func(Item) error) error,
) error {
	paced, err := pl.rd.Paced(ctx, t)
	if err != nil {
		return err
	}
	var read store.Meter
	pace, paid := pacer{budget: paced.Budget()}, 0.0
	err = choose(read.Watch(ctx), func(it Item) error {
		used := read.Units()
		if err := pace.reserve(ctx, used-paid); err != nil {
			return err
		}
		paid = used
		watched, done := pace.observed(read.Watch(ctx))
		p, err := pl.planItem(watched, out.Selection.Set, it)
		done()
		if err != nil {
			return pl.obstructed(ctx, out, it, err)
		}
		out.Planned++
		out.Capacity += p.Capacity()
		if len(out.Samples) < sampled {
			out.Samples = append(out.Samples, p)
		}
		if each != nil {
			return each(it, p)
		}
		return nil
	})
	out.ReadCapacity = read.Units()
	slices.SortStableFunc(out.Obstacles, func(a, b Obstacle) int { return cmp.Compare(b.Count, a.Count) })
	return err
}

// obstructed returns an error that is not about the item.
func (pl *Planner) obstructed(ctx context.Context, out *Preview, it Item, err error) error {
	o := Outcome{Key: pl.keyOf(it)}
	o.judge(ctx, err)
	var param *accesspatterns.ParamError
	switch isParam := errors.As(err, &param); {
	case isParam && it.Undoes == nil && !out.Selection.ownInputs()[param.Param]: // The key of this item.
		o.Status = Refused
	case o.Status != Conflict && o.Status != Refused:
		return err
	}
	why := pl.general(it, o.Why)
	i := slices.IndexFunc(out.Obstacles, func(x Obstacle) bool { return x.Status == o.Status && x.Why == why })
	if i < 0 {
		i = len(out.Obstacles)
		out.Obstacles = append(out.Obstacles, Obstacle{Status: o.Status, Why: why, Example: models.Printable(o.Key)})
	}
	out.Obstacles[i].Count++
	return nil
}

// general removes the key from an error, so that it is the same for all items with the problem.
func (pl *Planner) general(it Item, why string) string {
	const placeholder = "…"
	if it.Item == nil {
		return strings.ReplaceAll(why, it.Undoes.Intent.Detail.Key, placeholder)
	}
	why = strings.ReplaceAll(why, models.Printable(it.Table.KeyText(it.Item)), placeholder)
	found, ok := pl.s.Recognize(it.Table, it.Item)
	if !ok {
		return why
	}
	values := found.Entity.Values(it.Item)
	for _, k := range it.Table.PrimaryKeys() {
		t, _ := found.Entity.KeyTemplate(k.Name)
		for _, name := range t.Placeholders() {
			if v, ok := values(name); ok && len(v) > 2 {
				why = strings.ReplaceAll(why, models.Printable(v), placeholder)
			}
		}
	}
	return why
}
