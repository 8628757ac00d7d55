// This file loads the pages of a cursor: those that the next row depends on, at
// the same time.

package accesspatterns

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/ddbdesk/ddbdesk/models"
)

// together is how many legs are asked at the same time when a person waits for
// the first rows.
const together = 8

// settle moves on to the page behind the buffer once that is empty.
func (l *legState) settle() {
	for l.loaded && len(l.buffer) == 0 {
		l.buffer = nil // An empty end would keep the page in memory.
		l.behind++
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

// lacks reports whether nothing can be said of the leg's next row before a page
// is read.
func (l *legState) lacks() bool { return !l.done && !l.loaded }

// open reports whether the leg has a page that may be asked for.
func (l *legState) open() bool {
	return !l.done && !l.asked && l.ahead == nil && (!l.loaded || l.next != nil)
}

// ready loads what the choice of the next row depends on. Of a sequence of legs
// the first decides; as long as they turn out empty, twice as many are asked
// each time.
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
			step, first = min(2*step, together), now
		}
	}
}

// unfinished is the first leg that has rows or may have some.
func (c *Cursor) unfinished() int {
	for i := range c.legs {
		if !c.legs[i].done {
			return i
		}
	}
	return len(c.legs)
}

// needed lists the legs to load before the next row can be chosen, at most step
// of them where one would do.
func (c *Cursor) needed(step int) []int {
	if !c.merges() && c.pick() >= 0 {
		return nil
	}
	var legs []int
	for i := range c.legs {
		if c.legs[i].lacks() && (c.merges() || len(legs) < step) {
			legs = append(legs, i)
		}
	}
	return legs
}

// load reads the next page of each of the legs. After an error those that were
// read are kept.
func (c *Cursor) load(ctx context.Context, legs []int, want int) error {
	limit := c.limit(want)
	if len(legs) == 1 {
		l := &c.legs[legs[0]]
		page, err := c.fetch(ctx, c.req.Legs[legs[0]], l.from(), limit)
		if err != nil {
			return err
		}
		c.took(l, page)
		return nil
	}
	r := c.newRound(ctx)
	defer r.join()
	for _, i := range legs {
		if r.running == together {
			r.wait()
		}
		if r.err != nil {
			return r.err
		}
		r.ask(i, limit, false)
	}
	for r.running > 0 && r.err == nil {
		r.wait()
	}
	return r.err
}

// limit is how many items a page may hold when want rows are missing. One row
// more than wanted tells whether there are more.
func (c *Cursor) limit(want int) int {
	switch {
	case c.req.IsCount():
		return 0
	case c.req.filtered():
		return pageLimit
	}
	return min(want+1, pageLimit)
}

// from is where the leg's next page begins.
func (l *legState) from() models.Item {
	if l.loaded {
		return l.next
	}
	return l.start
}

// took puts a page where it belongs.
func (c *Cursor) took(l *legState, page Page) {
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

// legPages is how many pages a leg holds at most while the cursor drains it.
const legPages = 2

// A round is pages that are asked for at the same time. Its state belongs to the
// goroutine of the cursor; what runs beside it answers through a channel, and
// looks at spare.
type round struct {
	c       *Cursor
	ctx     context.Context
	cancel  context.CancelFunc
	answers chan answer    // has room for all that legs may hold
	spare   []atomic.Int32 // pages that a leg under way may go on with by itself
	running int            // legs under way
	err     error          // the first one
}

type answer struct {
	leg      int
	page     Page
	goesOn   bool // with the page behind, without being asked
	err      error
	panicked any
	stack    []byte
}

func (c *Cursor) newRound(ctx context.Context) *round {
	r := &round{c: c, answers: make(chan answer, legPages*len(c.legs)), spare: make([]atomic.Int32, len(c.legs))}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// ask sends for the next page of leg i; alone, it goes on with those behind it as
// long as the leg has room for them.
func (r *round) ask(i, limit int, alone bool) {
	l := &r.c.legs[i]
	l.asked, l.alone = true, alone
	r.running++
	spare := int32(0)
	if alone && !l.loaded {
		spare = legPages - 1
	}
	r.spare[i].Store(spare)
	start := l.from()
	go func() {
		for {
			a := r.send(i, start, limit)
			start = a.page.LastKey
			r.answers <- a
			if !a.goesOn {
				return
			}
		}
	}()
}

// send sends one request of leg i.
func (r *round) send(i int, start models.Item, limit int) (a answer) {
	a.leg = i
	defer func() {
		if a.panicked = recover(); a.panicked != nil {
			a.stack = debug.Stack()
		}
	}()
	if a.page, a.err = r.c.fetch(r.ctx, r.c.req.Legs[i], start, limit); a.err == nil && a.page.LastKey != nil {
		a.goesOn = r.ctx.Err() == nil && r.takeSpare(i)
	}
	return a
}

// takeSpare reports whether leg i has room for one page more, and takes it.
func (r *round) takeSpare(i int) bool {
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

// wait takes one answer in. The first error calls off what else runs. A panic
// goes on in the goroutine of the cursor, where somebody may be there for it.
func (r *round) wait() {
	a := <-r.answers
	l := &r.c.legs[a.leg]
	if !a.goesOn {
		r.running--
		l.asked = false
	}
	switch {
	case a.panicked != nil:
		r.cancel()
		panic(&carried{a.leg, a.panicked, a.stack})
	case a.err == nil:
		behind := l.behind
		r.c.took(l, a.page)
		r.left(a.leg, l.behind-behind)
	case r.err == nil:
		r.err = a.err
		r.cancel()
	}
}

// handed is told that the rows of the pages which the legs have left since before
// were taken: there is room for others.
func (r *round) handed(before []legState) {
	for i := range before {
		r.left(i, r.c.legs[i].behind-before[i].behind)
	}
}

// left lets leg i go on with n pages more, if it is under way.
func (r *round) left(i, n int) {
	if l := &r.c.legs[i]; n > 0 && l.asked && l.alone {
		r.spare[i].Add(int32(n))
	}
}

// carried is a panic that goes on in another goroutine than the one that broke.
type carried struct {
	leg   int
	value any
	stack []byte
}

func (c *carried) Error() string {
	return fmt.Sprintf("reading leg %d: %v\n%s", c.leg, c.value, c.stack)
}

// Panic returns what was panicked with, and the stack of the goroutine that broke.
func (c *carried) Panic() (value any, stack []byte) { return c.value, c.stack }

// arrived takes in what has been answered already.
func (r *round) arrived() {
	for len(r.answers) > 0 {
		r.wait()
	}
}

// join ends the round: what still runs is called off and waited for, and what
// was read all the same is kept.
func (r *round) join() {
	r.cancel()
	for r.running > 0 {
		r.wait()
	}
}
