package tui

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func TestCommandWords(t *testing.T) {
	dir := t.TempDir()
	blank := filepath.Join(dir, "my editor")
	if err := os.WriteFile(blank, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string][]string{
		"code --wait":            {"code", "--wait"},
		`"my editor" -n 'a b'`:   {"my editor", "-n", "a b"},
		`my\ editor  -n`:         {"my editor", "-n"},
		`emacs -nw --eval "(x)"`: {"emacs", "-nw", "--eval", "(x)"},
		`vi "`:                   nil,
		blank:                    {blank},
	} {
		got := commandWords(command)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", command, diff)
		}
	}
}

// modelWithProgram returns a model that runs external programs with run.
func modelWithProgram(t *testing.T, env tea.EnvMsg, run func(c *exec.Cmd) error) *Model {
	t.Helper()
	m := New(Options{Clipboard: func(string) error { return nil }})
	m.external.env = env
	m.external.exec = func(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
		return func() tea.Msg { return done(run(c)) }
	}
	m.w, m.h = 120, 40
	return m
}

// deliverExternal opens a text in another program, and delivers the result to the model.
func deliverExternal(m *Model, msg screen.RunExternalMsg) {
	cmd := m.runExternal(msg)().(screen.Answer)()
	if !m.external.busy {
		return // cmd waits until the notice of an error ends.
	}
	if handed, ok := cmd().(screen.Answer); ok {
		handed()
	}
}

// The program gets the text in a temporary file that only the user can read. The console removes the file afterwards.
func TestHandOverUsesPrivateTemporaryFile(t *testing.T) {
	path := ""
	m := modelWithProgram(t, tea.EnvMsg{"EDITOR=sh -u"}, func(c *exec.Cmd) error {
		path = c.Args[len(c.Args)-1]
		text, err := os.ReadFile(path)
		if err != nil || string(text) != "{}" || filepath.Base(path) != "item.json" {
			t.Errorf("%s contains %q, %v", path, text, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
		}
		if got := c.Args[1:]; len(got) != 2 || got[0] != "-u" {
			t.Errorf("the editor runs with the arguments %q", got)
		}
		return nil
	})
	deliverExternal(m, screen.RunExternalMsg{To: screen.Editor, File: "../item.json", Text: "{}"})
	if _, err := os.Stat(filepath.Dir(path)); err == nil || path == "" {
		t.Errorf("%s was not removed", path)
	}
	if m.lastNotice != "" {
		t.Errorf("the notice is %q", m.lastNotice)
	}
	if name := m.editorName(); name != "sh" { // The menu entry names it before the console hands over.
		t.Errorf("the editor is %q", name)
	}
}

// Pagers also get the text on their standard input, because a pager that does not open files would wait for the
// keyboard.
func TestPagersReadStandardInput(t *testing.T) {
	read := ""
	m := modelWithProgram(t, tea.EnvMsg{"PAGER=sh"}, func(c *exec.Cmd) error {
		text, err := io.ReadAll(c.Stdin)
		read = string(text)
		return err
	})
	deliverExternal(m, screen.RunExternalMsg{To: screen.Pager, File: "item.json", Text: "{}"})
	if read != "{}" || m.lastNotice != "" {
		t.Errorf("the pager reads %q; the notice is %q", read, m.lastNotice)
	}
}

// If the console ends while it writes the file for a program, it removes the file, even if the write ends later.
func TestHandOverLeavesNoFileWhenConsoleEnds(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	msg := screen.RunExternalMsg{To: screen.Editor, File: "item.json", Text: "{}"}
	left := func(label string) {
		t.Helper()
		if list, err := os.ReadDir(os.TempDir()); err != nil || len(list) > 0 {
			t.Errorf("%s: files %v remain, %v", label, list, err)
		}
	}
	m := modelWithProgram(t, tea.EnvMsg{"EDITOR=sh"}, nil)
	if m.runExternal(msg)(); m.external.files.dir == "" {
		t.Fatal("the console wrote no file")
	}
	if err := m.finish(); err != nil {
		t.Error(err)
	}
	left("a file whose program was not started yet")
	m = modelWithProgram(t, tea.EnvMsg{"EDITOR=sh"}, nil)
	prepare := m.runExternal(msg)
	if err := m.finish(); err != nil {
		t.Error(err)
	}
	if prepare().(screen.Answer)(); m.lastNotice == "" {
		t.Error("the console wrote a file after its end")
	}
	left("a file that is written after the end")
}

func TestHandOverReportsItsOutcome(t *testing.T) {
	for want, o := range map[string]struct {
		env tea.EnvMsg
		run func(c *exec.Cmd) error
	}{
		"edits are not saved; use an action to change the item": {
			tea.EnvMsg{
				"VISUAL=sh", "EDITOR=not-asked",
			}, func(c *exec.Cmd) error { return os.WriteFile(c.Args[len(c.Args)-1], []byte("edited"), 0o600) },
		},
		"the editor ended with exit status 3": {
			tea.EnvMsg{"EDITOR=sh"},
			func(*exec.Cmd) error { return exec.CommandContext(t.Context(), "sh", "-c", "exit 3").Run() },
		},
		"$EDITOR is no-such-editor, which is not installed": {tea.EnvMsg{"EDITOR=no-such-editor -w"}, nil},
		`$VISUAL is vi ": missing closing quote`:            {tea.EnvMsg{`VISUAL=vi "`}, nil},
	} {
		m := modelWithProgram(t, o.env, o.run)
		deliverExternal(m, screen.RunExternalMsg{To: screen.Editor, File: "item.json", Text: "{}"})
		if m.lastNotice != want || m.external.files.dir != "" || m.external.busy {
			t.Errorf("the notice is %q, want %q; %q remains", m.lastNotice, want, m.external.files.dir)
		}
	}
}

func TestCopyReportsItsProgress(t *testing.T) {
	small, large := "x", strings.Repeat("x", 100_000)
	for want, o := range map[string]struct {
		env  tea.EnvMsg
		err  error
		text string
	}{
		"copied the item":                                          {nil, nil, small},
		"copied the item through the terminal":                     {tea.EnvMsg{"SSH_TTY=/dev/pts/3"}, nil, small},
		"copied the item through tmux (it needs set-clipboard on)": {tea.EnvMsg{"TMUX=/tmp/tmux,1,0"}, os.ErrNotExist, small},
		"copied the item to this machine's clipboard only; the terminal does not accept 98 KB": {nil, nil, large},
		"the item is 98 KB, which is more than the terminal accepts; save it to a file from the copy menu": {
			tea.EnvMsg{"SSH_CONNECTION=1 2"}, nil, large,
		},
		"the item is 98 KB, which is more than tmux (it needs set-clipboard on) accepts; save it to a file from the copy menu": {
			tea.EnvMsg{"TMUX=1"}, os.ErrNotExist, large,
		},
	} {
		m := modelWithProgram(t, o.env, nil)
		m.o.Clipboard = func(string) error { return o.err }
		cmds := []tea.Cmd{m.copy(screen.CopyMsg{Text: o.text, What: "the item"})}
		if batch, ok := cmds[0]().(tea.BatchMsg); ok {
			cmds = batch
		}
		for _, cmd := range cmds {
			if msg, ok := cmd().(screen.Answer); ok {
				m.update(msg)
			}
		}
		if m.lastNotice != want {
			t.Errorf("the notice is %q, want %q", m.lastNotice, want)
		}
	}
}
