package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

// On a terminal, case load shows what it would write and asks; only yes writes.
func TestCaseLoadAsksBeforeItWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, source, copied := filepath.Join(dir, "a.ddbcase"), "--embedded="+filepath.Join(dir, "source"), "--embedded="+filepath.Join(dir, "copy")
	start := func(command string, args ...string) *terminalRun {
		return startOnTerminal(t, nil, "ddbdesk", append(strings.Fields(command), args...)...)
	}
	for _, command := range []string{
		"seed authbridge --at 2026-01-20T12:00:00Z",
		"case save authbridge Verification verificationId=ver_11de60f3-a38d-42cf-a8a8-d0a841e04ff6 --depth 0 --out " + file,
	} {
		c := start(command, source)
		if code := c.end(20 * time.Second); code != cli.ExitOK {
			t.Fatalf("exit %d:\n%s", code, c.shown())
		}
	}
	load := func(answer string) (code int, shown string) {
		c := start("case load --role admin", file, copied)
		c.until("Write 1 item to")
		c.press(answer)
		return c.end(20 * time.Second), c.shown()
	}
	if code, shown := load("n\r"); code != cli.ExitInterrupted || !strings.Contains(shown, "nothing was written") {
		t.Errorf("no ends case load with %d:\n%s", code, shown)
	}
	if code, shown := load("y\r"); code != cli.ExitOK || !strings.Contains(shown, "1 Verification") {
		t.Errorf("yes ends case load with %d:\n%s", code, shown)
	}
}
