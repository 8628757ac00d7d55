package store

import (
	"context"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// pacedTogether is the most concurrent requests of a Pacer.
	pacedTogether = 16
	// cutEvery is the shortest time between two reductions of the concurrency: requests
	// that are throttled at the same time count as one.
	cutEvery = throttledBackoff / 2
)

// A Pacer is a Reader for long reads. It limits their read units per second: the cost of
// a request delays the next one, and is estimated from earlier pages while the request is
// in progress. Unused units do not accumulate.
//
// It also adapts the number of concurrent requests to the table: throttling halves the
// number, and each round without throttling increases it by one. A request that is
// throttled after all retries is sent again, unless it is the only one.
//
// It is safe for concurrent use. Only Fetch is paced. An error of class Canceled means that ctx
// ended while a request waited; it was not sent then.
type Pacer struct {
	Reader
	budget float64 // read units per second, 0 for no limit

	mu      sync.Mutex
	changed chan struct{} // closed when waiting requests must check again
	running int           // requests in progress
	allowed int           // most requests in progress
	well    int           // requests without throttling since allowed changed
	cut     time.Time     // when allowed was last reduced
	paid    time.Time     // when the next request may be sent within the budget
	cost    [2]price      // of a request, by its kind
}

// A price is the estimated cost of the next request of a kind.
type price struct {
	units float64 // read units
	known bool    // a request of the kind was completed
}

// The kinds of request that a Pacer paces.
const (
	pageRequest = iota
	batchRequest
)

// NewPacer returns a Pacer in front of next. The budget is in read units per second, 0 for
// no limit. The first request of each kind is sent alone, because its cost is unknown.
func NewPacer(next Reader, budget float64) *Pacer {
	return &Pacer{Reader: next, budget: budget, allowed: pacedTogether, changed: make(chan struct{})}
}

// Budget returns the read units per second, 0 for no limit.
func (p *Pacer) Budget() float64 { return p.budget }

// Fetch implements Reader. The budget is met on average over a few requests: a single page may
// cost up to 128 RCU, for 1 MB read eventually consistent.
func (p *Pacer) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (page accesspatterns.Page, err error) {
	kind := pageRequest
	if leg.Batch != nil {
		kind = batchRequest
	}
	err = p.pace(ctx, kind, func(ctx context.Context) (float64, error) {
		page, err = p.Reader.Fetch(ctx, leg, start, limit)
		return page.Capacity, err
	})
	return page, err
}

// pace sends a request as soon as the budget and the concurrency allow it. Send returns
// the consumed read units.
func (p *Pacer) pace(ctx context.Context, kind int, send func(context.Context) (float64, error)) error {
	watched := WithTrace(ctx, Trace{Retried: func(r Retry) {
		if r.Class == Throttled {
			p.refused()
		}
	}})
	for {
		estimate, err := p.enter(ctx, kind)
		if err != nil {
			return err
		}
		units, err := send(watched)
		again := ClassOf(err) == Throttled && !p.alone()
		p.leave(kind, estimate, units, err)
		if !again {
			return err
		}
		p.refused()
	}
}

// enter waits until a request may be sent, and returns its estimated cost.
func (p *Pacer) enter(ctx context.Context, kind int) (estimate float64, err error) {
	var last time.Duration
	for {
		estimate, wait, changed := p.tryEnter(kind)
		if changed == nil {
			return estimate, nil
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

// tryEnter registers a request if it may be sent now, and returns its estimated cost.
// Otherwise it returns a channel that is closed when that changes, and how long the
// request must wait for the budget, 0 if it waits for other requests.
func (p *Pacer) tryEnter(kind int) (estimate float64, wait time.Duration, changed <-chan struct{}) {
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
	estimate = p.cost[kind].units
	p.paid = p.paid.Add(p.takes(estimate))
	return estimate, 0, nil
}

// takes returns the time in which the budget provides the units.
func (p *Pacer) takes(units float64) time.Duration {
	if p.budget <= 0 {
		return 0
	}
	return time.Duration(units / p.budget * float64(time.Second))
}

// leave corrects the estimate of a completed request to its actual cost. The next
// estimate follows the most expensive recent request: an estimate that is too high is
// corrected here, but units above the estimate are already consumed.
func (p *Pacer) leave(kind int, estimate, units float64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	p.paid = p.paid.Add(p.takes(units - estimate))
	if err == nil {
		c := &p.cost[kind]
		c.units, c.known = max(units, 0.9*c.units+0.1*units), true
		if p.well++; p.well >= p.allowed && p.allowed < pacedTogether {
			p.allowed, p.well = p.allowed+1, 0
		}
	}
	p.wake()
}

// refused halves the concurrency after throttling.
func (p *Pacer) refused() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.well = 0
	if now := time.Now(); p.allowed > 1 && (p.cut.IsZero() || now.Sub(p.cut) >= cutEvery) {
		p.allowed, p.cut = p.allowed/2, now
	}
}

// alone reports whether only one request is in progress.
func (p *Pacer) alone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running == 1
}

// wake makes waiting requests check again.
func (p *Pacer) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}
