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
		"case save authbridge Verification verificationId=ver_65de8f85-feb5-49b5-b776-a3c858eec62a --depth 0 --out " + file,
	} {
		c := start(command, source)
		if code := c.end(20 * time.Second); code != cli.ExitOK {
			t.Fatalf("exit %d:\n%s", code, c.shown())
		}
	}
	for _, want := range []struct {
		answer string
		code   int
		says   string
	}{{"n", cli.ExitInterrupted, "nothing was written"}, {"y", cli.ExitOK, "writing 1 item to"}} {
		c := start("case load --role admin", file, copied)
		c.until("1 Verification")
		c.until("Write 1 item to")
		c.press(want.answer + "\r")
		if code := c.end(20 * time.Second); code != want.code {
			t.Errorf("%s ends case load with %d:\n%s", want.answer, code, c.shown())
		}
		c.printed(want.says)
	}
}
