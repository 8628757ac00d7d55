package journal

import (
	"context"
	"fmt"

	"github.com/gofrs/flock"
)

// sendingLock returns the lock that every change holds from its intent to its outcome. The system releases it when the
// process ends, so that it tells open changes of dead processes from those under way, whatever the clock says.
func (j *Journal) sendingLock() *flock.Flock {
	return flock.New(j.path+".sending", flock.SetPermissions(0o600))
}

// Sending notes that a change is under way until release is called. Several may be.
func (j *Journal) Sending(ctx context.Context) (release func(), err error) {
	lock := j.sendingLock()
	if _, err := lock.TryRLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Close() }, nil // The system releases it at the latest when the process ends.
}

// Idle reports whether no process is sending a change.
func (j *Journal) Idle() (bool, error) {
	lock := j.sendingLock()
	locked, err := lock.TryLock()
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return locked, lock.Close()
}
