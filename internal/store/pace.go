package store

import (
	"context"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// pacedTogether is how many requests of a Pacer are under way at once at most.
	pacedTogether = 16
	// cutEvery is how soon after one cut the next refusal counts: those that were
	// on their way together are one sign, not many.
	cutEvery = throttledBackoff / 2
)

// A Pacer is a Reader for reads that take long. It keeps them to a number of read
// units per second: what a request costs is a debt that is paid before the next
// one is sent, and is reckoned with, from the pages before, while the request is
// under way. What was not used is not saved up.
//
// It also finds how many requests at once the table stands: a throttled one
// halves their number, down to one, and it grows by one with each round that
// goes well. A request that was refused to the end although others ran beside it
// is sent again.
//
// It is safe for concurrent use. Only Fetch and BatchGet are paced.
type Pacer struct {
	Reader
	budget float64 // read units per second, 0 for no bound

	mu      sync.Mutex
	changed chan struct{} // closed when a request that waits should look again
	running int
	allowed int       // to run at once
	well    int       // answered without a refusal since allowed last changed
	cut     time.Time // when allowed was last cut
	paid    time.Time // when the debt is paid
	cost    [2]price  // of a request, by its kind
}

// price is what a request of a kind costs, as far as the last ones tell.
type price struct {
	units float64
	known bool
}

// The kinds of request that a Pacer paces.
const (
	pageRequest = iota
	batchRequest
)

// NewPacer returns a Pacer in front of next. budget is in read units per second;
// 0 sets no bound.
func NewPacer(next Reader, budget float64) *Pacer {
	return &Pacer{Reader: next, budget: budget, allowed: pacedTogether, changed: make(chan struct{})}
}

// Budget returns the read units per second, 0 for no bound.
func (p *Pacer) Budget() float64 { return p.budget }

// Fetch implements Reader.
func (p *Pacer) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (page accesspatterns.Page, err error) {
	err = p.pace(ctx, pageRequest, func(ctx context.Context) (float64, error) {
		page, err = p.Reader.Fetch(ctx, leg, start, limit)
		return page.Capacity, err
	})
	return page, err
}

// BatchGet implements Reader.
func (p *Pacer) BatchGet(ctx context.Context, table string, keys []models.Item) (items []models.Item, err error) {
	err = p.pace(ctx, batchRequest, func(ctx context.Context) (float64, error) {
		units := 0.0
		items, err = p.Reader.BatchGet(WithTrace(ctx, Trace{Called: func(c Call) { units += c.Capacity }}), table, keys)
		return units, err
	})
	return items, err
}

// pace sends one request, which returns the units that it consumed, when its
// time has come.
func (p *Pacer) pace(ctx context.Context, kind int, send func(context.Context) (float64, error)) error {
	watched := WithTrace(ctx, Trace{Retried: func(r Retry) {
		if r.Class == Throttled {
			p.refused()
		}
	}})
	for {
		reckoned, err := p.enter(ctx, kind)
		if err != nil {
			return err
		}
		units, err := send(watched)
		again := ClassOf(err) == Throttled && !p.alone()
		p.leave(kind, reckoned, units, err)
		if !again {
			return err
		}
		p.refused()
	}
}

// enter waits until a request of the kind may be sent, and returns what it is
// reckoned to cost.
func (p *Pacer) enter(ctx context.Context, kind int) (reckoned float64, err error) {
	var last time.Duration
	for {
		reckoned, wait, changed := p.tryEnter(kind)
		if changed == nil {
			return reckoned, nil
		}
		var due <-chan time.Time
		if wait > 0 {
			if report := traceOf(ctx).Paced; report != nil && wait > last {
				report(wait)
			}
			last = wait
			timer := time.NewTimer(wait)
			defer timer.Stop()
			due = timer.C
		}
		select {
		case <-due:
		case <-changed:
		case <-ctx.Done():
			return 0, &Error{Class: Canceled, What: "canceled while waiting for the read budget", Err: context.Cause(ctx)}
		}
	}
}

// tryEnter counts the request in if it may be sent now, with what it is reckoned
// to cost. Otherwise it returns what is closed when that changes, and how long
// the debt takes to be paid, 0 when something else is in the way.
func (p *Pacer) tryEnter(kind int) (reckoned float64, wait time.Duration, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case p.running >= p.allowed, p.budget > 0 && !p.cost[kind].known && p.running > 0:
		return 0, 0, p.changed
	case p.budget > 0 && p.paid.After(now):
		return 0, p.paid.Sub(now), p.changed
	}
	p.running++
	if p.paid.Before(now) {
		p.paid = now
	}
	reckoned = p.cost[kind].units
	p.paid = p.paid.Add(p.takes(reckoned))
	return reckoned, 0, nil
}

// takes is how long the budget needs for the units.
func (p *Pacer) takes(units float64) time.Duration {
	if p.budget <= 0 {
		return 0
	}
	return time.Duration(units / p.budget * float64(time.Second))
}

// leave settles what the request really cost. The dearest page sets the price for
// a while: what was reckoned too high is paid back, what was too low has been
// spent already.
func (p *Pacer) leave(kind int, reckoned, units float64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	p.paid = p.paid.Add(p.takes(units - reckoned))
	if err == nil {
		c := &p.cost[kind]
		c.units, c.known = max(units, 0.9*c.units+0.1*units), true
		if p.well++; p.well >= p.allowed && p.allowed < pacedTogether {
			p.allowed, p.well = p.allowed+1, 0
		}
	}
	p.wake()
}

// refused halves the requests that may run at once.
func (p *Pacer) refused() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.well = 0
	if now := time.Now(); p.allowed > 1 && (p.cut.IsZero() || now.Sub(p.cut) >= cutEvery) {
		p.allowed, p.cut = p.allowed/2, now
	}
}

// alone reports whether no other request runs beside one that does.
func (p *Pacer) alone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running == 1
}

// wake lets those that wait look again.
func (p *Pacer) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}
