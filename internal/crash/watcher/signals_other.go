//go:build !linux && !darwin

package watcher

// ignoreSignals does nothing on systems where no watcher is started.
func ignoreSignals() {}
