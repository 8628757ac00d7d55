// Command ddbdesk is a terminal console for DynamoDB that understands your schema.
//
// This package contains the commands with their flags, help and output, and their settings, connections and exit codes.
// A command parses its arguments, calls other packages and prints the result. Decisions about patterns, changes and
// permissions belong to those packages, and screens belong to package tui.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync/atomic"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func main() {
	limitGarbage()
	crash.Install(crash.NewHandler(crash.Dir(), crashEnvironment))
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run passes all output through a filter that removes control sequences of the terminal.
func run(args []string, stdin *os.File, stdout, stderr io.Writer) int {
	out, errs := models.NewSafeWriter(stdout), models.NewSafeWriter(stderr)
	code := runUnfiltered(args, cli.Streams{Stdin: stdin, Stdout: out, Stderr: errs})
	// Not every writer reports its errors. For example, cobra's help does not.
	if err := errors.Join(out.Close(), out.Err()); err != nil && code == cli.ExitOK {
		fmt.Fprintln(errs, "ddbdesk: "+errorText(session.Developer, err))
		code = cli.ExitOther
	}
	if err := errs.Close(); err != nil && code == cli.ExitOK {
		code = cli.ExitOther
	}
	return code
}

// runUnfiltered turns an error into text and an exit code. Tests use it to find output that relies on the filter.
func runUnfiltered(args []string, s cli.Streams) int {
	var suspended atomic.Bool
	ctx, stop := untilSignal(&suspended)
	defer stop()
	log.SetOutput(io.Discard) // net/http logs here, which would overwrite the screen
	a := &app{Streams: s, stores: &stores{}, retries: &cli.RetryNotes{}, suspended: &suspended}
	a.OpenTerminal = a.terminal
	a.reader, a.args = &profiles.Reader{ExtraPaths: a.schemaPaths}, args
	defer a.close()
	root := rootCommand(a)
	root.SetArgs(args)
	root.SetOut(s.Stdout)
	root.SetErr(s.Stderr)
	root.Version = version()
	done := make(chan struct{})
	defer close(done)
	crash.Go("wait for a crash", func() { stopAfterCrash(stop, done, s.Stderr) })
	err := cli.MisplacedFolder(args, append(cli.Subcommands(root), profiles.Names()...))
	if err == nil {
		err = execute(ctx, root)
	}
	if err == nil {
		return cli.ExitOK
	}
	code := cli.CodeOf(ctx, err)
	if !cli.HasType[op.Outcome](err) {
		s.Message(errorText(session.Role(a.flags.Role), err))
	}
	return code
}

// errorText returns at most two lines, except for faults of the configuration file, which no command lists.
func errorText(role session.Role, err error) string {
	text := strings.ReplaceAll(role.ErrorText(err), context.Canceled.Error(), "interrupted")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = models.Printable(l)
	}
	if len(lines) <= 2 || cli.HasType[config.Errors](err) {
		return strings.Join(lines, "\n")
	}
	return fmt.Sprintf("%s\n(%d more lines; run ddbdesk schema lint to list them)", lines[0], len(lines)-1)
}
