//go:build linux || darwin

package embedded

import (
	"errors"
	"os"
	"syscall"
)

// release unlocks and closes a file that bbolt has locked. Closing it alone would not unlock it while a part of it is still
// mapped into memory.
func release(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}
