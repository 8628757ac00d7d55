package accesspatterns

import (
	"context"
	"math"

	"github.com/ddbdesk/ddbdesk/models"
)

// pageLimit is how many items one request reads at most. A Scan page without a
// limit takes seconds on some servers, and a person waits for the first rows.
const pageLimit = 1000

// Stats count what a cursor did.
type Stats struct {
	Requests int
	Scanned  int     // items read, before the filter
	Count    int     // what a count pattern counted
	Capacity float64 // read capacity units
}

// A Cursor reads the rows of a request in order. It is not safe for concurrent
// use, but asks several legs at once: its Fetch has to be.
type Cursor struct {
	req   *Request
	fetch Fetch
	legs  []legState
	taken int // rows returned, for StopAfter
	read  int // items read before the position that it was opened at
	stats Stats
}

// legState is how far one leg was read.
type legState struct {
	start models.Item // where the page in the buffer began; nil: at the start
	last  models.Item // the last row taken from the buffer, nil before the first
	done  bool        // nothing is left after the buffer

	loaded bool
	buffer []models.Item
	next   models.Item // where the page after the buffer begins
	ahead  *Page       // that page, when it was read already
	asked  bool        // that page is under way
	alone  bool        // and those behind it follow as there is room
	behind int         // how many pages were left behind

	rows    int // of the page in the buffer, when it came
	scanned int // items read for it
	read    int // items read for the pages left behind
}

// Open starts reading at the position, or from the beginning when it is nil.
func (r *Request) Open(fetch Fetch, at *Position) *Cursor {
	c := &Cursor{req: r, fetch: fetch, legs: make([]legState, len(r.Legs))}
	if at == nil {
		return c
	}
	c.taken, c.read = at.Taken, at.Scanned
	for i := range c.legs {
		c.legs[i].done = i < len(at.Legs) && at.Legs[i].Done
		if i < len(at.Legs) {
			c.legs[i].start = at.Legs[i].Key
		}
	}
	return c
}

// Stats returns what the cursor did so far.
func (c *Cursor) Stats() Stats { return c.stats }

// Legs returns how many legs were read to their end, of how many.
func (c *Cursor) Legs() (done, all int) {
	for i := range c.legs {
		if c.legs[i].done {
			done++
		}
	}
	return done, len(c.legs)
}

// Next returns the next n rows; fewer only when there are no more. Rows that
// were read before an error are returned with it, and the cursor can go on.
func (c *Cursor) Next(ctx context.Context, n int) ([]models.Item, error) {
	var rows []models.Item
	for n = min(n, c.room()); len(rows) < n; {
		if err := c.ready(ctx, n-len(rows)); err != nil {
			return rows, err
		}
		more := c.take(n - len(rows))
		if len(more) == 0 {
			break
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// Count reads the request to its end and returns how many items match.
func (c *Cursor) Count(ctx context.Context) (int, error) {
	err := c.Drain(ctx, together, func([]models.Item) error { return nil })
	return c.stats.Count, err
}

// More reports whether rows may be left. It asks for another page only when
// that cannot be told and the request has no filter, so that a page of exactly
// the last rows does not promise more.
func (c *Cursor) More(ctx context.Context) (bool, error) {
	if c.room() == 0 {
		return false, nil
	}
	left := false
	for i := range c.legs {
		l := &c.legs[i]
		if len(l.buffer) > 0 {
			return true, nil
		}
		left = left || !l.done
	}
	if !left || c.req.filtered() {
		return left, nil
	}
	err := c.ready(ctx, 1)
	return err == nil && c.pick() >= 0, err
}

// room is how many rows may still be taken.
func (c *Cursor) room() int {
	if limit := c.req.Pattern.StopAfter; limit > 0 {
		return max(limit-c.taken, 0)
	}
	return math.MaxInt
}

// take takes up to n rows, as far as they can be chosen without asking.
func (c *Cursor) take(n int) []models.Item {
	var rows []models.Item
	for n = min(n, c.room()); len(rows) < n; {
		i := c.pick()
		if i < 0 {
			break
		}
		l := &c.legs[i]
		k := 1
		if !c.merges() {
			k = min(n-len(rows), len(l.buffer))
		}
		rows = append(rows, l.buffer[:k]...)
		l.last, l.buffer = l.buffer[k-1], l.buffer[k:]
		l.settle()
	}
	c.taken += len(rows)
	return rows
}

// merges reports whether the next row is the first of those of all legs.
func (c *Cursor) merges() bool {
	return len(c.legs) > 1 && !c.req.Sequential && !c.req.Unordered
}

// pick returns the leg whose first buffered row comes next, -1 when none is
// left or the choice has to wait for a page.
func (c *Cursor) pick() int {
	best := -1
	for i := range c.legs {
		l := &c.legs[i]
		switch {
		case len(l.buffer) == 0:
			if l.done || c.req.Unordered {
				continue
			}
			return -1
		case !c.merges():
			return i
		case best < 0 || c.before(l.buffer[0], c.legs[best].buffer[0]):
			best = i
		}
	}
	return best
}

// before reports whether row a comes before row b in the request's order.
func (c *Cursor) before(a, b models.Item) bool {
	earlier := Less
	if c.req.Read.Descending {
		earlier = Greater
	}
	return ordered(a[c.req.sort.Name], earlier, b[c.req.sort.Name])
}

// rowKey is the key that a page after the row starts from: the table's and the
// index's key attributes.
func (c *Cursor) rowKey(row models.Item) models.Item {
	key := models.Item{}
	t := c.req.Pattern.Table
	for _, k := range []models.Key{t.PartitionKey, t.SortKey, c.req.partition, c.req.sort} {
		if v, ok := row[k.Name]; ok && k.Name != "" {
			key[k.Name] = v
		}
	}
	return key
}

// A Position is where a cursor stopped: right after the last row returned.
type Position struct {
	Taken   int
	Scanned int // items read up to here; what a filter dropped of a page counts once the page is done
	Legs    []LegPosition
}

// A LegPosition is where one leg goes on.
type LegPosition struct {
	Key  models.Item // nil: from the beginning
	Done bool
}

// Position returns where the next row would be read.
func (c *Cursor) Position() Position {
	p := Position{Taken: c.taken, Scanned: c.read, Legs: make([]LegPosition, len(c.legs))}
	for i, l := range c.legs {
		p.Scanned += l.read
		p.Legs[i] = LegPosition{Key: l.start, Done: l.done}
		if l.last != nil {
			p.Legs[i].Key = c.rowKey(l.last)
			p.Scanned += l.rows - len(l.buffer)
		}
	}
	return p
}
