package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

const (
	maxAttempts = 5
	maxBackoff  = 5 * time.Second

	// Throttling passes when the table's bucket refills, which takes part of a
	// second. A broken connection is replaced at once; when that one breaks too, the
	// network is given time, up to two seconds in all.
	throttledBackoff = 250 * time.Millisecond
	brokenBackoff    = 25 * time.Millisecond

	// lostAttempts is how often a network is looked for that is not there: one comes
	// back soon after a machine wakes up, or a VPN connects.
	lostAttempts = 3
)

// A retrier decides on the attempts of one call. It is not shared: it counts.
type retrier struct {
	ctx       context.Context
	operation string
	writes    bool
	notify    func(Retry)
	failure   func(error) // told of every failed attempt; may be nil
	failed    int
}

var _ aws.RetryerV2 = (*retrier)(nil)

// MaxAttempts is the bound that no failure passes; some have a lower one.
func (r *retrier) MaxAttempts() int { return maxAttempts }

// IsErrorRetryable is asked once after each failed attempt.
func (r *retrier) IsErrorRetryable(err error) bool {
	r.failed++
	if r.failure != nil {
		r.failure(err)
	}
	return r.failed < attempts(classify(r.ctx, err), err, r.writes)
}

// RetryDelay returns the wait before the next attempt, and announces it.
func (r *retrier) RetryDelay(_ int, err error) (time.Duration, error) {
	class := classify(r.ctx, err)
	wait := backoff(throttledBackoff, r.failed)
	if class == Unreachable && !lost(err) {
		wait = backoff(brokenBackoff, 2*r.failed-1)
	}
	if r.notify != nil {
		r.notify(Retry{Operation: r.operation, Attempt: r.failed, Class: class, Err: err, Wait: wait})
	}
	return wait, nil
}

// GetAttemptToken, GetInitialToken and GetRetryToken belong to a budget of
// retries over many calls, which a person's requests do not need.
func (r *retrier) GetAttemptToken(context.Context) (func(error) error, error) { return noToken, nil }

// GetInitialToken is the older form of GetAttemptToken.
func (r *retrier) GetInitialToken() func(error) error { return noToken }

// GetRetryToken lets every retry pass.
func (r *retrier) GetRetryToken(context.Context, error) (func(error) error, error) {
	return noToken, nil
}

func noToken(error) error { return nil }

// attempts returns how often a call is tried that fails with err. A write is
// repeated only when the failed attempt certainly changed nothing.
func attempts(class Class, err error, writes bool) int {
	var dns *net.DNSError
	var skew interface{ RetryableError() bool }
	var credentials *credentialsError
	switch {
	case errors.As(err, &credentials):
		return 1 // Whoever gives them was asked again already.
	case class == Throttled, class == TransactionCancelled && passes(err):
		return maxAttempts
	case errors.As(err, &skew) && skew.RetryableError():
		// The clock was wrong, and the next attempt is signed with the server's.
		return 2
	case class == Service && !writes && retryableService(err):
		return maxAttempts
	case class != Unreachable:
		return 1
	case errors.As(err, &dns) && dns.IsNotFound:
		return 1
	case lost(err):
		return lostAttempts // Nothing was sent.
	case refused(err):
		return 2
	case writes:
		return 1
	case broken(err) || isAnswer(err):
		return maxAttempts
	case timedOut(err):
		return 2
	}
	return 1
}

func retryableService(err error) bool {
	return isAnswer(err) || status(err) >= 500
}

// lost reports whether this machine found no way to the endpoint: its name could
// not be asked for, or there is no network.
func lost(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsTemporary && !dns.IsTimeout || noRoute(err)
}

func noRoute(err error) bool {
	return errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETDOWN)
}

func isAnswer(err error) bool {
	var answer *answerError
	return errors.As(err, &answer)
}

func timedOut(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// backoff returns a wait that doubles with each failure, half of it by chance so
// that many clients do not come back together.
func backoff(base time.Duration, failed int) time.Duration {
	wait := maxBackoff
	if shift := failed - 1; shift < 16 {
		wait = min(maxBackoff, base<<shift)
	}
	return (wait/2 + rand.N(wait/2+1)).Round(time.Millisecond)
}
