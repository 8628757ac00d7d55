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

// firstLegs is the maximum number of legs that the cursor reads in parallel for the first rows. With more legs, a
// fan-out over a month would consume capacity in a burst, although the first partitions usually fill the page.
const firstLegs = 8

func (l *legState) settle() {
	for l.loaded && len(l.buffer) == 0 {
		l.buffer = nil // An empty slice would keep the page in memory.
		l.passed++
		l.read += l.scanned
		l.start, l.last, l.loaded = l.next, nil, false
		l.done = l.next == nil
		if l.ahead != nil {
			l.fill(*l.ahead)
		}
	}
}

func (l *legState) fill(p Page) {
	l.buffer, l.next, l.loaded, l.ahead = p.Items, p.LastKey, true, nil
	l.rows, l.scanned = len(p.Items), p.Scanned
}

func (l *legState) hasMissing() bool { return !l.done && !l.loaded }

func (l *legState) isOpen() bool {
	return !l.done && !l.reading && l.ahead == nil && (!l.loaded || l.next != nil)
}

// ready loads the pages that the next row needs. While a sequence's legs are empty, it doubles the legs to read.
func (c *Cursor) ready(ctx context.Context, want int) error {
	step, first := 1, c.unfinished()
	for {
		legs := c.needed(step)
		if len(legs) == 0 {
			return nil
		}
		if err := c.load(ctx, legs, want); err != nil {
			return err
		}
		if now := c.unfinished(); now != first {
			step, first = min(2*step, firstLegs), now
		}
	}
}

func (c *Cursor) unfinished() int {
	for i := range c.legs {
		if !c.legs[i].done {
			return i
		}
	}
	return len(c.legs)
}

func (c *Cursor) needed(step int) []int {
	if !c.merges() && c.pick() >= 0 {
		return nil
	}
	var legs []int
	for i := range c.legs {
		if c.legs[i].hasMissing() && (c.merges() || len(legs) < step) {
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
		page, err := c.fetchLeg(ctx, legs[0], l.from(), limit)
		if err != nil {
			return err
		}
		c.receive(l, page)
		return nil
	}
	r := c.newRound(ctx)
	defer r.join()
	for _, i := range legs {
		if r.running == firstLegs {
			r.wait()
		}
		if r.err != nil {
			break
		}
		r.read(i, limit, false)
	}
	for r.running > 0 && r.err == nil {
		r.wait()
	}
	r.settle()
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

func (l *legState) from() models.Item {
	if l.loaded {
		return l.next
	}
	return l.start
}

func (c *Cursor) receive(l *legState, page Page) {
	c.stats.Requests++
	c.stats.Scanned += page.Scanned
	c.stats.Count += page.Count
	c.stats.Capacity += page.Capacity
	if l.loaded {
		l.ahead = &page
		return
	}
	l.fill(page)
	l.settle()
}

const (
	// legPages is the maximum number of pages that a leg buffers while the cursor drains it.
	legPages = 2
	// aheadWorkers is the maximum number of workers that read pages ahead of the current ones.
	aheadWorkers = 4
	// heldRows is the approximate number of rows that all legs buffer together if there are more workers, so that
	// memory use does not grow with the number of segments.
	heldRows = 6 * pageLimit
)

// A parallelRead reads pages of several legs in parallel. Its state belongs to the cursor's goroutine; the readers only
// send to results and use spare.
type round struct {
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

func (c *Cursor) newRound(ctx context.Context) *round {
	r := &round{c: c, results: make(chan result, legPages*len(c.legs)), spare: make([]atomic.Int32, len(c.legs))}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// read starts a reader for the next page of leg i. With streams, the reader continues until the leg's buffer is full.
func (r *round) read(i, limit int, streams bool) {
	l := &r.c.legs[i]
	l.reading, l.streams = true, streams
	r.running++
	spare := int32(0)
	if streams && !l.loaded {
		spare = legPages - 1
	}
	r.spare[i].Store(spare)
	start := l.from()
	go func() {
		for {
			a := r.send(i, start, limit)
			start = a.page.LastKey
			r.results <- a
			if !a.more {
				return
			}
		}
	}()
}

func (r *round) send(i int, start models.Item, limit int) (a result) {
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

func (r *round) useSpare(i int) bool {
	for {
		n := r.spare[i].Load()
		if n == 0 {
			return false
		}
		if r.spare[i].CompareAndSwap(n, n-1) {
			return true
		}
	}
}

// wait receives one result. It raises a reader's panic in the cursor's goroutine, where the caller can recover it.
func (r *round) wait() {
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
		passed := l.passed
		r.c.receive(l, a.page)
		r.release(a.leg, l.passed-passed)
	case r.err == nil:
		r.err, r.failed = a.err, a.leg
	}
}

// settle waits for the legs before the failed one, because their rows come first and need not be read again.
func (r *round) settle() {
	for r.err != nil && slices.ContainsFunc(r.c.legs[:r.failed], func(l legState) bool { return l.reading }) {
		r.wait()
	}
}

func (r *round) passed(before []legState) {
	for i := range before {
		r.release(i, r.c.legs[i].passed-before[i].passed)
	}
}

func (r *round) release(i, n int) {
	if l := &r.c.legs[i]; l.reading && l.streams {
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

func (r *round) receive() {
	for len(r.results) > 0 {
		r.wait()
	}
}

// join cancels the readers and waits for them. It keeps the pages that they have read.
func (r *round) join() {
	r.cancel()
	for r.running > 0 {
		r.wait()
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
	r := c.newRound(ctx)
	defer r.join()
	for {
		r.receive()
		switch {
		case r.err != nil:
			r.settle()
			r.join()
			return cmp.Or(c.deliver(yield), r.err)
		case ctx.Err() != nil:
			return ctx.Err()
		case c.room() == 0:
			return nil
		}
		c.readAhead(r, max(workers, 1))
		legs := slices.Clone(c.legs)
		passed, err := c.pass(yield)
		if err != nil {
			return err
		}
		if passed {
			r.passed(legs)
			continue
		}
		if r.running == 0 {
			return nil
		}
		r.wait()
	}
}

// pass reports whether there was a batch. It does not take a batch that yield rejects.
func (c *Cursor) pass(yield func([]models.Item) error) (bool, error) {
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

func (c *Cursor) deliver(yield func([]models.Item) error) error {
	for {
		if passed, err := c.pass(yield); err != nil || !passed {
			return err
		}
	}
}

// readAhead starts readers for the legs of the next row and, unless the request ends after some rows, for their next
// pages. It reads at most workers legs of a sequence.
func (c *Cursor) readAhead(r *round, workers int) {
	done, all := c.Legs()
	streams := workers <= aheadWorkers && all-done <= workers && c.room() == math.MaxInt
	limit := min(c.limit(min(c.room(), pageLimit)), heldRows/workers)
	for _, ahead := range []bool{false, true} {
		if ahead && (c.room() < pageLimit || workers > aheadWorkers) {
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
			if l.isOpen() && l.hasMissing() != ahead {
				r.read(i, limit, streams)
			}
		}
	}
}
