package store

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
)

// askingAgain decides how often services that give credentials are asked, and
// tells of it.
type askingAgain struct {
	aws.RetryerV2
	notify func(Retry) // may be nil
}

// askAgain asks twice: one that does not answer takes ten seconds each time.
func askAgain(notify func(Retry)) aws.RetryerV2 {
	return askingAgain{retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts = 2 }), notify}
}

// RetryDelay implements aws.Retryer.
func (a askingAgain) RetryDelay(attempt int, failed error) (time.Duration, error) {
	wait, err := a.RetryerV2.RetryDelay(attempt, failed)
	if err == nil && a.notify != nil {
		class := classify(context.Background(), failed)
		a.notify(Retry{Operation: "credentials", Attempt: attempt, Class: class, Err: failed, Wait: wait.Round(time.Millisecond)})
	}
	return wait, err
}
