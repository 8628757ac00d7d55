package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

const (
	// crashTimeout limits the wait for a pending write after a crash. Requests normally end much sooner.
	crashTimeout = 5 * time.Minute
	// crashNoteAfter is the time after which a message explains the wait.
	crashNoteAfter = 3 * time.Second
)

// execute returns a panic as an error, even from a goroutine that the command started.
func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer func() {
		if failure := crash.Err(); failure != nil {
			err = failure
		}
	}()
	defer crash.Catch("the command")
	return root.ExecuteContext(ctx)
}

func stopAfterCrash(stop func(), done <-chan struct{}, stderr io.Writer) {
	select {
	case <-done:
		return
	case <-crash.Crashed():
	}
	stop() // from here on a signal ends the program at once
	select {
	case <-done:
		return
	case <-time.After(crashNoteAfter):
		fmt.Fprintln(stderr, "ddbdesk: internal error; waiting for the pending write (ctrl+c to abort)")
	}
	select {
	case <-done:
	case <-time.After(crashTimeout):
		fmt.Fprintln(stderr, "ddbdesk: "+errorText(session.Developer, crash.Err()))
		os.Exit(cli.ExitOther)
	}
}

// crashEnvironment omits the arguments of the command.
func crashEnvironment() crash.Environment {
	s := crash.Environment{Version: version(), Command: "ddbdesk", Term: os.Getenv("TERM")}
	if c, _, err := rootCommand(&app{}).Find(os.Args[1:]); err == nil {
		s.Command = c.CommandPath()
	}
	if w, h, err := term.GetSize(os.Stdout.Fd()); err == nil {
		s.Width, s.Height = w, h
	}
	return s
}
