package journal

import (
	"context"
	"fmt"

	"github.com/gofrs/flock"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// sendingLock returns the lock that a process holds from the intent of a change to its outcome. The operating system
// releases it when the process ends, so the lock distinguishes changes in progress from those of ended processes.
func (j *Journal) sendingLock() (*flock.Flock, error) { return appdir.NewLock(j.path + ".sending") }

// BeginSending marks a change as in progress until the caller calls release. Several changes may be in progress. The
// caller must call release exactly once, even if the change fails. After an error from ctx or the lock file, the caller
// must not send the change.
func (j *Journal) BeginSending(ctx context.Context) (release func(), err error) {
	lock, err := j.sendingLock()
	if err != nil {
		return nil, err
	}
	if _, err := lock.TryRLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Close() }, nil // The operating system releases the lock when the process ends.
}

// IsIdle reports whether no process is sending a change. Only then does an intent without an outcome come from an ended
// process, so code that resolves open changes must call IsIdle first. The result can be outdated when it returns.
func (j *Journal) IsIdle() (bool, error) {
	lock, err := j.sendingLock()
	if err != nil {
		return false, err
	}
	locked, err := lock.TryLock()
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return locked, lock.Close()
}
