package store

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	for failed := 1; failed < 100; failed++ {
		for range 20 {
			full := maxBackoff
			if failed < 6 {
				full = min(maxBackoff, throttledBackoff<<(failed-1))
			}
			if wait := backoff(throttledBackoff, failed); wait < full/2 || wait > full {
				t.Fatalf("after %d failures the wait is %s, want %s..%s", failed, wait, full/2, full)
			}
		}
	}
}

func TestWritesAreRetriedOnlyIfNotProcessed(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	for _, test := range []struct {
		name         string
		err          error
		reads, write int
	}{
		{"refused", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, 2, 2},
		{"reset", reset, maxAttempts, 1},
		{"half an answer", io.ErrUnexpectedEOF, maxAttempts, 1},
		{"server failed", &answerError{status: 503, contentType: "text/html"}, maxAttempts, 1},
		{"throttled by a proxy", &answerError{status: 429, contentType: "text/html"}, maxAttempts, maxAttempts},
		{"no network", &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, 3, 3},
		{"stalled", stallError{begun: true}, 2, 1},
		{"unknown", errors.New("other"), 1, 1},
	} {
		for writes, want := range map[bool]int{false: test.reads, true: test.write} {
			if got := attempts(classify(t.Context(), test.err), test.err, writes); got != want {
				t.Errorf("%s, writes %v: %d attempts, want %d", test.name, writes, got, want)
			}
		}
	}
}

// A broken connection is replaced at once; an unreachable network is retried with delays.
func TestNetworkErrorsAreRetriedWithDelays(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	for _, test := range []struct {
		err             error
		least, most     time.Duration // of all waits together
		firstIsAtMostMs int
	}{
		{reset, time.Second, 2200 * time.Millisecond, 25},
		{&net.OpError{Op: "dial", Err: syscall.ENETUNREACH}, 375 * time.Millisecond, 750 * time.Millisecond, 250},
	} {
		r := &retrier{ctx: t.Context()}
		var waits time.Duration
		for r.IsErrorRetryable(test.err) {
			wait, err := r.RetryDelay(0, test.err)
			if err != nil || waits == 0 && wait > time.Duration(test.firstIsAtMostMs)*time.Millisecond {
				t.Errorf("%v: waits %s, %v", test.err, wait, err)
			}
			waits += wait
		}
		if waits < test.least || waits > test.most {
			t.Errorf("%v: waits %s in all", test.err, waits)
		}
	}
}

func TestDialTimeoutIsNotCanceled(t *testing.T) {
	// The net package's time-outs claim to be context.DeadlineExceeded.
	err := &net.OpError{Op: "dial", Err: context.DeadlineExceeded}
	if got := classify(t.Context(), err); got != Unreachable {
		t.Errorf("a dial that timed out is %q", got)
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if got := classify(ctx, err); got != Canceled {
		t.Errorf("with the caller's deadline passed it is %q", got)
	}
}
