package accesspatterns

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"github.com/ddbdesk/ddbdesk/models"
)

// pageLimit is the maximum number of items that one operation reads. Without this limit, one page of a Scan takes
// seconds on some servers while the user waits for the first rows.
const pageLimit = 1000

// Stats contains the totals of a cursor. It excludes items read before the start position.
type Stats struct {
	// Requests counts received pages; it does not count retries by the SDK.
	Requests int
	Scanned  int     // items read, before the filter
	Count    int     // items counted by a count
	Capacity float64 // read capacity units
}

// A Cursor reads the rows of a request in order. It is not safe for concurrent use, but its Fetch must be, because it
// reads several legs in parallel.
type Cursor struct {
	req       *Request
	fetch     Fetch
	legs      []legState
	detectors []cycleDetector // one for each leg, used only by the leg's reader
	taken     int             // rows returned, for StopAfter
	read      int             // items read before the start position
	stats     Stats
}

// legState contains the progress of reading one leg.
type legState struct {
	start models.Item // start key of the page in the buffer, nil for the first page
	last  models.Item // the last row taken from the buffer, nil before the first
	done  bool        // the leg has no rows after the buffer

	loaded        bool // the buffer contains the rest of a page
	buffer        []models.Item
	next          models.Item // start key of the page after the buffer
	nextPage      *Page       // that page, if it is already read
	reading       bool        // that page is being read
	streaming     bool        // the reader continues with further pages by itself
	returnedPages int         // number of pages whose rows Next or Drain has returned completely

	rows    int // number of rows in the buffered page when it arrived
	scanned int // items read for that page
	read    int // items read for the passed pages
}

// Open returns a cursor at the position, or at the beginning if at is nil. It reads nothing until the first call of
// Next, Drain, More or Count. Compare fingerprints first: if the position and the request differ in their legs, Open
// uses only the common ones. Cursors need no closing, because no goroutine outlives a call.
func (r *Request) Open(fetch Fetch, at *Position) *Cursor {
	c := &Cursor{req: r, fetch: detectEndless(fetch), legs: make([]legState, len(r.Legs)), detectors: make([]cycleDetector, len(r.Legs))}
	if at == nil {
		return c
	}
	c.taken, c.read = at.Taken, at.Scanned
	for i, l := range at.Legs[:min(len(at.Legs), len(c.legs))] {
		c.legs[i].start, c.legs[i].done = l.Key, l.Done
	}
	return c
}

// ErrEndless matches the error for a database that keeps returning pages without items, or returns the same pages
// again.
var ErrEndless = errors.New("stopped, because the database returned the same page twice")

// maxIdlePages is the maximum number of consecutive pages without progress. DynamoDB may send single pages of this
// kind.
const maxIdlePages = 50

func detectEndless(fetch Fetch) Fetch {
	var idle atomic.Int32
	return func(ctx context.Context, leg Leg, start models.Item, limit int) (Page, error) {
		page, err := fetch(ctx, leg, start, limit)
		hasRead := page.Scanned > 0 || len(page.Items) > 0
		switch {
		case err != nil || page.LastKey == nil || hasRead && !models.EqualItems(page.LastKey, start):
			idle.Store(0)
		case idle.Add(1) >= maxIdlePages:
			return Page{}, ErrEndless
		}
		return page, err
	}
}

// A cycleDetector finds cycles in the pages of a leg with Brent's algorithm: it compares each page with one earlier
// page, whose number is a power of two.
type cycleDetector struct {
	pages     int
	last, end models.Item // start of the last page, end of the remembered page
}

// addPage adds a page, and reports whether it ends where the remembered page ended. It ignores a page that is read
// again after an interruption, and one that ends where it starts, which counts as idle.
func (d *cycleDetector) addPage(start, end models.Item) bool {
	if end == nil || models.EqualItems(start, end) || d.pages > 0 && models.EqualItems(start, d.last) {
		return false
	}
	if d.end != nil && models.EqualItems(end, d.end) {
		return true
	}
	d.last = start
	if d.pages++; d.pages&(d.pages-1) == 0 {
		d.end = end
	}
	return false
}

// fetchLeg reads a page of a leg. Only one call may run for each leg.
func (c *Cursor) fetchLeg(ctx context.Context, i int, start models.Item, limit int) (Page, error) {
	page, err := c.fetch(ctx, c.req.Legs[i], start, limit)
	if err == nil && c.detectors[i].addPage(start, page.LastKey) {
		return Page{}, ErrEndless
	}
	return page, err
}

// Stats returns the totals so far.
func (c *Cursor) Stats() Stats { return c.stats }

// Legs returns the number of legs that the cursor has read to their end, and the number of all legs.
func (c *Cursor) Legs() (done, all int) {
	for i := range c.legs {
		if c.legs[i].done {
			done++
		}
	}
	return done, len(c.legs)
}

