//go:build !linux && !darwin

package embedded

import "os"

// release closes a file that bbolt has locked, which unlocks it.
func release(f *os.File) error { return f.Close() }
