//go:build linux || darwin

package watcher

import (
	"os/signal"
	"syscall"
)

// ignoreSignals lets only the end of the console or SIGKILL end the watcher. A process
// in the background must ignore SIGTTOU to change the terminal.
func ignoreSignals() {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE,
		syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
}
