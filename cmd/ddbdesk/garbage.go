// How much garbage the console lets lie.

package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/ddbdesk/ddbdesk/internal/shelf"
)

const (
	// littleGarbage may lie about however little is alive: a console that starts has
	// better things to do than to tidy up every megabyte.
	littleGarbage = 16 << 20
	// lazily is the percentage that a small heap starts with, and never exceeds.
	lazily = 400
)

// tidy keeps the memory of the console near to what its rows take: with a million
// of them, read and sorted twice, it is 290 MB at the most, of which 60 are
// garbage. Little memory is left alone. Whoever runs it with GOGC or GOMEMLIMIT
// knows better.
func tidy() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(lazily)
	afterCollections(func() { debug.SetGCPercent(garbageFor(liveHeap())) })
}

// garbageFor is by how many percent the heap may grow over what is alive.
func garbageFor(live uint64) int {
	return int(min(max(littleGarbage*100/max(live, 1), shelf.Garbage), lazily))
}

// liveHeap is what the last collection found alive, in bytes.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// afterCollections calls f after each collection of garbage: what nobody holds is
// finalized then.
func afterCollections(f func()) {
	type nothing struct{ _ [16]byte } // Tiny objects share a place and may live on.
	runtime.SetFinalizer(&nothing{}, func(*nothing) {
		f()
		afterCollections(f)
	})
}
