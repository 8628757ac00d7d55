package tui

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// externalProgram runs programs in the terminal.
type externalProgram struct {
	env   tea.EnvMsg // environment of the process
	busy  bool       // a program is running, or its file is being written
	files tempFolder
	exec  func(c *exec.Cmd, done tea.ExecCallback) tea.Cmd
}

func (m *Model) getenv(name string) string { return m.external.env.Getenv(name) }

// A tempFolder contains the file for an external program. The console removes it on exit at the latest.
type tempFolder struct {
	mu    sync.Mutex
	dir   string // "" if the folder does not exist
	ended bool
}

func (f *tempFolder) create() (dir string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return "", errors.New("the console has ended")
	}
	f.dir, err = os.MkdirTemp("", "ddbdesk-") // mode 0700
	return f.dir, err
}

// remove deletes the folder. If final is true, create fails afterward.
func (f *tempFolder) remove(final bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir := f.dir
	f.dir, f.ended = "", f.ended || final
	if dir == "" {
		return nil
	}
	return os.RemoveAll(dir)
}

// An externalFile is a file for an external program.
type externalFile struct {
	msg     screen.RunExternalMsg
	command []string // program and its arguments
	path    string
	stdin   *os.File // standard input of a pager, because many pagers read only that
	err     error
}

func defaultPrograms(to screen.ExternalProgram) []string {
	onWindows := runtime.GOOS == "windows"
	switch {
	case to == screen.Editor && onWindows:
		return []string{"notepad.exe"}
	case to == screen.Editor:
		return []string{"nano", "vi", "vim"}
	case onWindows:
		return []string{"less", "more.com"}
	}
	return []string{"less", "more"}
}

func (m *Model) runExternal(msg screen.RunExternalMsg) tea.Cmd {
	if m.external.busy {
		return nil // Only one program runs at a time.
	}
	m.external.busy = true
	env, record := m.external.env, func() error { return nil }
	if at := m.env; at != nil {
		record = func() error {
			return at.Exporter.RecordCopy(at.Context, "to another program: "+filepath.Base(msg.File))
		}
	}
	return func() tea.Msg {
		r := externalFile{msg: msg, err: record()}
		if r.err == nil {
			r = prepareFile(env, msg, &m.external.files)
		}
		return screen.Answer(func() tea.Cmd { return m.openExternalFile(r) })
	}
}

// prepareFile writes a file that only its owner can read, and finds the program.
func prepareFile(env tea.EnvMsg, msg screen.RunExternalMsg, files *tempFolder) externalFile {
	if msg.To == screen.Pager {
		// $LESS often lets escape sequences through.
		msg.Text = models.SafeText(msg.Text)
	}
	r := externalFile{msg: msg}
	if r.command, r.err = findProgram(env, msg.To); r.err != nil {
		return r
	}
	var dir string
	if dir, r.err = files.create(); r.err == nil {
		r.path = filepath.Join(dir, filepath.Base(msg.File))
		r.err = os.WriteFile(r.path, []byte(msg.Text), 0o600)
	}
	if r.err == nil && msg.To == screen.Pager {
		r.stdin, r.err = os.Open(r.path)
	}
	if r.err != nil {
		r.err = fmt.Errorf("no file for %s: %w", filepath.Base(r.command[0]), r.err)
	}
	return r
}

func (m *Model) openExternalFile(r externalFile) tea.Cmd {
	if r.err != nil {
		return tea.Batch(m.notify(widget.RoleBad, r.err.Error()), m.endExternal())
	}
	c := m.terminalCommand(r.command[0], append(r.command[1:], r.path)...)
	if r.stdin != nil {
		c.Stdin = r.stdin
	}
	return m.runInTerminal(c, func(err error) tea.Msg {
		if r.stdin != nil {
			err = errors.Join(err, r.stdin.Close())
		}
		text, readErr := os.ReadFile(r.path)
		edited := readErr == nil && string(text) != r.msg.Text
		return screen.Answer(func() tea.Cmd { return m.resumeAfter(r.msg, string(text), edited, err) })
	})
}