// Next returns the next n rows. Fewer rows without an error mean that the cursor reached the end or StopAfter. If an
// error occurs, Next returns it with the rows read before it, and reading can continue. After an error of ctx, the next
// call reads the interrupted pages again. The caller owns the slice, but must not change the items, which the cursor's
// buffers share.
func (c *Cursor) Next(ctx context.Context, n int) ([]models.Item, error) {
	var rows []models.Item
	for n = min(n, c.remainingRows()); len(rows) < n; {
		if err := c.loadForNext(ctx, n-len(rows)); err != nil {
			return append(rows, c.removeFirst(n-len(rows))...), err // the first legs may be complete
		}
		more := c.removeFirst(n - len(rows))
		if len(more) == 0 {
			break
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// Count reads the request to its end and returns the number of matching items. If the request is not a count, Count
// reads its rows and drops them. If an error occurs, Count returns it with the number counted so far.
func (c *Cursor) Count(ctx context.Context) (int, error) {
	err := c.Drain(ctx, maxFirstLegs, func([]models.Item) error { return nil })
	return c.stats.Count, err
}

// More reports whether more rows may exist. It reads another page only when the buffers are not sufficient and the
// request has no filter, so that it returns false if a page ends exactly with the last row. With a filter, true only
// means that more rows are possible, because certainty would require reading the rest of the table. If reading the page
// fails, More returns the error, and more rows may still exist.
func (c *Cursor) More(ctx context.Context) (bool, error) {
	if c.remainingRows() == 0 {
		return false, nil
	}
	unfinished := false
	for i := range c.legs {
		l := &c.legs[i]
		if len(l.buffer) > 0 {
			return true, nil
		}
		unfinished = unfinished || !l.done
	}
	if !unfinished || c.req.isFiltered() {
		return unfinished, nil
	}
	err := c.loadForNext(ctx, 1)
	return err == nil && c.nextLeg() >= 0, err
}

func (c *Cursor) remainingRows() int {
	if limit := c.req.Pattern.StopAfter; limit > 0 {
		return max(limit-c.taken, 0)
	}
	return math.MaxInt
}

func (c *Cursor) removeFirst(n int) []models.Item {
	var rows []models.Item
	for n = min(n, c.remainingRows()); len(rows) < n; {
		i := c.nextLeg()
		if i < 0 {
			break
		}
		l := &c.legs[i]
		k := 1
		if !c.mergesLegs() {
			k = min(n-len(rows), len(l.buffer))
		}
		rows = append(rows, l.buffer[:k]...)
		l.last, l.buffer = l.buffer[k-1], l.buffer[k:]
		l.finishEmptyPages()
	}
	c.taken += len(rows)
	return rows
}

func (c *Cursor) mergesLegs() bool {
	return len(c.legs) > 1 && !c.req.Sequential && !c.req.Unordered
}

// nextLeg returns the leg of the next row, or -1 if there is none or the cursor must read a page first.
func (c *Cursor) nextLeg() int {
	best := -1
	for i := range c.legs {
		l := &c.legs[i]
		switch {
		case len(l.buffer) == 0:
			if l.done || c.req.Unordered {
				continue
			}
			return -1
		case !c.mergesLegs():
			return i
		case best < 0 || c.isBefore(l.buffer[0], c.legs[best].buffer[0]):
			best = i
		}
	}
	return best
}

func (c *Cursor) isBefore(a, b models.Item) bool {
	before := Less
	if c.req.Read.Descending {
		before = Greater
	}
	for _, k := range c.req.sort {
		if x, y := a[k.Name], b[k.Name]; !models.EqualValues(x, y) {
			return isOrdered(x, before, y)
		}
	}
	return false
}

func (c *Cursor) rowKey(row models.Item) models.Item {
	key := models.Item{}
	for _, k := range slices.Concat(c.req.Pattern.Table.PrimaryKeys(), c.req.partition, c.req.sort) {
		if v, ok := row[k.Name]; ok {
			key[k.Name] = v
		}
	}
	return key
}

// A Position is the point after the last row that a cursor returned. It contains key values, which may be personal
// data; package reading encrypts a position before it becomes a page token. The zero value is the beginning of a
// request.
type Position struct {
	Taken   int // rows returned
	Scanned int // items read so far; includes filtered items only after the end of their page
	Legs    []LegPosition
}

// A LegPosition is the point at which reading a leg continues.
type LegPosition struct {
	Key  models.Item // the key of the last row, nil at the beginning
	Done bool        // the cursor has read the leg to its end
}

// Position returns the point at which reading continues. Reading from it repeats, and DynamoDB bills again, rows that
// the cursor read ahead but did not return.
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
