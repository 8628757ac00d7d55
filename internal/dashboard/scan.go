package dashboard

import (
	"context"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A scan counts the states of the entities of one table, and reads the queues that have no index.
type scan struct {
	b      *Board
	table  *models.Table
	states []int // indexes in the summary's States
	queues []int

	began bool
	start models.Item // start key of the next page
	spent float64     // RCU consumed
}

func (c *scan) step(ctx context.Context) (bool, error) {
	b := c.b
	if slices.Contains(b.summary.Missing, c.table.Name) {
		c.updateParts(func(p *Progress) { b.isAbsent(c.table, p) })
		return true, nil
	}
	if !c.began {
		if allowed, err := c.isAllowed(ctx); err != nil || !allowed {
			return true, err
		}
		c.began = true
		for _, i := range c.queues {
			if err := b.readQueue(ctx, i, true); err != nil {
				return true, err
			}
		}
		if len(c.states) == 0 {
			return true, nil
		}
	}
	reader, err := b.w.Reading.Paced(ctx, c.table)
	if err != nil {
		return true, c.recordFailure(err)
	}
	page, err := reader.Fetch(ctx, accesspatterns.ScanLeg(c.table), c.start, 0)
	if err != nil {
		return true, c.recordFailure(err)
	}
	for _, it := range page.Items {
		c.add(it)
	}
	c.start, c.spent = page.LastKey, c.spent+page.Capacity
	exceedsBudget := c.start != nil && !b.o.Scan && c.spent >= b.o.ScanUnits
	if exceedsBudget {
		b.summary.Incomplete = true
	}
	for _, i := range c.states {
		s := &b.summary.States[i]
		s.Done = c.start == nil || exceedsBudget
		for _, state := range s.Lifecycle.States { // A count that may still grow is a lower bound.
			s.Counts[state.Name] = Count{s.Counts[state.Name].N, c.start != nil}
		}
	}
	return c.start == nil || exceedsBudget, nil
}

func (c *scan) isAllowed(ctx context.Context) (bool, error) {
	b := c.b
	e, err := b.w.Reading.Estimate(ctx, c.table, nil)
	if err != nil {
		c.updateParts(func(p *Progress) { p.Done = true })
		return false, c.recordFailure(err)
	}
	if b.o.Scan || !b.w.Session.Production() && e.ReadUnits <= b.o.ScanUnits {
		return true, nil
	}
	c.updateParts(func(p *Progress) { p.Done, p.Offered = true, true })
	b.summary.Offers = append(b.summary.Offers, Offer{c.table, e})
	return false, nil
}

func (c *scan) add(it models.Item) {
	r, ok := c.b.w.Session.Recognize(c.table, it)
	if !ok {
		return
	}
	for _, i := range c.states {
		s := &c.b.summary.States[i]
		if s.Lifecycle.Entity != r.Entity {
			continue
		}
		if state, ok := it.Text(s.Lifecycle.Attribute); ok {
			s.Counts[state] = Count{N: s.Counts[state].N + 1}
		}
	}
}

func (c *scan) updateParts(change func(*Progress)) {
	for _, i := range c.states {
		change(&c.b.summary.States[i].Progress)
	}
	for _, i := range c.queues {
		change(&c.b.summary.Queues[i].Progress)
	}
}

func (c *scan) recordFailure(err error) error {
	var p Progress
	recorded := c.b.recordFailure(c.table, &p, err)
	c.updateParts(func(part *Progress) {
		if part.Err == nil {
			part.Err = p.Err
		}
		part.Done = true
	})
	return recorded
}
