// How much garbage the console lets lie.

package main

import (
	"os"
	"runtime/debug"

	"github.com/ddbdesk/ddbdesk/internal/shelf"
)

// tidyOften keeps the memory of the console near to what its rows take: with
// a million of them, read and sorted twice, it is 270 MB at the most, of which 60
// are garbage. Whoever runs it with GOGC or GOMEMLIMIT knows better.
func tidyOften() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(shelf.Garbage)
	}
}
