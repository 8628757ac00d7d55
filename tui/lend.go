package tui

import (
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
)

// lentLimit is how long a program that uses the terminal may take to end after a signal. It is then killed.
const lentLimit = time.Second

// borrower sends the program a signal if the console ends first, so that it can clean up.
func (m *Model) borrower(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(m.o.Context, name, args...)
	c.Cancel = func() error { return terminate(c.Process) }
	c.WaitDelay = lentLimit
	return c
}

func (m *Model) lend(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	if c.Stdout == nil {
		c.Stdout = m.o.Output // the terminal itself, not what draws on it
	}
	run := m.out.exec
	if run == nil {
		run = func(c *exec.Cmd, done tea.ExecCallback) tea.Cmd { return tea.ExecProcess(c, done) }
	}
	m.lent(true)
	return run(c, func(err error) tea.Msg {
		m.lent(false)
		return done(err)
	})
}

func (m *Model) lent(lent bool) {
	if m.o.Lent != nil {
		m.o.Lent(lent)
	}
}
