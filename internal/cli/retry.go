package cli

import (
	"sync"
	"time"
)

// retryNoteInterval is the shortest time between two reports of retries, so that an
// hour of throttling does not fill a log.
const retryNoteInterval = 15 * time.Second

// RetryNotes limits how often retries are reported. It is safe for concurrent use.
type RetryNotes struct {
	mu   sync.Mutex
	last time.Time // zero before the first report
}

// Due reports whether a retry is to be reported now, and records that it is.
func (r *RetryNotes) Due(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.IsZero() && now.Sub(r.last) < retryNoteInterval {
		return false
	}
	r.last = now
	return true
}
