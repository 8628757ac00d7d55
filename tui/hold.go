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
	m *Model

	leaving  bool // quit as soon as no write is pending
	quitting bool
}

// holdLimit is how long the console may take to end after a signal. A session stops waiting for a commit much earlier.
const holdLimit = 5 * time.Minute

// leaveMsg requests the end of the program after a signal.
type leaveMsg struct{}

func (h *holding) holders() []screen.Holder {
	var list []screen.Holder
	for _, places := range [][]*place{h.m.screens.stack, h.m.screens.ahead} {
		for _, p := range places {
			if h, ok := p.screen.(screen.Holder); ok {
				list = append(list, h)
			}
		}
	}
	return list
}

func (h *holding) held() string {
	for _, h := range h.holders() {
		if what := h.Holds(); what != "" {
			return what
		}
	}
	return ""
}

func (h *holding) stay() (cmd tea.Cmd, held bool) {
	what := h.held()
	if what == "" {
		return nil, false
	}
	return h.m.say(widget.RoleWarn, what), true
}

func (h *holding) quit() tea.Cmd {
	if what := h.held(); what != "" {
		h.leaving = true
		cancel(h.m.screens.top().screen)
		return h.m.say(widget.RoleWarn, "quitting after this: "+what)
	}
	h.quitting = true
	return tea.Quit
}

func (h *holding) leaveWhenDone(cmd tea.Cmd) tea.Cmd {
	if !h.leaving || h.quitting || h.held() != "" {
		return cmd
	}
	return tea.Batch(cmd, h.quit())
}

// wait is called after the program has ended.
func (h *holding) wait() {
	for _, h := range h.holders() {
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
