package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// On a terminal, a table shows states, times and colors like the console, and no line is wider than the terminal.
func TestRunFitsTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	seeded := startOnTerminal(t, nil, "ddbdesk", "seed", "authbridge", "--embedded="+dir)
	if code := seeded.end(20 * time.Second); code != 0 {
		t.Fatalf("seed ended with exit code %d", code)
	}
	c := startOnTerminal(t, nil, "ddbdesk", "run", "authbridge", "list-verifications-by-date", "date=-1d", "--embedded="+dir)
	if code := c.end(20 * time.Second); code != 0 {
		t.Fatalf("run ended with exit code %d:\n%s", code, c.shown())
	}
	c.until("; -o json prints all columns")
	for _, want := range []string{"◐ In review", "\x1b["} {
		if !strings.Contains(c.output(), want) {
			t.Errorf("%q is missing in:\n%s", want, c.shown())
		}
	}
	for line := range strings.SplitSeq(c.output(), "\r\n") {
		if w := ansi.StringWidth(line); w > 100 {
			t.Errorf("got %d cells, want at most 100: %s", w, line)
		}
	}
}

// The tables of other commands also fit the terminal.
func TestTablesFitTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	seeded := startOnTerminal(t, nil, "ddbdesk", "seed", "authbridge", "--embedded="+dir, "--at", "2026-01-20T12:00:00Z", "--defects")
	if code := seeded.end(20 * time.Second); code != 0 {
		t.Fatalf("seed ended with exit code %d", code)
	}
	for _, tt := range []struct{ args, want string }{
		{"pattern list authbridge --role developer", "All verifications of a"},
		{"table check authbridge --embedded=" + dir, "✓ ok"},
		{"find ver_0688d2d8-c45d-4a87-bb69-9dec47b2db5d --embedded=" + dir, "Verification case"},
		{"drift authbridge --embedded=" + dir, "incomplete"},
	} {
		c := startOnTerminal(t, nil, "ddbdesk", strings.Fields(tt.args)...)
		c.end(20 * time.Second)
		c.until(tt.want)
		if !strings.Contains(c.output(), "\x1b[") {
			t.Errorf("%s: no color in:\n%s", tt.args, c.shown())
		}
		for line := range strings.SplitSeq(c.output(), "\r\n") {
			if w := ansi.StringWidth(line); w > 100 {
				t.Errorf("%s: got %d cells, want at most 100: %s", tt.args, w, line)
			}
		}
	}
}

// TERM=dumb disables escape sequences. NO_COLOR and CLICOLOR=0 disable colors.
func TestEnvironmentVariablesControlColor(t *testing.T) {
	t.Parallel()
	red := regexp.MustCompile(`\x1b\[[0-9;]*3[0-9;]*m`)
	for env, want := range map[string][2]bool{ // whether escape sequences and colors appear
		"TERM=xterm-256color": {true, true}, "TERM=dumb": {}, "NO_COLOR=yes": {true, false}, "CLICOLOR=0": {true, false},
	} {
		c := startOnTerminal(t, []string{env}, "ddbdesk", "table", "check", "authbridge", "--embedded="+t.TempDir())
		c.end(20 * time.Second)
		c.until("missing")
		if got := [2]bool{strings.Contains(c.output(), "\x1b"), red.MatchString(c.output())}; got != want {
			t.Errorf("%s: escape sequences and colors are %v, want %v:\n%q", env, got, want, c.output())
		}
	}
}

// ddbdesk reads a schema file after the first frame. If the file has faults, the console ends and restores the screen.
func TestSchemaFaultsEndConsole(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, []byte("name: shop\ntabels: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := startOnTerminal(t, nil, "ddbdesk", file, "--embedded="+t.TempDir())
	c.within(20*time.Second, "the fault", func() bool { return strings.Contains(c.output(), `did you mean "tables"?`) })
	if code := c.end(20 * time.Second); code != 252 {
		t.Errorf("the console ended with exit code %d, want 252", code)
	}
	screen, after, _ := strings.Cut(c.output(), "\x1b[?1049l")
	if strings.Contains(screen, "tabels") || !strings.Contains(after, `shop.yaml:2:1: error: tabels: unknown key`) {
		t.Errorf("want the error below the restored screen, got %q", after)
	}
	c.requireRestored()
}
