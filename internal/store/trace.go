package store

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// A Retry is a failed attempt of a request that the client will repeat.
type Retry struct {
	Operation string        // API name, such as Query
	Attempt   int           // number of the failed attempt, from 1
	Class     Class         // kind of failure
	Wait      time.Duration // wait until the next attempt
}

// A Call is a completed request, including all its attempts.
type Call struct {
	Operation string  // API name
	Table     string  // "" for a request without a table, or with several
	Index     string  // "" for the table itself
	Purpose   string  // Trace.Purpose
	Capacity  float64 // consumed capacity units, 0 if the store reports none
	Took      time.Duration
	Err       error // *Error, or nil
}

// A Trace receives the events of a context's requests, on the goroutine of each request. Each function may be nil.
// Several requests of one context may run at once, so the functions must be safe for concurrent use. They must return
// quickly, because the request waits for them.
type Trace struct {
	Admit   func() bool         // called before a request is sent; false rejects the request
	Called  func(Call)          // a request has completed
	Retried func(Retry)         // an attempt failed, and another one follows
	Paced   func(time.Duration) // a request waits for the read budget for this long
	Purpose string              // purpose of the requests, without values; that of the outermost trace applies
}

type traceKey struct{}

// WithTrace returns a context that reports its requests to t, in addition to the traces of ctx.
func WithTrace(ctx context.Context, t Trace) context.Context {
	outer := traceOf(ctx)
	return context.WithValue(ctx, traceKey{}, Trace{
		Admit:   admitBoth(outer.Admit, t.Admit),
		Called:  callBoth(outer.Called, t.Called),
		Retried: callBoth(outer.Retried, t.Retried),
		Paced:   callBoth(outer.Paced, t.Paced),
		Purpose: cmp.Or(outer.Purpose, t.Purpose),
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

// A Meter sums the capacity units that requests consume. It is safe for concurrent use.
type Meter struct {
	mu    sync.Mutex
	units float64
}

// Watch returns a context whose requests the meter counts.
func (m *Meter) Watch(ctx context.Context) context.Context {
	return WithTrace(ctx, Trace{Called: func(c Call) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.units += c.Capacity
	}})
}

// Units returns the units that the requests have consumed.
func (m *Meter) Units() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.units
}
