package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	_ "time/tzdata" // for machines without time zone files

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ddbdesk/ddbdesk/internal/session"
)

// programs contains the executables that tests start.
var programs = map[string]func(){"ddbdesk": main}

func TestMain(m *testing.M) {
	testscript.Main(isolatedTests{m}, programs)
}

// isolatedTests runs the tests with separate folders for state and configuration. It fails if a test writes there,
// because every test needs its own folders: see isolate.
type isolatedTests struct{ tests *testing.M }

func (i isolatedTests) Run() int {
	dir, err := os.MkdirTemp("", "ddbdesk-state-")
	if err == nil {
		err = errors.Join(
			os.Setenv("DDBDESK_STATE_DIR", filepath.Join(dir, "state")), os.Setenv("DDBDESK_CONFIG_DIR", filepath.Join(dir, "config")),
			flag.Set("test.parallel", "6"), // Most parallel tests wait for a program on a terminal.
		)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	debug.SetGCPercent(maxGCPercent) // same as in the program
	code := i.tests.Run()
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			fmt.Fprintf(os.Stderr, "a test without folders of its own wrote %s\n", path)
			code = max(code, 1)
		}
		return nil
	})
	_ = os.RemoveAll(dir) // The folder is temporary.
	return code
}

// TestScripts runs testdata/script. `exits CODE ARGS` runs ddbdesk and checks its exit code; later commands can match
// stdout and stderr. Scripts change the items of library.yaml, and examples is a folder of the documentation.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			library, err := os.ReadFile("testdata/library.yaml")
			if err != nil {
				return err
			}
			if err := os.WriteFile(e.WorkDir+"/library.yaml", library, 0o600); err != nil {
				return err
			}
			if err := os.CopyFS(e.WorkDir+"/examples", os.DirFS("../../docs/examples")); err != nil {
				return err
			}
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("DDBDESK_STATE_DIR", e.WorkDir+"/state")
			e.Setenv("DDBDESK_CONFIG_DIR", e.WorkDir+"/config")
			e.Setenv("USER", "tester")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"lines": lines,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec("ddbdesk", args[1:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("ddbdesk %s: exit %d, want %d\n%s", strings.Join(args[1:], " "), got, want, ts.ReadFile("stderr"))
	}
}

// lines checks the number of lines of a stream, for example: lines stderr 1.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines FILE COUNT")
	}
	text := strings.TrimSuffix(ts.ReadFile(args[0]), "\n")
	got := 0
	if text != "" {
		got = strings.Count(text, "\n") + 1
	}
	if strconv.Itoa(got) != args[1] {
		ts.Fatalf("%s has %d lines, want %s:\n%s", args[0], got, args[1], text)
	}
}

// A user who interrupts a command should not see Go's error text.
func TestInterruptedCommandReportsIt(t *testing.T) {
	t.Parallel()
	if got := errorText(session.Support, fmt.Errorf("read page 2: %w", context.Canceled)); got != "read page 2: interrupted" {
		t.Errorf("got %q, want read page 2: interrupted", got)
	}
}
