package accesspatterns

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"github.com/ddbdesk/ddbdesk/models"
)

// maxFirstLegs is the maximum number of legs that the cursor reads in parallel for the first rows. With more legs, a
// fan-out over a month would consume capacity in a burst, although the first partitions usually fill the page.
const maxFirstLegs = 8

func (l *legState) finishEmptyPages() {
	for l.loaded && len(l.buffer) == 0 {
		l.buffer = nil // An empty slice would keep the page in memory.
		l.returnedPages++
		l.read += l.scanned
		l.start, l.last, l.loaded = l.next, nil, false
		l.done = l.next == nil
		if l.nextPage != nil {
			l.setPage(*l.nextPage)
		}
	}
}

func (l *legState) setPage(p Page) {
	l.buffer, l.next, l.loaded, l.nextPage = p.Items, p.LastKey, true, nil
	l.rows, l.scanned = len(p.Items), p.Scanned
}

func (l *legState) needsPage() bool { return !l.done && !l.loaded }

func (l *legState) canRead() bool {
	return !l.done && !l.reading && l.nextPage == nil && (!l.loaded || l.next != nil)
}

// loadForNext loads the pages that the next row needs. While a sequence's legs are empty, it doubles the legs to read.
func (c *Cursor) loadForNext(ctx context.Context, want int) error {
	step, first := 1, c.firstUnfinished()
	for {
		legs := c.neededLegs(step)
		if len(legs) == 0 {
			return nil
		}
		if err := c.load(ctx, legs, want); err != nil {
			return err
		}
		if now := c.firstUnfinished(); now != first {
			step, first = min(2*step, maxFirstLegs), now
		}
	}
}

func (c *Cursor) firstUnfinished() int {
	for i := range c.legs {
		if !c.legs[i].done {
			return i
		}
	}
	return len(c.legs)
}

func (c *Cursor) neededLegs(step int) []int {
	if !c.mergesLegs() && c.nextLeg() >= 0 {
		return nil
	}
	var legs []int
	for i := range c.legs {
		if c.legs[i].needsPage() && (c.mergesLegs() || len(legs) < step) {
			legs = append(legs, i)
		}
	}
	return legs
}

// load keeps pages that it read before an error.
func (c *Cursor) load(ctx context.Context, legs []int, want int) error {
	limit := c.limit(want)
	if len(legs) == 1 {
		l := &c.legs[legs[0]]
		page, err := c.fetchLeg(ctx, legs[0], l.nextStart(), limit)
		if err != nil {
			return err
		}
		c.addPage(l, page)
		return nil
	}
	r := c.newParallelRead(ctx)
	defer r.join()
	for _, i := range legs {
		if r.running == maxFirstLegs {
			r.receiveResult()
		}
		if r.err != nil {
			break
		}
		r.startReader(i, limit, false)
	}
	for r.running > 0 && r.err == nil {
		r.receiveResult()
	}
	r.waitForEarlierLegs()
	return r.err
}

// limit requests one row more than wanted, to find out whether more rows exist.
func (c *Cursor) limit(want int) int {
	switch {
	case c.req.IsCount():
		return 0
	case c.req.isFiltered():
		return pageLimit
	}
	return min(want+1, pageLimit)
}

func (l *legState) nextStart() models.Item {
	if l.loaded {
		return l.next
	}
	return l.start
}

func (c *Cursor) addPage(l *legState, page Page) {
	c.stats.Requests++
	c.stats.Scanned += page.Scanned
	c.stats.Count += page.Count
	c.stats.Capacity += page.Capacity
	if l.loaded {
		l.nextPage = &page
		return
	}
	l.setPage(page)
	l.finishEmptyPages()
}

const (
	// maxLegPages is the maximum number of pages that a leg buffers while the cursor drains it.
	maxLegPages = 2
	// maxAheadWorkers is the maximum number of workers that read pages ahead of the current ones.
	maxAheadWorkers = 4
	// maxBufferedRows is the approximate number of rows that all legs buffer together if there are more workers, so that
	// memory use does not grow with the number of segments.
	maxBufferedRows = 6 * pageLimit
)

// A parallelRead reads pages of several legs in parallel. Its state belongs to the cursor's goroutine; the readers only
// send to results and use spare.
type parallelRead struct {
	c       *Cursor
	ctx     context.Context
	cancel  context.CancelFunc
	results chan result    // has capacity for every page that the legs may buffer
	spare   []atomic.Int32 // pages that the reader of a leg may read without another call
	running int            // readers
	err     error          // the first error
	failed  int            // the leg of err
}

type result struct {
	leg      int
	page     Page
	more     bool // the reader continues with the next page
	err      error
	panicked any
	stack    []byte
}

