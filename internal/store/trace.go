package store

import (
	"context"
	"time"
)

// A Retry is one failed attempt that will be repeated.
type Retry struct {
	Operation string        // the API's name: Query
	Attempt   int           // the attempt that failed, from 1
	Class     Class         // why it failed
	Err       error         // the attempt's error, as the SDK gave it
	Wait      time.Duration // until the next attempt
}

// A Call is one answered request, however many attempts it took.
type Call struct {
	Operation string
	Table     string
	Capacity  float64 // capacity units consumed; 0 where the store reports none
	Err       error   // nil when the store answered
}

// A Trace is told what the requests of a context do, from the goroutine of the
// request. Each function may be nil.
type Trace struct {
	Called  func(Call)
	Retried func(Retry)
	Paced   func(time.Duration) // a request waits so long for its budget before it is sent
}

type traceKey struct{}

// WithTrace returns a context whose requests are reported to t, besides the
// traces that ctx already carries.
func WithTrace(ctx context.Context, t Trace) context.Context {
	outer := traceOf(ctx)
	return context.WithValue(ctx, traceKey{}, Trace{
		Called:  both(outer.Called, t.Called),
		Retried: both(outer.Retried, t.Retried),
		Paced:   both(outer.Paced, t.Paced),
	})
}

func traceOf(ctx context.Context) Trace {
	t, _ := ctx.Value(traceKey{}).(Trace)
	return t
}

func both[T any](first, second func(T)) func(T) {
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
