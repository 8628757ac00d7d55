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
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// sampleSize is the number of plans in a preview.
const sampleSize = 3

// writePrice is the price in USD of a write request unit of an on-demand table in us-east-1, as an order of magnitude:
// regions, table classes and contracts differ. Source: Amazon DynamoDB pricing, on-demand capacity, standard table
// class.
const writePrice = 0.625 / 1e6

// A Preview is the expected result of a set, without the document's samples. Its capacity is an estimate in WCU that
// includes other items in the transaction, but not retries.
type Preview struct {
	SetDocument
	Selection Selection
	Plans     []*change.Plan // a sample of the plans

	free bool // the database is on this machine
}

func newPreview(s Selection) Preview {
	p := Preview{Selection: s, SetDocument: SetDocument{
		Status: Conflict, Refusals: []Obstacle{}, Samples: []Document{}, Notes: []string{},
	}}
	if a := s.Action; a != nil {
		p.Action, p.Title = a.ID, a.Title
	}
	return p
}

// An Obstacle is a reason that prevents changes to some of the selected items.
type Obstacle struct {
	Status  Status `json:"status"`
	Reason  string `json:"why"`
	Count   int    `json:"count"`
	Example string `json:"example"` // masked key of one item

	plain string // Reason for role support
}

// Preview selects the items and plans the change of each item, within the read budget of the session. It writes
// nothing, and every role may use it. The error is a *change.Conflict if there is nothing to change, or an input error
// or a refusal that concerns all items. each may be nil. Otherwise, one goroutine calls it in the order of the pattern,
// and its error ends the preview.
func (pl *Planner) Preview(ctx context.Context, s Selection, each func(Item, *change.Plan) error) (Preview, error) {
	out := newPreview(s)
	out.free = pl.s.Target().IsLocal()
	out.Reason, out.Over, out.Where = s.Reason, s.Pattern.ID, s.Where
	_, reasonErr := session.ReasonFor(s.Action, s.Reason)
	if err := cmp.Or(pl.Check(s), pl.s.CanPlan(s.Action), reasonErr); err != nil {
		return out, err
	}
	subject := "sweep " + s.Action.FullID() + " over " + s.Pattern.FullID()
	ctx, end := pl.s.BeginLookup(ctx, &session.Lookup{Subject: subject, Arguments: s.Args, Always: pl.revealsMasked(s.Action)})
	err := pl.planEach(ctx, &out, s.Pattern.Table, each,
		func(ctx context.Context, visit func(Item) error) error { return pl.selectItems(ctx, &out, visit) })
	if err = end(err); err != nil {
		return Preview{Selection: s}, err
	}
	info, err := pl.tables.Describe(ctx, s.Pattern.Table.Name)
	if price := out.Capacity * writePrice; err != nil || info.Billing != string(types.BillingModeProvisioned) {
		out.Price = &price
	}
	return out, nil
}

// planEach shares one read budget with choose, which continues to read between the plans. each may be nil.
func (pl *Planner) planEach(
	ctx context.Context, out *Preview, t *models.Table, each func(Item, *change.Plan) error,
	choose func(context.Context, func(Item) error) error,
) error {
	pacedReader, err := pl.rd.Paced(ctx, t)
	if err != nil {
		return err
	}
	var read store.Meter
	pace, reservedUnits := pacer{budget: pacedReader.Budget()}, 0.0
	err = choose(read.Watch(ctx), func(it Item) error {
		used := read.Units()
		if err := pace.reserve(ctx, used-reservedUnits); err != nil {
			return err
		}
		reservedUnits = used
		watched, stop := pace.observe(read.Watch(ctx))
		p, err := pl.planItem(watched, out.Selection.Set, it)
		stop()
		if err != nil {
			return pl.countObstacle(ctx, out, it, err)
		}
		out.Items++
		out.Status = Planned
		out.Capacity += p.Capacity()
		if len(out.Plans) < sampleSize {
			out.Plans = append(out.Plans, p)
		}
		if each != nil {
			return each(it, p)
		}
		return nil
	})
	out.ReadUnits = reading.Round(read.Units())
	slices.SortStableFunc(out.Refusals, func(a, b Obstacle) int { return cmp.Compare(b.Count, a.Count) })
	return err
}

// countObstacle counts an error about the item, and returns every other error.
func (pl *Planner) countObstacle(ctx context.Context, out *Preview, it Item, err error) error {
	o := Outcome{Key: pl.keyOf(it)}
	o.setStatus(ctx, err)
	var paramErr *accesspatterns.ParamError
	switch isParam := errors.As(err, &paramErr); {
	case isParam && it.Undoes == nil && !out.Selection.userInputs()[paramErr.Param]: // a part of the item's key
		o.Status = Refused
	case o.Status != Conflict && o.Status != Refused:
		return err
	}
	reason := pl.reasonWithoutKey(it, o.Reason)
	i := slices.IndexFunc(out.Refusals, func(x Obstacle) bool { return x.Status == o.Status && x.Reason == reason })
	if i < 0 {
		i = len(out.Refusals)
		out.Refusals = append(out.Refusals, Obstacle{
			Status: o.Status, Reason: reason, plain: pl.reasonWithoutKey(it, models.Printable(models.PlainErrorText(err))),
			Example: models.Printable(o.Key),
		})
	}
	out.Refusals[i].Count++
	return nil
}

// reasonWithoutKey removes the key from an error, so that all items with the same problem have the same text.
func (pl *Planner) reasonWithoutKey(it Item, reason string) string {
	const placeholder = "…"
	if it.Item == nil {
		return strings.ReplaceAll(reason, it.Undoes.Intent.Detail.Key, placeholder)
	}
	reason = strings.ReplaceAll(reason, models.Printable(it.Table.KeyText(it.Item)), placeholder)
	found, ok := pl.s.Recognize(it.Table, it.Item)
	if !ok {
		return reason
	}
	values := found.Entity.Values(it.Item)
	for _, name := range found.Entity.KeyPlaceholders() {
		if v, ok := values(name); ok && len(v) > 2 {
			reason = strings.ReplaceAll(reason, models.Printable(v), placeholder)
		}
	}
	return reason
}
