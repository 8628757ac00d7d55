package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/ddbdesk/ddbdesk/internal/crash"
)

// untilSignal returns a context that the first interrupt, SIGTERM or SIGHUP
// cancels. While suspended is set, another program such as a pager has the
// terminal, and an interrupt is meant for that program. The returned function
// cancels the context too; after that a signal ends the program at once.
func untilSignal(suspended *atomic.Bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	received := make(chan os.Signal, 1)
	signal.Notify(received, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	crash.Go("wait for signals", func() {
		for {
			select {
			case s := <-received:
				if s != os.Interrupt || !suspended.Load() {
					cancel()
					return
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return ctx, func() {
		signal.Stop(received)
		cancel()
	}
}
