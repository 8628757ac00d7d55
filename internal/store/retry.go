package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
)

const (
	maxAttempts = 5
	maxBackoff  = 5 * time.Second

	// throttledBackoff is the first wait after throttling. A table's capacity is refilled within a second.
	throttledBackoff = 250 * time.Millisecond
	// brokenBackoff is the first wait after a broken connection, which can be replaced immediately. All waits together
	// give the network two seconds.
	brokenBackoff = 25 * time.Millisecond

	// lostAttempts is the number of attempts without a network, which may return soon after the machine wakes up or a
	// VPN connects.
	lostAttempts = 3
)

// A retrier decides about the attempts of one call and counts them. It does not use retry tokens, because a budget for
// many calls does not help a single user.
type retrier struct {
	aws.NopRetryer
	ctx       context.Context
	operation string
	writes    bool        // see attempts
	notify    func(Retry) // receives each retry; may be nil
	failure   func(error) // receives the error of each attempt; may be nil
	failures  int         // number of failed attempts
	login     *login      // may be nil
	renewals  int         // number of renewals before the call
	renewed   bool        // the credentials expired during the call, and were renewed
}

var _ aws.RetryerV2 = (*retrier)(nil)

// MaxAttempts returns the maximum number of attempts for any error.
func (r *retrier) MaxAttempts() int { return maxAttempts }

// IsErrorRetryable decides whether to retry. The SDK calls it once after each failed attempt.
func (r *retrier) IsErrorRetryable(err error) bool {
	r.failures++
	if r.failure != nil {
		r.failure(err)
	}
	class := classify(r.ctx, err)
	if class == ExpiredCredentials && !r.renewed && !hasType[*credentialsError](err) {
		// DynamoDB rejected the request, so even a write had no effect.
		r.renewed = r.login.renew(r.ctx, r.renewals)
		return r.renewed
	}
	return r.failures < attempts(class, err, r.writes)
}

// RetryDelay returns the wait before the next attempt, and reports the retry.
func (r *retrier) RetryDelay(_ int, err error) (time.Duration, error) {
	class := classify(r.ctx, err)
	wait := backoff(throttledBackoff, r.failures)
	if class == Unreachable && !isUnsent(err) {
		wait = backoff(brokenBackoff, 2*r.failures-1)
	}
	if r.notify != nil {
		r.notify(Retry{Operation: r.operation, Attempt: r.failures, Class: class, Wait: wait})
	}
	return wait, nil
}

// attempts returns the maximum number of attempts: 1 for a write unless the failed attempt certainly changed nothing.
func attempts(class Class, err error, writes bool) int {
	dns, _ := errors.AsType[*net.DNSError](err)
	skew, isSkew := errors.AsType[interface {
		error
		RetryableError() bool
	}](err)
	switch {
	case hasType[*credentialsError](err):
		return 1 // newCredentialsRetryer has already repeated it
	case class == Throttled, class == Conflict, class == TransactionCancelled && isTransient(err):
		return maxAttempts
	case isSkew && skew.RetryableError():
		return 2 // the clock was wrong, and the SDK signs the next attempt with the server's time
	case class == Service && !writes && (hasType[*answerError](err) || httpStatus(err) >= 500):
		return maxAttempts
	case class != Unreachable, dns != nil && dns.IsNotFound:
		return 1
	case isUnsent(err):
		return lostAttempts // nothing was sent
	case isRefused(err):
		return 2
	case writes:
		return 1
	case isBrokenConnection(err), hasType[*answerError](err):
		return maxAttempts
	case isTimeout(err):
		return 2
	}
	return 1
}

func isUnsent(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && dns.IsTemporary && !dns.IsTimeout || isNoRoute(err)
}

func isNoRoute(err error) bool {
	return errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETDOWN)
}

func isTimeout(err error) bool {
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}

// backoff doubles the wait with each failure, counted from 1. Half of it is random, so that clients spread out.
func backoff(base time.Duration, failed int) time.Duration {
	wait := maxBackoff
	if shift := failed - 1; shift < 16 {
		wait = min(maxBackoff, base<<shift)
	}
	return (wait/2 + rand.N(wait/2+1)).Round(time.Millisecond)
}

// credentialsRetryer is the SDK's retryer for services that issue credentials.
type credentialsRetryer struct {
	aws.RetryerV2
	notify func(Retry) // may be nil
}

// newCredentialsRetryer tries twice, because a service that does not respond takes ten seconds each time.
func newCredentialsRetryer(notify func(Retry)) aws.RetryerV2 {
	return credentialsRetryer{retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts = 2 }), notify}
}

// RetryDelay implements aws.Retryer, and reports the retry.
func (r credentialsRetryer) RetryDelay(attempt int, failed error) (time.Duration, error) {
	wait, err := r.RetryerV2.RetryDelay(attempt, failed)
	if err == nil && r.notify != nil {
		class := classify(context.Background(), failed)
		r.notify(Retry{Operation: "credentials", Attempt: attempt, Class: class, Wait: wait.Round(time.Millisecond)})
	}
	return wait, err
}
