// This file reads the rows of a request: page after page, over one partition
// or merged over many, and knows where it stopped.

package accesspatterns

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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
// use.
type Cursor struct {
	req   *Request
	fetch Fetch
	legs  []legState
	taken int // rows returned, for StopAfter
	stats Stats
}

// legState is how far one leg was read.
type legState struct {
	Start models.Item // where the page in the buffer began; nil: at the start
	Last  models.Item // key of the last row taken from the buffer
	Done  bool        // nothing is left after the buffer

	loaded bool
	buffer []models.Item
	next   models.Item // where the page after the buffer begins
}

// Open starts reading at the position, or from the beginning when it is nil.
func (r *Request) Open(fetch Fetch, at *Position) *Cursor {
	c := &Cursor{req: r, fetch: fetch, legs: make([]legState, len(r.Legs))}
	if at == nil {
		return c
	}
	c.taken = at.Taken
	for i := range c.legs {
		c.legs[i].Done = i < len(at.Legs) && at.Legs[i].Done
		if i < len(at.Legs) {
			c.legs[i].Start = at.Legs[i].Key
		}
	}
	return c
}

// Stats returns what the cursor did so far.
func (c *Cursor) Stats() Stats { return c.stats }

// Next returns the next n rows; fewer only when there are no more. Rows that
// were read before an error are returned with it, and the cursor can go on.
func (c *Cursor) Next(ctx context.Context, n int) ([]models.Item, error) {
	var rows []models.Item
	if limit := c.req.Pattern.StopAfter; limit > 0 {
		n = min(n, limit-c.taken)
	}
	for len(rows) < n {
		row, ok, err := c.row(ctx, n-len(rows))
		if err != nil || !ok {
			return rows, err
		}
		rows = append(rows, row)
		c.taken++
	}
	return rows, nil
}

// Count reads the request to its end and returns how many items match.
func (c *Cursor) Count(ctx context.Context) (int, error) {
	for i := range c.legs {
		for l := &c.legs[i]; !l.Done; {
			if err := c.load(ctx, i, 0); err != nil {
				return c.stats.Count, err
			}
			l.Start = l.next
			l.Done = l.next == nil
		}
	}
	return c.stats.Count, nil
}

// More reports whether rows may be left. It asks for another page only when
// that cannot be told and the request has no filter, so that a page of exactly
// the last rows does not promise more.
func (c *Cursor) More(ctx context.Context) (bool, error) {
	if limit := c.req.Pattern.StopAfter; limit > 0 && c.taken >= limit {
		return false, nil
	}
	left := false
	for i := range c.legs {
		l := &c.legs[i]
		if len(l.buffer) > 0 {
			return true, nil
		}
		left = left || !l.Done
	}
	if !left || c.req.filtered() {
		return left, nil
	}
	i, err := c.pick(ctx, 1)
	return i >= 0, err
}

// filtered reports whether DynamoDB drops items after reading them. A condition
// whose parameter is not given is not sent.
func (r *Request) filtered() bool {
	for _, l := range r.Legs {
		if l.Query != nil && l.Query.FilterExpression != nil || l.Scan != nil && l.Scan.FilterExpression != nil {
			return true
		}
	}
	return false
}

// row takes the next row in order.
func (c *Cursor) row(ctx context.Context, want int) (models.Item, bool, error) {
	i, err := c.pick(ctx, want)
	if err != nil || i < 0 {
		return nil, false, err
	}
	l := &c.legs[i]
	row := l.buffer[0]
	l.buffer = l.buffer[1:]
	l.Last = c.rowKey(row)
	c.settle(l)
	return row, true, nil
}

// settle moves on to the next page's start once the buffer is empty.
func (c *Cursor) settle(l *legState) {
	if len(l.buffer) == 0 && l.loaded {
		l.Start, l.Last, l.loaded = l.next, nil, false
		l.Done = l.next == nil
	}
}

// pick returns the leg whose first buffered row comes next, -1 at the end.
func (c *Cursor) pick(ctx context.Context, want int) (int, error) {
	best := -1
	for i := range c.legs {
		l := &c.legs[i]
		for len(l.buffer) == 0 && !l.Done {
			if err := c.load(ctx, i, want); err != nil {
				return -1, err
			}
			c.settle(l)
		}
		if len(l.buffer) == 0 {
			continue
		}
		if c.req.Sequential || len(c.legs) == 1 {
			return i, nil
		}
		if best < 0 || c.before(l.buffer[0], c.legs[best].buffer[0]) {
			best = i
		}
	}
	return best, nil
}

// load reads the next page of leg i. One row more than wanted tells whether
// there are more.
func (c *Cursor) load(ctx context.Context, i, want int) error {
	l := &c.legs[i]
	limit := min(want+1, pageLimit)
	if c.req.filtered() || c.req.IsScan() && want > 0 {
		limit = pageLimit
	}
	if c.req.IsCount() {
		limit = 0
	}
	page, err := c.fetch(ctx, c.req.Legs[i], l.Start, limit)
	if err != nil {
		return err
	}
	c.stats.Requests++
	c.stats.Scanned += page.Scanned
	c.stats.Count += page.Count
	c.stats.Capacity += page.Capacity
	l.buffer, l.next, l.loaded = page.Items, page.LastKey, true
	return nil
}

// before reports whether row a comes before row b in the request's order.
func (c *Cursor) before(a, b models.Item) bool {
	cmp := compareValues(a[c.req.sort.Name], b[c.req.sort.Name])
	if c.req.Read.Descending {
		return cmp > 0
	}
	return cmp < 0
}

// compareValues orders key values as DynamoDB does: strings by UTF-8 bytes,
// numbers by value. Missing values come first.
func compareValues(a, b types.AttributeValue) int {
	x, okx := models.ValueText(a)
	y, oky := models.ValueText(b)
	if !okx || !oky {
		switch {
		case okx:
			return 1
		case oky:
			return -1
		}
		return 0
	}
	if models.ValueType(a) == models.TypeN {
		return models.CompareNumbers(x, y)
	}
	return strings.Compare(x, y)
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
	Taken int
	Legs  []LegPosition
}

// A LegPosition is where one leg goes on.
type LegPosition struct {
	Key  models.Item // nil: from the beginning
	Done bool
}

// Position returns where the next row would be read.
func (c *Cursor) Position() Position {
	p := Position{Taken: c.taken, Legs: make([]LegPosition, len(c.legs))}
	for i, l := range c.legs {
		p.Legs[i] = LegPosition{Key: l.Start, Done: l.Done}
		if l.Last != nil {
			p.Legs[i].Key = l.Last
		}
	}
	return p
}
