package main

import (
	"fmt"
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

// A terminal shows whole keys, what an empty result examined, and the next step.
func TestTerminalShowsWholeKeysAndNextSteps(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := fmt.Sprintf("contexts:\n  a: {embedded: %q, requests: {table: ddbdesk-requests}}\n  b: {embedded: %q}\n", t.TempDir(), t.TempDir())
	if err := os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"DDBDESK_CONFIG_DIR=" + folder, "DDBDESK_STATE_DIR=" + filepath.Join(folder, "state")}
	run := func(args string) string {
		c := startOnTerminal(t, env, "ddbdesk", strings.Fields(args)...)
		c.end(20 * time.Second)
		<-c.read
		return ansi.Strip(c.output())
	}
	run("seed authbridge --at 2026-01-20T12:00:00Z --context a")
	run("seed authbridge --at 2026-01-20T12:00:00Z --defects --context b")
	run("seed ebay-sniper --at 2026-01-20T12:00:00Z --context a")
	run("table create authbridge --requests --context a")
	const id = "ver_65de8f85-feb5-49b5-b776-a3c858eec62a"
	const sweep = "change authbridge claim-review --over list-client-verifications clientId=client_xyz789 --yes --canary 1 --context a --role admin"
	for _, tt := range []struct{ args, want string }{
		{"drift authbridge --context a", "no drift: 39"},
		{"drift authbridge Session --context a", " of Session matched the schema; 39"},
		{"drift authbridge --context b", "\r\n  incomplete  required attributes are missing: "},
		{"drift authbridge --context b --repair --role admin", "to apply the repairs, run\r\n  ddbdesk drift authbridge --context b "},
		{"diff authbridge Session --context a --context b", "no differences: the tables and 6 items of Session are equal"},
		{"diff authbridge --context a --context b", " in a → "},
		{"diff authbridge --context a --context b --role admin", "only in b  CASE#ver_"},
		{"change authbridge claim-review verificationId=" + id + " --dry-run --context a --role admin", "+ new Audit entry  AUDIT#"},
		{"change authbridge claim-review verificationId=" + id + " --request --context a", "filed as request "},
		{sweep + " --plan " + filepath.Join(folder, "plan"), "--yes continues after the first items without a prompt"},
		{"apply " + filepath.Join(folder, "plan") + " --context a --role developer", "role developer cannot change items"},
		{"apply " + filepath.Join(folder, "plan") + " --context a --role admin", "already done\r\nddbdesk: to undo, run"},
		{"find client_xzy789 --context a", "searches that accept any text were skipped in "},
		{"requests list authbridge --context a", "run\r\n  ddbdesk requests show authbridge 20"},
	} {
		if got := run(tt.args); !strings.Contains(strings.ReplaceAll(got, " \r", "\r"), tt.want) {
			t.Errorf("%s: want %q in\n%s", tt.args, tt.want, got)
		}
	}
	undo := startOnTerminal(t, env, "ddbdesk", "undo", "authbridge", "--context", "a", "--role", "admin")
	undo.until("? (y/N)")
	undo.press("n\r")
	undo.end(20 * time.Second)
	<-undo.read
	if got := ansi.Strip(undo.output()); !strings.Contains(got, "items: CASE#ver_") || !strings.Contains(got, "Undo claim-review on ") {
		t.Errorf("want the action and the items before the prompt in\n%s", got)
	}
	list := run("requests list authbridge --context a")
	_, request, _ := strings.Cut(list, "requests show authbridge ")
	request, _, _ = strings.Cut(request, " ")
	for role, want := range map[string]string{
		"support": "another user applies it with", "admin": "to apply it, run",
	} {
		got := run("requests show authbridge " + request + " --context a --role " + role)
		if !strings.Contains(got, want) || !strings.Contains(got, "to withdraw it, run") {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	one := filepath.Join(folder, "one.json")
	run("change authbridge claim-review verificationId=" + id + " --context b --role admin --plan " + one)
	run("apply " + one + " --yes --context b --role admin")
	if got := run("apply " + one + " --yes --context b --role admin"); !strings.Contains(got, "ddbdesk: this plan was applied on ") {
		t.Errorf("want the time of the first apply in\n%s", got)
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
func TestSchemaErrorsEndConsole(t *testing.T) {
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