func (c *Cursor) newParallelRead(ctx context.Context) *parallelRead {
	r := &parallelRead{c: c, results: make(chan result, maxLegPages*len(c.legs)), spare: make([]atomic.Int32, len(c.legs))}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// startReader reads the next page of leg i. If streaming is true, the reader continues until the buffer is full.
func (r *parallelRead) startReader(i, limit int, streaming bool) {
	l := &r.c.legs[i]
	l.reading, l.streaming = true, streaming
	r.running++
	spare := int32(0)
	if streaming && !l.loaded {
		spare = maxLegPages - 1
	}
	r.spare[i].Store(spare)
	start := l.nextStart()
	go func() {
		for {
			a := r.fetchPage(i, start, limit)
			start = a.page.LastKey
			r.results <- a
			if !a.more {
				return
			}
		}
	}()
}

func (r *parallelRead) fetchPage(i int, start models.Item, limit int) (a result) {
	a.leg = i
	defer func() {
		if a.panicked = recover(); a.panicked != nil {
			a.stack = debug.Stack()
		}
	}()
	if a.page, a.err = r.c.fetchLeg(r.ctx, i, start, limit); a.err == nil && a.page.LastKey != nil {
		a.more = r.ctx.Err() == nil && r.useSpare(i)
	}
	return a
}

func (r *parallelRead) useSpare(i int) bool {
	if r.spare[i].Load() == 0 { // Only the reader of the leg subtracts.
		return false
	}
	r.spare[i].Add(-1)
	return true
}

// receiveResult receives one result. It raises a reader's panic in the cursor's goroutine, which can recover it.
func (r *parallelRead) receiveResult() {
	a := <-r.results
	l := &r.c.legs[a.leg]
	if !a.more {
		r.running--
		l.reading = false
	}
	switch {
	case a.panicked != nil:
		r.cancel()
		panic(&readerPanic{a.leg, a.panicked, a.stack})
	case a.err == nil:
		before := l.returnedPages
		r.c.addPage(l, a.page)
		r.release(a.leg, l.returnedPages-before)
	case r.err == nil:
		r.err, r.failed = a.err, a.leg
	}
}

// waitForEarlierLegs waits for the legs before the failed one, so that their rows need not be read again.
func (r *parallelRead) waitForEarlierLegs() {
	for r.err != nil && slices.ContainsFunc(r.c.legs[:r.failed], func(l legState) bool { return l.reading }) {
		r.receiveResult()
	}
}

func (r *parallelRead) releaseReturned(before []legState) {
	for i := range before {
		r.release(i, r.c.legs[i].returnedPages-before[i].returnedPages)
	}
}

func (r *parallelRead) release(i, n int) {
	if l := &r.c.legs[i]; l.reading && l.streaming {
		r.spare[i].Add(int32(n))
	}
}

// readerPanic is a reader's panic, which the cursor raises again in its own goroutine.
type readerPanic struct {
	leg   int
	value any
	stack []byte
}

func (p *readerPanic) Error() string {
	return fmt.Sprintf("reading leg %d: %v\n%s", p.leg, p.value, p.stack)
}

// Panic returns the value of the panic and the stack of the reader.
func (p *readerPanic) Panic() (value any, stack []byte) { return p.value, p.stack }

func (r *parallelRead) receiveReady() {
	for len(r.results) > 0 {
		r.receiveResult()
	}
}

// join cancels the readers and waits for them. It keeps the pages that they have read.
func (r *parallelRead) join() {
	r.cancel()
	for r.running > 0 {
		r.receiveResult()
	}
}

// drainRows is the maximum number of rows that Drain passes to yield at once.
const drainRows = 1000

// Drain reads to the end with up to workers operations in parallel, and passes the rows to yield in batches, in the
// order of the request. While yield runs, Drain reads the next pages: each leg buffers at most the current page and the
// next one.
//
// Drain returns the first error of an operation, of ctx or of yield, after all its operations have ended and yield has
// received the rows before the failed page. The position is then after the last batch for which yield returned nil, so
// a later read repeats a rejected batch. yield runs in the caller's goroutine, never twice at once, and may keep the
// slice but not change the items. Drain uses at least one worker. More workers change the speed and the burst of
// capacity, but neither the order of the rows nor the total capacity of a read to the end.
func (c *Cursor) Drain(ctx context.Context, workers int, yield func([]models.Item) error) error {
	r := c.newParallelRead(ctx)
	defer r.join()
	for {
		r.receiveReady()
		switch {
		case r.err != nil:
			r.waitForEarlierLegs()
			r.join()
			return cmp.Or(c.yieldBuffered(yield), r.err)
		case ctx.Err() != nil:
			return ctx.Err()
		case c.remainingRows() == 0:
			return nil
		}
		c.readAhead(r, max(workers, 1))
		legs := slices.Clone(c.legs)
		yielded, err := c.yieldBatch(yield)
		if err != nil {
			return err
		}
		if yielded {
			r.releaseReturned(legs)
			continue
		}
		if r.running == 0 {
			return nil
		}
		r.receiveResult()
	}
}

// yieldBatch reports whether there was a batch. It does not take a batch that yield rejects.
func (c *Cursor) yieldBatch(yield func([]models.Item) error) (bool, error) {
	legs, taken := slices.Clone(c.legs), c.taken
	rows := c.removeFirst(drainRows)
	if len(rows) == 0 {
		return false, nil
	}
	if err := yield(rows); err != nil {
		c.legs, c.taken = legs, taken
		return false, err
	}
	return true, nil
}

func (c *Cursor) yieldBuffered(yield func([]models.Item) error) error {
	for {
		if yielded, err := c.yieldBatch(yield); err != nil || !yielded {
			return err
		}
	}
}

// readAhead starts readers for the legs of the next row and, unless the request ends after some rows, for their next
// pages. It reads at most workers legs of a sequence.
func (c *Cursor) readAhead(r *parallelRead, workers int) {
	done, all := c.Legs()
	streaming := workers <= maxAheadWorkers && all-done <= workers && c.remainingRows() == math.MaxInt
	limit := min(c.limit(min(c.remainingRows(), pageLimit)), maxBufferedRows/workers)
	for _, ahead := range []bool{false, true} {
		if ahead && (c.remainingRows() < pageLimit || workers > maxAheadWorkers) {
			return
		}
		count := 0
		for i := range c.legs {
			l := &c.legs[i]
			if l.done {
				continue
			}
			if count++; r.running >= workers || c.req.Sequential && count > workers {
				break
			}
			if l.canRead() && l.needsPage() != ahead {
				r.startReader(i, limit, streaming)
			}
		}
	}
}
