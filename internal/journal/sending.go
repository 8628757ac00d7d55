package journal

import (
	"context"
	"fmt"

	"github.com/gofrs/flock"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// sendingLock is held from the intent of a change to its outcome. The system releases it when the process ends, which
// tells open changes of dead processes from those under way, whatever the clock says.
func (j *Journal) sendingLock() (*flock.Flock, error) { return appdir.NewLock(j.path + ".sending") }

// Sending notes that a change is under way until release is called. Several may be. The caller
// must call release, once, even if the change failed. The error is that of ctx or of the file
// of the lock; nothing may be sent then.
func (j *Journal) Sending(ctx context.Context) (release func(), err error) {
	lock, err := j.sendingLock()
	if err != nil {
		return nil, err
	}
	if _, err := lock.TryRLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Close() }, nil // The system releases it at the latest when the process ends.
}

// Idle reports whether no process is sending a change. An intent without an outcome is that of
// a process that ended only if no change is under way, so what repairs open changes asks first.
// The answer can be out of date when it returns.
func (j *Journal) Idle() (bool, error) {
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