func findProgram(env tea.EnvMsg, to screen.ExternalProgram) ([]string, error) {
	variables := []string{"PAGER"}
	if to == screen.Editor {
		variables = []string{"VISUAL", "EDITOR"}
	}
	for _, name := range variables {
		value := strings.TrimSpace(env.Getenv(name))
		if value == "" {
			continue
		}
		words := commandWords(value)
		if len(words) == 0 {
			return nil, fmt.Errorf("$%s is %s: missing closing quote", name, models.PrintableCell(value, 60))
		}
		path, err := exec.LookPath(words[0])
		if err != nil {
			return nil, fmt.Errorf("$%s is %s, which is not installed", name, models.PrintableCell(words[0], 60))
		}
		return pagerFlags(append([]string{path}, words[1:]...)), nil
	}
	for _, name := range defaultPrograms(to) {
		if path, err := exec.LookPath(name); err == nil {
			return pagerFlags([]string{path}), nil
		}
	}
	return nil, fmt.Errorf("no %s found; set $%s", strings.Join(defaultPrograms(to), " or "), variables[len(variables)-1])
}

func (m *Model) editorName() string {
	words := strings.Fields(cmp.Or(m.getenv("VISUAL"), m.getenv("EDITOR")))
	if len(words) == 0 {
		return ""
	}
	return models.PrintableCell(filepath.Base(words[0]), 20)
}

// pagerFlags adds a flag that keeps less open even if the text fits on the screen, because $LESS often contains -F.
func pagerFlags(words []string) []string {
	if base := filepath.Base(words[0]); base == "less" || base == "less.exe" {
		return append(words, "-+F")
	}
	return words
}

// commandWords splits a command like a shell, unless all of it is a program's path. It returns nil for an open quote.
func commandWords(command string) []string {
	if path, err := exec.LookPath(command); err == nil {
		return []string{path}
	}
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	escaped := false
	for _, r := range command {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && runtime.GOOS != "windows":
			inWord, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			inWord, quote = true, r
		case r == ' ' || r == '\t':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			inWord = true
			word.WriteRune(r)
		}
	}
	if quote != 0 || escaped {
		return nil
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

// resumeAfter returns to the console. It discards unrequested edits: only checked actions may change items.
func (m *Model) resumeAfter(msg screen.RunExternalMsg, text string, edited bool, err error) tea.Cmd {
	endCmd := m.endExternal()
	name := "the pager"
	if msg.To == screen.Editor {
		name = "the editor"
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return tea.Batch(endCmd, m.notify(widget.RoleBad, fmt.Sprintf("%s ended with %v", name, exit)))
	case err != nil:
		return tea.Batch(endCmd, m.notify(widget.RoleBad, fmt.Sprintf("%s did not start: %v", name, err)))
	case msg.Edited != nil && !edited:
		return tea.Batch(endCmd, m.notify(widget.RoleInfo, "nothing was changed"))
	case msg.Edited != nil:
		return tea.Batch(endCmd, m.route(m.top(), screen.Send(msg.Edited(text))))
	case edited:
		return tea.Batch(
			endCmd,
			m.notify(widget.RoleInfo, "edits are not saved; use an action to change the item"),
		)
	}
	return endCmd
}

func (m *Model) endExternal() tea.Cmd {
	m.external.busy = false
	if err := m.external.files.remove(false); err != nil {
		return m.notify(widget.RoleBad, "cannot remove the temporary copy: "+err.Error())
	}
	return nil
}

// terminateLimit is the maximum time between a signal to an external program and its end. After that ddbdesk kills it.
const terminateLimit = time.Second

// terminalCommand signals the program if the console ends first, so that the program can clean up.
func (m *Model) terminalCommand(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(m.o.Context, name, args...)
	c.Cancel = func() error { return terminate(c.Process) }
	c.WaitDelay = terminateLimit
	return c
}

func (m *Model) runInTerminal(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	if c.Stdout == nil {
		c.Stdout = m.o.Output // the terminal itself, not Bubble Tea's writer
	}
	run := m.external.exec
	if run == nil {
		run = func(c *exec.Cmd, done tea.ExecCallback) tea.Cmd { return tea.ExecProcess(c, done) }
	}
	m.setTerminalInUse(true)
	return run(c, func(err error) tea.Msg {
		m.setTerminalInUse(false)
		return done(err)
	})
}

func (m *Model) setTerminalInUse(inUse bool) {
	if m.o.TerminalInUse != nil {
		m.o.TerminalInUse(inUse)
	}
}
