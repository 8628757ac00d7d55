package process

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"github.com/ddbdesk/ddbdesk/internal/rows"
)

const (
	// minGarbage in bytes may accumulate whatever the live heap. The first collection
	// comes after twice as much (maxGCPercent of the smallest heap of the runtime, 4 MB):
	// earlier ones took a fifth of a short command.
	minGarbage = 8 << 20
	// maxGCPercent is the GOGC of a small heap.
	maxGCPercent = 400
)

// leastGCPercent is the GOGC of a large heap if it is higher than that for rows.
var leastGCPercent atomic.Int64

// LimitGarbage keeps the memory of the program close to what its rows need by lowering
// GOGC as the heap grows. A million rows, read and sorted twice, take at most
// 290 MB, of which 60 MB are garbage. GOGC and GOMEMLIMIT turn it off.
func LimitGarbage() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(maxGCPercent)
	afterEachGC(func() { debug.SetGCPercent(gcPercent(liveHeap())) })
}

// AllowGarbage lets garbage accumulate to percent of the live heap, however large that
// is, in a program that LimitGarbage has bounded.
func AllowGarbage(percent int) { leastGCPercent.Store(int64(percent)) }

func gcPercent(live uint64) int {
	least := max(rows.GCPercent, uint64(leastGCPercent.Load()))
	return int(min(max(minGarbage*100/max(live, 1), least), maxGCPercent))
}

func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// afterEachGC calls f from the finalizer of an object that nothing refers to.
func afterEachGC(f func()) {
	type sentinel struct{ _ [16]byte } // large enough not to share an allocation
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		f()
		afterEachGC(f)
	})
}
