package tui

import (
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
)

// lentLimit is how long a program that uses the terminal may take to end after a signal. It is then killed.
const lentLimit = time.Second

// borrower sends the program a signal if the console ends first, so that it can clean up.
func (o *outside) borrower(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(o.m.o.Context, name, args...)
	c.Cancel = func() error { return terminate(c.Process) }
	c.WaitDelay = lentLimit
	return c
}

func (o *outside) lend(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	if c.Stdout == nil {
		c.Stdout = o.m.o.Output // the terminal itself, not what draws on it
	}
	run := o.exec
	if run == nil {
		run = func(c *exec.Cmd, done tea.ExecCallback) tea.Cmd { return tea.ExecProcess(c, done) }
	}
	o.lent(true)
	return run(c, func(err error) tea.Msg {
		o.lent(false)
		return done(err)
	})
}

func (o *outside) lent(lent bool) {
	if o.m.o.Lent != nil {
		o.m.o.Lent(lent)
	}
}
