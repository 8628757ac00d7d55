// This file says on stderr that a request is tried again, in few lines: a command
// that fails after all ends with two, and a log is not filled by a slow hour.

package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// retrySilence is how long nothing more is said of retries after a line.
const retrySilence = 15 * time.Second

// retries is what was said of them. It is safe for concurrent use.
type retries struct {
	mu   sync.Mutex
	said time.Time // the zero time before the first
}

// due reports whether a retry is to be told now, and notes that it is.
func (r *retries) due(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.said.IsZero() && now.Sub(r.said) < retrySilence {
		return false
	}
	r.said = now
	return true
}

// sayRetry tells of a retry, unless a screen or a line of progress does.
func (a *app) sayRetry(r store.Retry) {
	if a.quiet || a.watched || !a.retries.due(time.Now()) {
		return
	}
	fmt.Fprintf(a.stderr, "ddbdesk: %s: %s; attempt %d failed, trying again in %s\n", r.Operation, r.Class, r.Attempt, r.Wait)
}
