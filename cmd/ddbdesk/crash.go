// This file ends the program in good order when a part of it breaks.

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/tui"
)

// How long a program that broke is waited for: a change that was sent has its
// outcome long before. Who waits is told why.
const (
	brokenLimit = 5 * time.Minute
	brokenQuiet = 3 * time.Second
)

// consoleSeam lets a test put something into the console that breaks.
var consoleSeam func(*tui.Options)

// execute runs the command. When it breaks, or a goroutine that it started, that
// is its error.
func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer func() {
		if broke := crash.Err(); broke != nil {
			err = broke
		}
	}()
	defer crash.Catch("the command")
	return root.ExecuteContext(ctx)
}

// endWhenBroken stops what runs, as an interruption would, when something breaks.
// It returns when done is closed.
func endWhenBroken(stop func(), done <-chan struct{}, stderr io.Writer) {
	select {
	case <-done:
		return
	case <-crash.Broken():
	}
	stop() // From here on a signal ends the program at once.
	select {
	case <-done:
		return
	case <-time.After(brokenQuiet):
		fmt.Fprintln(stderr, "ddbdesk: a part of it broke; what was sent is waited for (ctrl+c does not wait)")
	}
	select {
	case <-done:
	case <-time.After(brokenLimit):
		fmt.Fprintln(stderr, "ddbdesk: "+errorText(crash.Err()))
		os.Exit(exitOther)
	}
}

// setting is what a crash file says about this run: the command is told, its
// arguments are not.
func setting() crash.Setting {
	s := crash.Setting{Version: version(), Command: "ddbdesk", Term: os.Getenv("TERM")}
	if c, _, err := (&app{}).rootCommand().Find(os.Args[1:]); err == nil {
		s.Command = c.CommandPath()
	}
	if w, h, err := term.GetSize(os.Stdout.Fd()); err == nil {
		s.Width, s.Height = w, h
	}
	return s
}

// guardTerminal has a second process put the terminal right should this one be
// ended before it can; from is when there is time for that. The returned function
// is called when it has.
func (a *app) guardTerminal(from <-chan struct{}) (end func()) {
	f, ok := fileOf(a.stdout)
	if !ok {
		return func() {}
	}
	return crash.Guard(f, crash.Dir(), setting, from)
}
