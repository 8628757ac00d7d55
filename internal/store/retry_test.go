// How long retries wait.

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

func TestWritesAreRepeatedOnlyWhenNothingHappened(t *testing.T) {
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
		{"unknown", errors.New("other"), 1, 1},
	} {
		for writes, want := range map[bool]int{false: test.reads, true: test.write} {
			if got := attempts(classify(t.Context(), test.err), test.err, writes); got != want {
				t.Errorf("%s, writes %v: %d attempts, want %d", test.name, writes, got, want)
			}
		}
	}
}

func TestOwnTimeoutsAreNotTheCallers(t *testing.T) {
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
