package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// maxInitBytes limits the allocations of a package before main begins: a few small tables. Every command pays for them,
// even --version.
const maxInitBytes = 16 << 10

// initialized matches a line of GODEBUG=inittrace=1. Source:
// https://pkg.go.dev/runtime#hdr-Environment_Variables
var initialized = regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes, \d+ allocs$`)

// ddbdesk builds regular expressions and large tables on first use.
func TestPackagesAllocateLittleBeforeMain(t *testing.T) {
	path, err := exec.LookPath("ddbdesk")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), path, "--version")
	var trace bytes.Buffer
	c.Stderr = &trace
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	// Skip internal/testing and internal/tools.
	ours := regexp.MustCompile(`^github\.com/ddbdesk/ddbdesk/(models|profiles|accesspatterns|tui|internal/[a-su-z])`)
	count := 0
	for _, m := range initialized.FindAllStringSubmatch(trace.String(), -1) {
		if !ours.MatchString(m[1]) {
			continue
		}
		count++
		if n, err := strconv.Atoi(m[2]); err != nil || n > maxInitBytes {
			t.Errorf("%s allocates %s bytes before main, want at most %d", m[1], m[2], maxInitBytes)
		}
	}
	if count < 10 {
		t.Errorf("only %d packages are in the trace: %s", count, trace.String())
	}
}
