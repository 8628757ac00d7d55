package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"

	"github.com/ddbdesk/ddbdesk/models"
)

// environment returns a Terminal with variables, whose answers are those of ask.
func environment(ask func(string) string, env ...string) Terminal {
	t := Terminal{Is: true, Clipboard: true, Getenv: func(name string) string {
		for _, e := range env {
			if value, ok := strings.CutPrefix(e, name+"="); ok {
				return value
			}
		}
		return ""
	}}
	if ask != nil {
		t.Ask = func(_ context.Context, question string) string { return ask(question) }
	}
	return t
}

// colored returns a terminal with a number of colors.
func colored(n int) Terminal {
	t := environment(nil, "TERM=xterm")
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
	t.Fatalf("no finding about %s in %v", check, list)
	return Finding{}
}

// widths returns the answers of a terminal that draws each sample the width that ddbdesk expects, and more columns for some.
func widths(more ...int) string {
	var b strings.Builder
	for i, s := range samples {
		w := models.Width(s.text)
		if i < len(more) {
			w += more[i]
		}
		fmt.Fprintf(&b, "\x1b[1;%dR", w+1)
	}
	return b.String()
}

func TestTerminalAnswers(t *testing.T) {
	const all = "\x1b[?1u\x1b[?1006;2$y"
	for _, test := range []struct {
		name, answer, check string
		state               State
		text                string
	}{
		{"kitty", all + widths() + "\x1b[?62c", "keyboard", OK, "Kitty"},
		{"no kitty", "\x1b[?1006;2$y" + widths() + "\x1b[?62c", "keyboard", OK, "without the Kitty"},
		{"mouse", all + widths() + "\x1b[?62c", "mouse", OK, "wheel"},
		{"mouse is unknown", "\x1b[?1006;0$y" + widths() + "\x1b[?62c", "mouse", Warning, "does not support mouse"},
		{"mouse is not reported", widths() + "\x1b[?62c", "mouse", OK, "does not report"}, // as tmux
		{"widths as expected", all + widths() + "\x1b[?62c", "emoji", OK, "expects"},
		{"joined emoji is wide", all + widths(0, 2) + "\x1b[?62c", "emoji", Warning, "joined emoji 4 columns wide, not 2"},
		{"no cursor reports", all + "\x1b[?62c", "emoji", Warning, "cursor"},
		{"no answer", "", "terminal", Warning, "does not report its capabilities"},
	} {
		f := finding(t, environment(func(string) string { return test.answer }, "TERM=xterm").Findings(t.Context()), test.check)
		if f.State != test.state || !strings.Contains(f.Text, test.text) {
			t.Errorf("%s: %s %s", test.name, f.State, f)
		}
	}
}

func TestTerminalOfTheEnvironment(t *testing.T) {
	silent := environment(nil, "TERM=xterm-256color", "DISPLAY=:0")
	noProgram := silent
	noProgram.Clipboard = false
	none := silent
	none.Is = false
	for _, test := range []struct {
		name     string
		terminal Terminal
		check    string
		state    State
		text     string
	}{
		{"dumb", environment(nil, "TERM=dumb"), "terminal", Problem, "cannot show the console"},
		{"no terminal", none, "terminal", OK, "not a terminal"},
		{"over SSH", environment(nil, "SSH_TTY=/dev/pts/1"), "clipboard", OK, "over SSH"},
		{"in tmux", environment(nil, "TMUX=/run/tmux", "SSH_TTY=x"), "clipboard", OK, "set-clipboard on"},
		{"no color", environment(nil, "NO_COLOR=1", "TERM=xterm"), "colors", OK, "NO_COLOR"},
		{"monochrome", environment(nil, "TERM=vt100"), "colors", Warning, "TERM=vt100"},
		{"16 colors", colored(16), "colors", Warning, "16 (TERM=xterm)"},
		{"256 colors", colored(256), "colors", OK, "256"},
	} {
		f := finding(t, test.terminal.Findings(t.Context()), test.check)
		if f.State != test.state || !strings.Contains(f.Text, test.text) {
			t.Errorf("%s: %s %s", test.name, f.State, f)
		}
	}
	if f := finding(t, noProgram.Findings(t.Context()), "clipboard"); f.State != Warning || f.Fix == "" {
		t.Errorf("without a program: %s %s", f.State, f)
	}
}

// An emulator answers the question as terminals do, and its screen is as before.
func TestExchangeWithATerminal(t *testing.T) {
	e := vt.NewSafeEmulator(80, 24)
	answer := Exchange(t.Context(), e, e, question())
	a := parse(answer)
	if !a.any || len(a.widths) != len(samples) {
		t.Fatalf("%q", answer)
	}
	if a.widths[0] != 2 {
		t.Errorf("an emoji is %d columns wide", a.widths[0])
	}
	for x := range 10 {
		if c := e.CellAt(x, 0); c != nil && strings.TrimSpace(c.Content) != "" {
			t.Errorf("%q stayed on the screen", c.Content)
		}
	}
}

// A terminal that never answers ends the wait with the context, one that closes at once.
func TestExchangeEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, person := io.Pipe()
	defer person.Close() //nolint:errcheck // It never fails.
	cancel()
	if got := Exchange(ctx, in, io.Discard, question()); got != "" {
		t.Errorf("%q", got)
	}
	if got := Exchange(t.Context(), strings.NewReader("\x1b[?1u"), io.Discard, question()); got != "\x1b[?1u" {
		t.Errorf("%q", got)
	}
}
