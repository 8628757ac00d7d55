package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A costlyReader returns pages with a latency and a cost. It throttles requests beyond a number of parallel ones:
// once, or permanently if failsOnThrottling is set.
type costlyReader struct {
	Reader
	latency           time.Duration
	cost              func(n int) float64 // cost of the nth page
	maxParallel       int                 // maximum of parallel requests, 0 for no limit
	failsOnThrottling bool                // throttled requests fail

	mu                  sync.Mutex
	pages               int
	running, maxRunning int
	consumed            float64
}

func (c *costlyReader) begin() (n int, tooMany bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
	c.maxRunning = max(c.maxRunning, c.running)
	c.pages++
	return c.pages, c.maxParallel > 0 && c.running > c.maxParallel
}

func (c *costlyReader) end(units float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	c.consumed += units
}

func (c *costlyReader) Fetch(ctx context.Context, _ accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
	n, tooMany := c.begin()
	if tooMany {
		traceOf(ctx).Retried(Retry{Operation: "Scan", Attempt: 1, Class: Throttled, Wait: throttledBackoff})
		time.Sleep(throttledBackoff)
		if c.failsOnThrottling {
			c.end(0)
			return accesspatterns.Page{}, &Error{Class: Throttled, Problem: "throttled"}
		}
	}
	time.Sleep(c.latency)
	units := c.cost(n)
	c.end(units)
	return accesspatterns.Page{Capacity: units, Count: n}, nil
}

// read runs workers that read up to the given number of pages until ctx ends, and returns the first error except those
// of ctx.
func read(ctx context.Context, p *Pacer, workers, pages int) error {
	var all sync.WaitGroup
	todo, errs := make(chan struct{}, pages), make(chan error, workers)
	for range pages {
		todo <- struct{}{}
	}
	close(todo)
	for range workers {
		all.Go(func() {
			for range todo {
				if _, err := p.Fetch(ctx, accesspatterns.Leg{}, nil, 0); ctx.Err() != nil {
					return
				} else if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

// Over any period, the workers may exceed the budget by one page, and by a tenth of each page in progress, because the
// pacer estimates its cost. They use all of the available budget.
func TestPacerKeepsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ *testing.T }{t}, func(t *rapid.T) {
			budget := rapid.Float64Range(1, 2000).Draw(t, "budget")
			page := rapid.Float64Range(0.5, 128).Draw(t, "page")
			small := rapid.IntRange(2, 9).Draw(t, "one page in so many is small")
			seconds := rapid.IntRange(1, 60).Draw(t, "seconds")
			workers := rapid.IntRange(1, 12).Draw(t, "workers")
			c := &costlyReader{latency: time.Duration(rapid.IntRange(1, 300).Draw(t, "latency")) * time.Millisecond, cost: func(n int) float64 {
				if n%small == 0 {
					return page / 3
				}
				return page
			}}
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seconds)*time.Second)
			defer cancel()
			if err := read(ctx, NewPacer(c, budget), workers, 1000); err != nil {
				t.Fatal(err)
			}
			allowed := budget * float64(seconds)
			if tolerance := page * float64(workers) / 10; c.consumed > allowed+page+tolerance {
				t.Fatalf("used %g units in %d s with a budget of %g a second", c.consumed, seconds, budget)
			}
			// unlimited is the consumption of the workers without a budget.
			unlimited := float64(seconds) / c.latency.Seconds() * float64(workers) * page / 3
			if minimum := 0.7*min(allowed, unlimited) - page*float64(workers); c.consumed < minimum && c.pages < 1000 {
				t.Fatalf("only %g units in %d s at %g a second, of which %g could be used", c.consumed, seconds, budget, unlimited)
			}
		})
	})
}

func TestPacerWithoutBudgetDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &costlyReader{latency: time.Second, cost: func(int) float64 { return 128 }}
		start := time.Now()
		if err := read(t.Context(), NewPacer(c, 0), 8, 80); err != nil || time.Since(start) != 10*time.Second {
			t.Errorf("took %s, want 10s: %v", time.Since(start), err)
		}
	})
}

// The pacer reduces the parallel requests to a number that the table accepts, and increases it when the table accepts
// more. It loses no page.
func TestThrottlingSlowsDown(t *testing.T) {
	for _, failsOnThrottling := range []bool{false, true} {
		t.Run(fmt.Sprint(failsOnThrottling), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &costlyReader{latency: 100 * time.Millisecond, cost: func(int) float64 { return 1 }, maxParallel: 2, failsOnThrottling: failsOnThrottling}
				p := NewPacer(c, 0)
				if err := read(t.Context(), p, 16, 300); err != nil || c.consumed != 300 {
					t.Fatalf("got %g of 300 pages: %v", c.consumed, err)
				}
				if p.concurrency > 4 {
					t.Errorf("concurrency = %d, want at most 4", p.concurrency)
				}
				c.maxParallel, c.maxRunning = 0, 0
				if err := read(t.Context(), p, 16, 400); err != nil || c.consumed != 700 || c.maxRunning != 16 {
					t.Errorf("got %g of 700 pages, %d at once: %v", c.consumed, c.maxRunning, err)
				}
			})
		})
	}
}

// If a request is throttled while no other one runs, the pacer returns the error.
func TestThrottledRequestWithoutOthersFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &costlyReader{maxParallel: 1, running: 1, failsOnThrottling: true}
		_, err := NewPacer(c, 0).Fetch(t.Context(), accesspatterns.Leg{}, nil, 0)
		if ClassOf(err) != Throttled || c.pages != 1 {
			t.Errorf("got %v after %d requests, want one throttled request", err, c.pages)
		}
	})
}

// If two requests are throttled at the same time, neither ran alone, so the pacer sends both again.
func TestRequestsThrottledTogetherAreResent(t *testing.T) {
	p := NewPacer(nil, 0)
	first, second := mustStart(t, p), mustStart(t, p)
	throttled := &Error{Class: Throttled, Problem: "throttled"}
	if p.endRequest(first, 0, throttled) || p.endRequest(second, 0, throttled) {
		t.Error("endRequest() reports a single request although two overlapped")
	}
	if last := mustStart(t, p); !p.endRequest(last, 0, throttled) {
		t.Error("endRequest() does not report a single request")
	}
	long, short := mustStart(t, p), mustStart(t, p)
	p.endRequest(short, 1, nil)
	if p.endRequest(long, 0, throttled) {
		t.Error("endRequest() reports a single request although another ran during it")
	}
}

// mustStart starts a request that does not have to wait.
func mustStart(t *testing.T, p *Pacer) pacedRequest {
	t.Helper()
	request, _, changed := p.tryStart(pageRequest)
	if changed != nil {
		t.Fatal("the request must wait for a slot")
	}
	return request
}

// Cancellation ends the wait for the budget. The trace receives the duration of the wait.
func TestCancelEndsWaitForBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(&costlyReader{cost: func(int) float64 { return 128 }}, 1)
		if err := read(t.Context(), p, 1, 1); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		var delay time.Duration
		ctx = WithTrace(ctx, Trace{Paced: func(d time.Duration) { delay = d }})
		start := time.Now()
		_, err := p.Fetch(ctx, accesspatterns.Leg{}, nil, 0)
		if ClassOf(err) != Canceled || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 50*time.Millisecond {
			t.Errorf("got %v after %s, want a deadline error", err, time.Since(start))
		}
		if delay != 128*time.Second {
			t.Errorf("the reported wait is %s, want 128s", delay)
		}
	})
}
