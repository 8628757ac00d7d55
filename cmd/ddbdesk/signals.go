// This file turns the signals that end a program into the end of its context.

package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/ddbdesk/ddbdesk/internal/crash"
)

// signalled returns a context that ends with the first signal that is to end the
// program. While another program has the terminal, ctrl+c is for that one: a pager
// stops searching, and the console stays. The returned function ends the context
// too, and lets every further signal end the program at once.
func signalled(lent *atomic.Bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	crash.Go("wait for signals", func() {
		for {
			select {
			case s := <-got:
				if s != os.Interrupt || !lent.Load() {
					cancel()
					return
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return ctx, func() {
		signal.Stop(got)
		cancel()
	}
}
