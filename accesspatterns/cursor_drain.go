// This file reads a request to its end, several legs at a time.

package accesspatterns

import (
	"context"
	"math"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// drainRows is how many rows are handed over at once at most.
const drainRows = 1000

// Drain reads to the end with up to workers requests under way, and hands the
// rows to yield, some at a time, in the order that the request promises. While
// yield works, the next pages are read: each leg holds at most the page that is
// being handed over and the one behind it.
//
// It ends with the first error, of a request, of ctx or of yield, and then
// nothing that it started runs any more. The position is right behind the last
// rows that yield took: those for which it returned an error it did not take,
// and they come again. The cursor can go on.
func (c *Cursor) Drain(ctx context.Context, workers int, yield func([]models.Item) error) error {
	r := c.newRound(ctx)
	defer r.join()
	for {
		r.arrived()
		switch {
		case r.err != nil:
			return r.err
		case ctx.Err() != nil:
			return ctx.Err()
		case c.room() == 0:
			return nil
		}
		c.askOn(r, max(workers, 1))
		legs, taken := slices.Clone(c.legs), c.taken
		if rows := c.take(drainRows); len(rows) > 0 {
			if err := yield(rows); err != nil {
				c.legs, c.taken = legs, taken
				return err
			}
			r.handed(legs)
			continue
		}
		if r.running == 0 {
			return nil
		}
		r.wait()
	}
}

// askOn asks for further pages, as long as fewer than workers are under way:
// first of the legs that something waits for, then ahead. A sequence of legs is
// read ahead no further than there are workers, and what ends after some rows
// not at all. Where every leg has its worker they go on by themselves.
func (c *Cursor) askOn(r *round, workers int) {
	done, all := c.Legs()
	alone := all-done <= workers && c.room() == math.MaxInt
	limit := c.limit(min(c.room(), pageLimit))
	for _, ahead := range []bool{false, true} {
		if ahead && c.room() < pageLimit {
			return
		}
		seen := 0
		for i := range c.legs {
			l := &c.legs[i]
			if l.done {
				continue
			}
			if seen++; r.running >= workers || c.req.Sequential && seen > workers {
				break
			}
			if l.open() && l.lacks() != ahead {
				r.ask(i, limit, alone)
			}
		}
	}
}
