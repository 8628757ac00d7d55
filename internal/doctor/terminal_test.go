package doctor

import (
	"strings"
	"testing"
)

// environment returns a Terminal with environment variables.
func environment(env ...string) Terminal {
	return Terminal{IsTerminal: true, Clipboard: true, Getenv: func(name string) string {
		for _, e := range env {
			if value, ok := strings.CutPrefix(e, name+"="); ok {
				return value
			}
		}
		return ""
	}}
}

// colored returns a terminal with a number of colors.
func colored(n int) Terminal {
	t := environment("TERM=xterm")
	t.Colors = n
	return t
}

// finding returns the finding of a check.
func finding(t *testing.T, list []Finding, check string) Finding {
	t.Helper()
	for _, f := range list {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("the finding %s is missing in %v", check, list)
	return Finding{}
}

func TestEnvironmentTerminal(t *testing.T) {
	silent := environment("TERM=xterm-256color", "DISPLAY=:0")
	noProgram := silent
	noProgram.Clipboard = false
	noTerminal := silent
	noTerminal.IsTerminal = false
	for _, test := range []struct {
		name     string
		terminal Terminal
		check    string
		state    State
		text     string
	}{
		{"dumb", environment("TERM=dumb"), "terminal", Problem, "cannot show the console"},
		{"no terminal", noTerminal, "terminal", OK, "not a terminal"},
		{"over SSH", environment("SSH_TTY=/dev/pts/1"), "clipboard", OK, "over SSH"},
		{"in tmux", environment("TMUX=/run/tmux", "SSH_TTY=x"), "clipboard", OK, "set-clipboard on"},
		{"no color", environment("NO_COLOR=1", "TERM=xterm"), "colors", OK, "NO_COLOR"},
		{"monochrome", environment("TERM=vt100"), "colors", Warning, "TERM=vt100"},
		{"16 colors", colored(16), "colors", Warning, "16 (TERM=xterm)"},
		{"256 colors", colored(256), "colors", OK, "256"},
	} {
		f := finding(t, test.terminal.Findings(), test.check)
		if f.State != test.state || !strings.Contains(f.Text, test.text) {
			t.Errorf("%s: got %s %s", test.name, f.State, f)
		}
	}
	if f := finding(t, noProgram.Findings(), "clipboard"); f.State != Warning || f.Fix == "" {
		t.Errorf("without a program: got %s %s", f.State, f)
	}
}
