//go:build linux || darwin

package embedded

import (
	"errors"
	"os"
	"syscall"
)

// release unlocks before it closes, because closing does not unlock a file while a part of it is mapped into memory.
func release(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}
