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

// A costly is a Reader whose pages take their time and cost their units. It
// refuses what is more than stands at once: first the attempt, then the request.
type costly struct {
	Reader
	latency  time.Duration
	cost     func(n int) float64 // of the nth page
	stands   int                 // requests at once, 0 for any
	stubborn bool                // what is refused is refused to the end

	mu            sync.Mutex
	pages         int
	running, most int
	consumed      float64
}

func (c *costly) begin() (n int, tooMany bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
	c.most = max(c.most, c.running)
	c.pages++
	return c.pages, c.stands > 0 && c.running > c.stands
}

func (c *costly) end(units float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	c.consumed += units
}

func (c *costly) Fetch(ctx context.Context, _ accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
	n, tooMany := c.begin()
	if tooMany {
		traceOf(ctx).Retried(Retry{Operation: "Scan", Attempt: 1, Class: Throttled, Wait: throttledBackoff})
		time.Sleep(throttledBackoff)
		if c.stubborn {
			c.end(0)
			return accesspatterns.Page{}, &Error{Class: Throttled, What: "throttled"}
		}
	}
	time.Sleep(c.latency)
	units := c.cost(n)
	c.end(units)
	return accesspatterns.Page{Capacity: units, Count: n}, nil
}

// read lets some workers read pages until ctx ends, or as many as there are
// together, and returns the first error but those of ctx.
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

// Over any period, the workers exceed the budget by at most one page plus the error of the cost estimate, which is less than
// a tenth of each page in progress. They use all of the available budget.
func TestPacerKeepsTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ *testing.T }{t}, func(t *rapid.T) {
			budget := rapid.Float64Range(1, 2000).Draw(t, "budget")
			page := rapid.Float64Range(0.5, 128).Draw(t, "page")
			small := rapid.IntRange(2, 9).Draw(t, "one page in so many is small")
			seconds := rapid.IntRange(1, 60).Draw(t, "seconds")
			workers := rapid.IntRange(1, 12).Draw(t, "workers")
			c := &costly{latency: time.Duration(rapid.IntRange(1, 300).Draw(t, "latency")) * time.Millisecond, cost: func(n int) float64 {
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
			may := budget * float64(seconds)
			if off := page * float64(workers) / 10; c.consumed > may+page+off {
				t.Fatalf("%g units in %d s at %g a second", c.consumed, seconds, budget)
			}
			// Without the budget the workers would consume so much.
			could := float64(seconds) / c.latency.Seconds() * float64(workers) * page / 3
			if least := 0.7*min(may, could) - page*float64(workers); c.consumed < least && c.pages < 1000 {
				t.Fatalf("only %g units in %d s at %g a second, of which %g could be used", c.consumed, seconds, budget, could)
			}
		})
	})
}

// A Pacer without a budget adds no delay.
func TestPacerWithoutABudgetDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &costly{latency: time.Second, cost: func(int) float64 { return 128 }}
		began := time.Now()
		if err := read(t.Context(), NewPacer(c, 0), 8, 80); err != nil || time.Since(began) != 10*time.Second {
			t.Errorf("took %s: %v", time.Since(began), err)
		}
	})
}

// Throttling reduces the number of parallel requests to what the table accepts. No page is lost,
// and the number grows again when the table accepts more.
func TestThrottlingSlowsDown(t *testing.T) {
	for _, stubborn := range []bool{false, true} {
		t.Run(fmt.Sprint(stubborn), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &costly{latency: 100 * time.Millisecond, cost: func(int) float64 { return 1 }, stands: 2, stubborn: stubborn}
				p := NewPacer(c, 0)
				if err := read(t.Context(), p, 16, 300); err != nil || c.consumed != 300 {
					t.Fatalf("%g of 300 pages: %v", c.consumed, err)
				}
				if p.allowed > 4 {
					t.Errorf("%d requests may run where 2 can", p.allowed)
				}
				c.stands, c.most = 0, 0
				if err := read(t.Context(), p, 16, 400); err != nil || c.consumed != 700 || c.most != 16 {
					t.Errorf("%g of 700 pages, %d at once: %v", c.consumed, c.most, err)
				}
			})
		})
	}
}

// A request that is throttled although no other one runs returns the error.
func TestThrottledRequestWithoutOthersFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &costly{stands: 1, running: 1, stubborn: true}
		_, err := NewPacer(c, 0).Fetch(t.Context(), accesspatterns.Leg{}, nil, 0)
		if ClassOf(err) != Throttled || c.pages != 1 {
			t.Errorf("%v after %d requests", err, c.pages)
		}
	})
}

// If two requests are throttled at the same moment, both are sent again, because neither was alone.
func TestRequestsThrottledTogetherAreSentAgain(t *testing.T) {
	p := NewPacer(nil, 0)
	first, second := must(t, p), must(t, p)
	throttled := &Error{Class: Throttled, What: "throttled"}
	if p.leave(first, 0, throttled) || p.leave(second, 0, throttled) {
		t.Error("a request counts as alone although another one ran beside it")
	}
	if last := must(t, p); !p.leave(last, 0, throttled) {
		t.Error("a request without others does not count as alone")
	}
	long, short := must(t, p), must(t, p)
	p.leave(short, 1, nil)
	if p.leave(long, 0, throttled) {
		t.Error("a request counts as alone although another one began and ended while it ran")
	}
}

// must enters a request that does not have to wait.
func must(t *testing.T, p *Pacer) turn {
	t.Helper()
	began, _, changed := p.tryEnter(pageRequest)
	if changed != nil {
		t.Fatal("the request must wait")
	}
	return began
}

// A canceled request does not wait until the budget is available, and reports that it is
// exceeded.
func TestCancelEndsTheWaitForTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(&costly{cost: func(int) float64 { return 128 }}, 1)
		if err := read(t.Context(), p, 1, 1); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		var told time.Duration
		ctx = WithTrace(ctx, Trace{Paced: func(d time.Duration) { told = d }})
		began := time.Now()
		_, err := p.Fetch(ctx, accesspatterns.Leg{}, nil, 0)
		if ClassOf(err) != Canceled || !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 50*time.Millisecond {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		if told != 128*time.Second {
			t.Errorf("the wait was said to be %s", told)
		}
	})
}
