package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/crash/watcher"
)

// maxInitBytes is what a package of ddbdesk may allocate before main begins: a few small
// tables. Every command pays for it, even --version.
const maxInitBytes = 16 << 10

// initialized matches a line of GODEBUG=inittrace=1. Source:
// https://pkg.go.dev/runtime#hdr-Environment_Variables
var initialized = regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes, \d+ allocs$`)

// initTrace runs ddbdesk and returns the bytes that each package allocates before main, in the
// order of the packages.
func initTrace(t *testing.T, stdin string, args ...string) (names []string, allocated map[string]int) {
	t.Helper()
	path, err := exec.LookPath("ddbdesk")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), path, args...)
	var trace bytes.Buffer
	c.Stdin, c.Stderr = strings.NewReader(stdin), &trace
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	allocated = map[string]int{}
	for _, m := range initialized.FindAllStringSubmatch(trace.String(), -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		names, allocated[m[1]] = append(names, m[1]), n
	}
	return names, allocated
}

// Regular expressions and large tables of ours are built on first use. What dependencies build
// is listed in docs/performance.md.
func TestPackagesInitializeLittle(t *testing.T) {
	names, allocated := initTrace(t, "", "--version")
	// Not those of internal/testing and internal/tools.
	ours := regexp.MustCompile(`^github\.com/ddbdesk/ddbdesk/(models|profiles|accesspatterns|tui|internal/[a-su-z])`)
	seen := 0
	for _, name := range names {
		if !ours.MatchString(name) {
			continue
		}
		seen++
		if n := allocated[name]; n > maxInitBytes {
			t.Errorf("%s allocates %d bytes before main, more than %d", name, n, maxInitBytes)
		}
	}
	if seen < 10 {
		t.Errorf("only %d packages in the trace: %q", seen, names)
	}
}

// The watcher waits before the packages that it does not need are initialized.
func TestWatcherInitializesFewPackages(t *testing.T) {
	all, _ := initTrace(t, "", "--version")
	few, _ := initTrace(t, "{}\n"+string([]byte{watcher.EndByte}), watcher.Argument)
	if len(few) == 0 || len(few) > len(all)/3 || slices.Contains(few, "net/http") {
		t.Errorf("the watcher initializes %d packages of %d: %q", len(few), len(all), few)
	}
}
