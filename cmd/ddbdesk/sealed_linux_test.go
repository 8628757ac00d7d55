package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

// A passphrase that seals and opens a case is entered at the terminal, which does not show it, and put asks before it writes.
func TestPassphraseSealsAndOpensACase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, source, copied := filepath.Join(dir, "a.ddbcase"), "--embedded="+filepath.Join(dir, "source"), "--embedded="+filepath.Join(dir, "copy")
	start := func(command string, args ...string) *terminalRun {
		return startOnTerminal(t, nil, "ddbdesk", append(strings.Fields(command), args...)...)
	}
	if code := start("seed authbridge --at 2026-01-20T12:00:00Z", source).end(20 * time.Second); code != cli.ExitOK {
		t.Fatalf("seed ends with %d", code)
	}
	const first, phrase = "Passphrase to seal the case:", "correct horse battery\r"
	take := func(keys ...string) *terminalRun {
		c := start("take authbridge Verification verificationId=ver_11de60f3-a38d-42cf-a8a8-d0a841e04ff6 --depth 0 --real "+
			"--role developer --reason OPS-7 --out "+file, source)
		c.until(first)
		c.press(keys[0])
		for _, more := range keys[1:] {
			c.until("Repeat the passphrase:")
			c.press(more)
		}
		return c
	}
	for name, keys := range map[string][]string{"short": {"horse\r"}, "different": {phrase, "correct horse\r"}} {
		if code := take(keys...).end(20 * time.Second); code != cli.ExitUsage {
			t.Errorf("%s: take ends with %d", name, code)
		}
	}
	c := take("\x03") // ctrl+c
	if code := c.end(20 * time.Second); code != cli.ExitInterrupted {
		t.Errorf("ctrl+c ends take with %d", code)
	}
	c.mustBeRestored()
	if _, err := os.Stat(file); err == nil {
		t.Fatal("a file without a passphrase")
	}
	c = take(phrase, phrase)
	if code := c.end(20 * time.Second); code != cli.ExitOK || strings.Contains(c.output(), "horse") {
		t.Fatalf("take ends with %d:\n%s", code, c.shown())
	}
	put := func(passphrase string) *terminalRun {
		c := start("put --role admin --reason OPS-7", file, copied)
		c.until("Passphrase of the case:")
		c.press(passphrase)
		return c
	}
	c = put("wrong horse battery\r")
	if code := c.end(20 * time.Second); code != cli.ExitConfig || !strings.Contains(c.shown(), "take the case again") {
		t.Errorf("a wrong passphrase ends put with %d:\n%s", code, c.shown())
	}
	const question = "Write 1 item to"
	c = put(phrase)
	c.until(question)
	c.press("n\r")
	if code := c.end(20 * time.Second); code != cli.ExitInterrupted || !strings.Contains(c.shown(), "nothing was written") {
		t.Errorf("no ends put with %d:\n%s", code, c.shown())
	}
	c = put(phrase)
	c.until(question)
	for _, want := range []string{"1 Verification", "The items have personal data as stored."} {
		if !strings.Contains(c.shown(), want) {
			t.Errorf("the plan lacks %q:\n%s", want, c.shown())
		}
	}
	c.press("y\r")
	if code := c.end(20 * time.Second); code != cli.ExitOK || strings.Contains(c.output(), "horse") {
		t.Errorf("put ends with %d:\n%s", code, c.shown())
	}
}
