package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// holding keeps the program running while a write is pending.
type holding struct {
	leaving  bool // quit as soon as no write is pending
	quitting bool
}

// holdLimit is how long the console may take to end after a signal. A session stops waiting for a commit much earlier.
const holdLimit = 5 * time.Minute

// leaveMsg requests the end of the program after a signal.
type leaveMsg struct{}

func (m *Model) holders() []screen.Holder {
	var list []screen.Holder
	for _, places := range [][]*place{m.screens.stack, m.screens.ahead} {
		for _, p := range places {
			if h, ok := p.screen.(screen.Holder); ok {
				list = append(list, h)
			}
		}
	}
	return list
}

func (m *Model) heldBack() string {
	for _, h := range m.holders() {
		if what := h.Holds(); what != "" {
			return what
		}
	}
	return ""
}

func (m *Model) holdBack() (cmd tea.Cmd, held bool) {
	what := m.heldBack()
	if what == "" {
		return nil, false
	}
	return m.say(widget.RoleWarn, what), true
}

func (m *Model) quit() tea.Cmd {
	if what := m.heldBack(); what != "" {
		m.hold.leaving = true
		cancel(m.top().screen)
		return m.say(widget.RoleWarn, "quitting after this: "+what)
	}
	m.hold.quitting = true
	return tea.Quit
}

func (m *Model) leaveWhenDone(cmd tea.Cmd) tea.Cmd {
	if !m.hold.leaving || m.hold.quitting || m.heldBack() != "" {
		return cmd
	}
	return tea.Batch(cmd, m.quit())
}

// waitForWrites is called after the program has ended.
func (m *Model) waitForWrites() {
	for _, h := range m.holders() {
		h.Wait()
	}
}

func endWithContext(ctx context.Context, p *tea.Program, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	crash.Go("ask the console to end", func() { p.Send(leaveMsg{}) })
	select {
	case <-ended:
	case <-time.After(holdLimit):
		p.Kill()
	}
}
