// Package process limits the garbage of the program and handles the signals that end it. It knows no command.
package process

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/crash"
)

// endAfter is how long a command that handles the second signal itself, such as serve,
// has to say what it leaves behind.
const endAfter = time.Second

// UntilSignal returns a context that the first interrupt, SIGTERM, SIGHUP or SIGQUIT
// cancels. The second one ends the program, whatever it waits for. While
// suspended is set, another program such as a pager has the terminal, and an interrupt
// is meant for that program. The returned function cancels the context too; after that
// a signal ends the program at once.
func UntilSignal(suspended *atomic.Bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	received := make(chan os.Signal, 2)
	signal.Notify(received, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	crash.Go("wait for signals", func() {
		awaitSignals(received, suspended, cancel, func() {
			time.AfterFunc(endAfter, func() { os.Exit(cli.ExitInterrupted) })
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
	then := []func(){cancel, end}
	for s := range received {
		if s == os.Interrupt && suspended.Load() {
			continue
		}
		then[0]()
		if then = then[1:]; len(then) == 0 {
			return
		}
	}
}
