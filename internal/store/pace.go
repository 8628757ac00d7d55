package store

import (
	"context"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// maxConcurrent is the maximum number of concurrent requests of a Pacer.
	maxConcurrent = 16
	// reductionInterval is the minimum time between two reductions of the concurrency, because requests that are
	// throttled at the same time count as one.
	reductionInterval = throttledBackoff / 2
)

// A Pacer is a Reader for long reads. It limits the RCU per second: the cost of a request delays the next one.
// While a request is in progress, its cost is an estimate based on earlier pages. Unused units do not accumulate.
//
// It also adapts the number of concurrent requests to the table: throttling halves the number, and each round without
// throttling adds one. If a request is still throttled after all retries, the Pacer sends it again unless it ran alone.
//
// Only Fetch is paced. An error of class Canceled means that ctx ended while a request was waiting, and the Pacer did
// not send that request. A Pacer is safe for concurrent use.
type Pacer struct {
	Reader
	budget float64 // RCU per second, 0 for no limit

	mu          sync.Mutex
	changed     chan struct{}   // closed when waiting requests must check again
	running     int             // number of requests in progress
	started     int             // number of requests started
	concurrency int             // maximum number of concurrent requests
	unthrottled int             // number of requests without throttling since concurrency changed
	reducedAt   time.Time       // time of the last reduction of concurrency
	nextStart   time.Time       // earliest time of the next request within the budget
	cost        [2]costEstimate // cost of a request by kind
}

// A costEstimate is the estimated cost of the next request of a kind.
type costEstimate struct {
	units float64 // read units
	known bool    // a request of this kind has completed
}

// A pacedRequest is a request in progress.
type pacedRequest struct {
	kind     int
	estimate float64 // in RCU
	number   int     // number of the request, from 1
	alone    bool    // no other request was in progress
}

// These are the kinds of requests that a Pacer paces.
const (
	pageRequest = iota
	batchRequest
)

// NewPacer returns a Pacer in front of next. budget is in RCU per second, 0 for no limit. The Pacer sends the
// first request of each kind alone, because its cost is unknown.
func NewPacer(next Reader, budget float64) *Pacer {
	return &Pacer{Reader: next, budget: budget, concurrency: maxConcurrent, changed: make(chan struct{})}
}

// Budget returns the limit in RCU per second, or 0 for no limit.
func (p *Pacer) Budget() float64 { return p.budget }

// Fetch implements Reader. It meets the budget on average over a few requests, because a single page may cost up to 128
// RCU, for 1 MB with eventual consistency.
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

func (p *Pacer) pace(ctx context.Context, kind int, send func(context.Context) (float64, error)) error {
	watched := WithTrace(ctx, Trace{Retried: func(r Retry) {
		if r.Class == Throttled {
			p.reduceConcurrency()
		}
	}})
	for {
		request, err := p.enter(ctx, kind)
		if err != nil {
			return err
		}
		units, err := send(watched)
		ranAlone := p.endRequest(request, units, err)
		if ranAlone || ClassOf(err) != Throttled {
			return err
		}
		p.reduceConcurrency()
	}
}

func (p *Pacer) enter(ctx context.Context, kind int) (pacedRequest, error) {
	var last time.Duration
	for {
		request, wait, changed := p.tryStart(kind)
		if changed == nil {
			return request, nil
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
			return pacedRequest{}, &Error{Class: Canceled, Problem: "canceled while waiting for the read budget", Err: context.Cause(ctx)}
		}
	}
}

// tryStart starts a request, or returns the wait for the budget or a channel that closes when it is worth trying again.
func (p *Pacer) tryStart(kind int) (request pacedRequest, wait time.Duration, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case p.running >= p.concurrency, p.budget > 0 && !p.cost[kind].known && p.running > 0:
		return pacedRequest{}, 0, p.changed
	case p.budget > 0 && p.nextStart.After(now):
		return pacedRequest{}, p.nextStart.Sub(now), p.changed
	}
	p.running++
	p.started++
	if p.nextStart.Before(now) {
		p.nextStart = now
	}
	request = pacedRequest{kind: kind, estimate: p.cost[kind].units, number: p.started, alone: p.running == 1}
	p.nextStart = p.nextStart.Add(p.duration(request.estimate))
	return request, 0, nil
}

func (p *Pacer) duration(units float64) time.Duration {
	if p.budget <= 0 {
		return 0
	}
	return time.Duration(units / p.budget * float64(time.Second))
}

// endRequest replaces the estimate with the actual cost. The next estimate is the most expensive recent request,
// because excess units cannot be returned. ranAlone reports whether no other request ran since this one began.
func (p *Pacer) endRequest(request pacedRequest, units float64, err error) (ranAlone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	p.nextStart = p.nextStart.Add(p.duration(units - request.estimate))
	if err == nil {
		c := &p.cost[request.kind]
		c.units, c.known = max(units, 0.9*c.units+0.1*units), true
		if p.unthrottled++; p.unthrottled >= p.concurrency && p.concurrency < maxConcurrent {
			p.concurrency, p.unthrottled = p.concurrency+1, 0
		}
	}
	p.wake()
	return request.alone && p.started == request.number
}

func (p *Pacer) reduceConcurrency() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unthrottled = 0
	if now := time.Now(); p.concurrency > 1 && (p.reducedAt.IsZero() || now.Sub(p.reducedAt) >= reductionInterval) {
		p.concurrency, p.reducedAt = p.concurrency/2, now
	}
}

func (p *Pacer) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}
