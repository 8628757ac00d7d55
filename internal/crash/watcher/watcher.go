// Package watcher is the part of a watcher that waits for its console to end. Packages
// are initialized in the order of their imports, so this one, which imports little, waits
// before most others allocate anything: a watcher takes 5 MB instead of 15.
//
// It must not import another package of ddbdesk but pages, which has nothing to initialize.
package watcher

import (
	"io"
	"os"

	"github.com/ddbdesk/ddbdesk/internal/pages"
)

const (
	// Argument makes the program a watcher. It explains the process in a process list.
	Argument = "(restores the terminal if ddbdesk crashes)"
	// EndByte is the last byte that a program writes to its watcher when it ends
	// normally. The runtime never writes it.
	EndByte = 0
	// maxOutput is the most bytes that are read of the runtime's output.
	maxOutput = 4 << 20
)

// received is what the console wrote.
var received []byte

// Running reports whether this process is a watcher.
func Running() bool { return len(os.Args) == 2 && os.Args[1] == Argument }

// Received returns what the console wrote before it ended in another way than by
// [EndByte].
func Received() []byte { return received }

func init() {
	if !Running() {
		return
	}
	ignoreSignals()
	pages.Release()
	var err error
	received, err = io.ReadAll(io.LimitReader(os.Stdin, maxOutput))
	if n := len(received); err != nil || n > 0 && received[n-1] == EndByte {
		os.Exit(0)
	}
}
