//go:build !linux && !darwin

package embedded

import "os"

func release(f *os.File) error { return f.Close() }
