package tui

import (
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
)

// lentLimit is how long a program that uses the terminal may take to end after a signal. It is then killed.
const lentLimit = time.Second

// borrower returns the command of a program that will use the terminal. If the console ends first, the
// program gets a signal that lets it clean up.
func (m *Model) borrower(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(m.o.Context, name, args...)
	c.Cancel = func() error { return terminate(c.Process) }
	c.WaitDelay = lentLimit
	return c
}

// lend gives the terminal to a program until it ends.
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
