// Command ddbdesk is a terminal console for DynamoDB that knows your schema.
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/models"
)

func main() {
	if crash.Watches(os.Args) {
		crash.Watch()
		return
	}
	crash.Install(crash.NewKeeper(crash.Dir(), setting))
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its surroundings as parameters; it returns the exit code.
// Whatever is written passes a fence.
func run(args []string, stdin *os.File, stdout, stderr io.Writer) int {
	out, errs := models.NewFence(stdout), models.NewFence(stderr)
	code := command(args, stdin, out, errs)
	if err := errors.Join(out.Close(), errs.Close()); err != nil && code == exitOK {
		return exitOther
	}
	return code
}

// command is run without its fence.
func command(args []string, stdin *os.File, stdout, stderr io.Writer) int {
	var lent atomic.Bool
	ctx, stop := signalled(&lent)
	defer stop()
	// Libraries write here, net/http for one: it would tear the screen.
	log.SetOutput(io.Discard)
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, stores: &stores{}, lent: &lent}
	defer a.close()
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.Version = version()
	done := make(chan struct{})
	defer close(done)
	crash.Go("wait for a break", func() { endWhenBroken(stop, done, stderr) })
	err := misplacedFolder(args)
	if err == nil {
		err = execute(ctx, root)
	}
	if err == nil {
		return exitOK
	}
	code := exitCode(ctx, err)
	if !errors.Is(err, errSilent) {
		fmt.Fprintln(stderr, "ddbdesk: "+errorText(err))
	}
	return code
}

// version is what `go install` or the build recorded.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// errorText keeps the first two lines of an error: the rest is one command away. Of
// the configuration all are wanted, there is no such command.
func errorText(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	for i, l := range lines {
		lines[i] = models.Printable(l)
	}
	var own config.Errors
	if len(lines) <= 2 || errors.As(err, &own) {
		return strings.Join(lines, "\n")
	}
	return fmt.Sprintf("%s\n(%d more lines: ddbdesk schema lint lists them)", lines[0], len(lines)-1)
}

// plainTerminal reports whether colour is unwanted on w.
func (a *app) plain(w io.Writer) bool {
	if a.flags.noColor {
		return true
	}
	if f, ok := fileOf(w); ok {
		w = f
	}
	return colorprofile.Detect(w, os.Environ()) <= colorprofile.ASCII
}

// fileOf returns the file that a stream is, behind its fence.
func fileOf(w io.Writer) (*os.File, bool) {
	if fence, ok := w.(*models.Fence); ok {
		w = fence.Unwrap()
	}
	f, ok := w.(*os.File)
	return f, ok
}

// usage makes cobra's own complaints errors of ours: one line, no usage dump.
func usage(c *cobra.Command) {
	c.SilenceUsage, c.SilenceErrors = true, true
	c.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageErrorf("%v%s", err, nearFlag(cmd, err))
	})
}
