package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// holdLimit is how long a program that was told to end is waited for. A session
// gives up waiting for a commit long before.
const holdLimit = 5 * time.Minute

// leaveMsg asks the program to end, as a signal does.
type leaveMsg struct{}

// holders are the screens that may hold something.
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

// held says what must not be cut off, "" when nothing is under way.
func (h *holding) held() string {
	for _, h := range h.holders() {
		if what := h.Holds(); what != "" {
			return what
		}
	}
	return ""
}

// stay says why the screen is not left, when it is not.
func (h *holding) stay() (cmd tea.Cmd, held bool) {
	what := h.held()
	if what == "" {
		return nil, false
	}
	return h.m.say(widget.RoleWarn, what), true
}

// quit ends the program, at once or when nothing is held any more.
func (h *holding) quit() tea.Cmd {
	if what := h.held(); what != "" {
		h.leaving = true
		cancel(h.m.screens.top().screen)
		return h.m.say(widget.RoleWarn, "leaving when it is done: "+what)
	}
	h.quitting = true
	return tea.Quit
}

// leaveWhenDone ends a program that was asked to, once nothing is held.
func (h *holding) leaveWhenDone(cmd tea.Cmd) tea.Cmd {
	if !h.leaving || h.quitting || h.held() != "" {
		return cmd
	}
	return tea.Batch(cmd, h.quit())
}

// wait returns when nothing is under way, after the program has ended.
func (h *holding) wait() {
	for _, h := range h.holders() {
		h.Wait()
	}
}

// obey tells the program when ctx ends, and ends it when it does not obey.
func obey(ctx context.Context, p *tea.Program, ended <-chan struct{}) {
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
