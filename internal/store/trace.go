package store

import (
	"context"
	"sync"
	"time"
)

// A Retry is a failed attempt of a request that will be repeated. Err may quote values and must
// not be shown.
type Retry struct {
	Operation string        // name in the API, such as Query
	Attempt   int           // number of the failed attempt, from 1
	Class     Class         // why it failed
	Err       error         // error of the SDK
	Wait      time.Duration // wait until the next attempt
}

// A Call is a completed request with all its attempts.
type Call struct {
	Operation string  // name in the API
	Table     string  // "" for a request without a table, or to several
	Index     string  // "" for the table itself
	Capacity  float64 // consumed capacity units, 0 if the store reports none
	Took      time.Duration
	Err       error // *Error, or nil
}

// A Trace receives the events of a context's requests, on the goroutine of the request. Each function may be nil.
// Several requests of one context may run at once, so the functions must be safe for concurrent use. They must return
// quickly, because the request waits for them.
type Trace struct {
	Admit   func() bool         // called before a request is sent; false refuses it
	Called  func(Call)          // a request is completed
	Retried func(Retry)         // an attempt failed and will be repeated
	Paced   func(time.Duration) // a request will wait that long for the read budget
}

type traceKey struct{}

// WithTrace returns a context whose requests are reported to t, and also to the traces
// that ctx already has.
func WithTrace(ctx context.Context, t Trace) context.Context {
	outer := traceOf(ctx)
	return context.WithValue(ctx, traceKey{}, Trace{
		Admit:   admitBoth(outer.Admit, t.Admit),
		Called:  callBoth(outer.Called, t.Called),
		Retried: callBoth(outer.Retried, t.Retried),
		Paced:   callBoth(outer.Paced, t.Paced),
	})
}

func admitBoth(first, second func() bool) func() bool {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func() bool { return first() && second() }
}

func traceOf(ctx context.Context) Trace {
	t, _ := ctx.Value(traceKey{}).(Trace)
	return t
}

func callBoth[T any](first, second func(T)) func(T) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(v T) {
		first(v)
		second(v)
	}
}

// A Meter adds up the capacity units that requests consume. It is safe for concurrent use.
type Meter struct {
	mu    sync.Mutex
	units float64
}

// Watch returns a context whose requests are counted.
func (m *Meter) Watch(ctx context.Context) context.Context {
	return WithTrace(ctx, Trace{Called: func(c Call) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.units += c.Capacity
	}})
}

// Units returns the units that were consumed so far.
func (m *Meter) Units() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.units
}
