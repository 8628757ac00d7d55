package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/rows"
)

const (
	// minGarbage is the amount of garbage in bytes that may accumulate with any live heap. The first collection starts
	// after twice as much (maxGCPercent of the runtime's smallest heap, 4 MB), because earlier collections take a fifth
	// of a short command's time.
	minGarbage = 8 << 20
	// maxGCPercent is the GOGC of a small heap.
	maxGCPercent = 400
)

// minGCPercent is the GOGC of a large heap if it is higher than the GOGC for rows.
var minGCPercent atomic.Int64

// limitGarbage lowers GOGC as the heap grows, so that a million rows, sorted twice, take at most 290 MB.
func limitGarbage() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(maxGCPercent)
	afterEachGC(func() { debug.SetGCPercent(gcPercent(liveHeap())) })
}

// allowGarbage lets garbage reach percent of any live heap in a program that uses limitGarbage.
func allowGarbage(percent int) { minGCPercent.Store(int64(percent)) }

func gcPercent(live uint64) int {
	minimum := max(rows.GCPercent, uint64(minGCPercent.Load()))
	return int(min(max(minGarbage*100/max(live, 1), minimum), maxGCPercent))
}

func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

func afterEachGC(f func()) {
	type sentinel struct{ _ [16]byte } // large enough not to share an allocation
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		f()
		afterEachGC(f)
	})
}

// reportTimeout is the time that a command such as serve, which handles the second signal itself, has to report its
// state.
const reportTimeout = time.Second

// untilSignal returns a context that the first interrupt, SIGTERM, SIGHUP or SIGQUIT cancels; the second one ends the
// program. While suspended is set, another program such as a pager controls the terminal and handles interrupts. After
// a call of the returned function, every signal ends the program.
func untilSignal(suspended *atomic.Bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	received := make(chan os.Signal, 2)
	signal.Notify(received, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	crash.Go("wait for signals", func() {
		awaitSignals(received, suspended, cancel, func() {
			time.AfterFunc(reportTimeout, func() { os.Exit(cli.ExitInterrupted) })
		})
	})
	var once sync.Once
	return ctx, func() {
		once.Do(func() {
			signal.Stop(received)
			close(received)
			cancel()
		})
	}
}

func awaitSignals(received <-chan os.Signal, suspended *atomic.Bool, cancel, end func()) {
	handlers := []func(){cancel, end}
	for s := range received {
		if s == os.Interrupt && suspended.Load() {
			continue
		}
		handlers[0]()
		if handlers = handlers[1:]; len(handlers) == 0 {
			return
		}
	}
}
