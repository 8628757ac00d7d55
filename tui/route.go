package tui

import (
	"reflect"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// answeredMsg is the answer to a command of a place.
type answeredMsg struct {
	place uint64
	msg   tea.Msg
}

func (m *Model) route(p *place, cmd tea.Cmd) tea.Cmd { return routed(p.id, cmd) }

func routed(id uint64, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		msg := cmd()
		switch batch := msg.(type) {
		case nil:
			return nil
		case tea.BatchMsg:
			for i, c := range batch {
				batch[i] = routed(id, c)
			}
			return batch
		}
		if ofBubbleTea(msg) {
			return msg
		}
		return answeredMsg{id, msg}
	}
}

// ofBubbleTea reports whether Bubble Tea itself handles a message. Their types are not all exported.
func ofBubbleTea(msg tea.Msg) bool {
	return strings.HasPrefix(reflect.TypeOf(msg).PkgPath(), "charm.land/bubbletea")
}

// answered honors a request to the root only while the place is visible.
func (m *Model) answered(msg answeredMsg) tea.Cmd {
	if c, ok := msg.msg.(screen.Commit); ok {
		return tea.Batch(m.committed(c.Committed()), m.deliver(msg))
	}
	return m.deliver(msg)
}

func (m *Model) committed(list []screen.Committed) tea.Cmd {
	var cmds []tea.Cmd
	for _, places := range [][]*place{m.screens.stack, m.screens.ahead} {
		for _, p := range places {
			if l, ok := p.screen.(screen.Lister); ok && len(list) > 0 {
				cmds = append(cmds, m.route(p, l.Committed(list)))
			}
		}
	}
	return tea.Batch(cmds...)
}

func (m *Model) deliver(msg answeredMsg) tea.Cmd {
	p := m.placeOf(msg.place)
	if p == nil {
		return nil
	}
	inView := p == m.top()
	switch ask := msg.msg.(type) {
	case screen.NoticeMsg:
		return m.notice(ask)
	case screen.CopyMsg:
		return m.copy(ask)
	case screen.HandOverMsg:
		return m.handOver(ask)
	case screen.WaitingMsg:
		m.home.Waits(ask)
		return nil
	case overlay.ShowMsg:
		if inView {
			m.showBox(ask)
		}
		return nil
	case screen.EditedMsg:
		return m.edited(ask)
	case screen.ExpiredMsg:
		if inView {
			m.signInExpired(p, ask)
		}
		return nil
	case screen.OpenMsg, screen.BackMsg, screen.QuitMsg, screen.SessionMsg, screen.EnterMsg:
		if inView {
			return m.asked(ask)
		}
		return nil
	}
	cmd := m.route(p, p.screen.Update(msg.msg))
	if inView && p.screen == screen.Screen(m.home) {
		for _, press := range m.home.Kept() {
			cmd = tea.Batch(cmd, m.press(press))
		}
	}
	return cmd
}

func (m *Model) asked(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.OpenMsg:
		return m.show(msg.To)
	case screen.BackMsg:
		return m.back()
	case screen.QuitMsg:
		return m.quit()
	case screen.NoticeMsg:
		return m.notice(msg)
	case screen.CopyMsg:
		return m.copy(msg)
	case screen.HandOverMsg:
		return m.handOver(msg)
	case screen.SessionMsg:
		if cmd, held := m.holdBack(); held { // The open screens belong to the previous session.
			return cmd
		}
		m.goHome()
		return m.enter(msg)
	case screen.EnterMsg:
		return m.enterProfile(msg)
	}
	return nil
}

func (m *Model) show(to screen.Target) tea.Cmd {
	if m.env == nil {
		return nil
	}
	taken := m.takeEdits(m.top().screen)
	return tea.Batch(taken, m.push(screens.Open(m.env, to)))
}

func (m *Model) enter(msg screen.SessionMsg) tea.Cmd {
	ctx, log := screen.Logged(m.o.Context, msg.Workspace.Session.Now)
	m.env = &screen.Env{
		Context: ctx, Log: log, Workspace: msg.Workspace, Styles: m.styles, Now: msg.Workspace.Session.Now, Keys: m.o.Keys,
		ScanLimit: m.o.ScanLimit,
	}
	m.env.Elsewhere, _ = m.o.Opener.(screen.Elsewhere)
	m.env.Drafts, _ = m.o.Opener.(screen.Drafts)
	m.identity = ""
	who := identify(m.env.Context, msg.Workspace)
	who = tea.Batch(who, readBookmarks(msg.Workspace), compareTables(m.env.Context, msg.Workspace))
	var first screen.Target = screen.Patterns{}
	if msg.Then != nil {
		first = msg.Then(m.env)
	}
	cmd := tea.Batch(m.show(first), who, m.tourBegun())
	if notice := msg.Workspace.History.Notice(); notice != "" {
		cmd = tea.Batch(cmd, m.say(widget.RoleWarn, notice))
	}
	return cmd
}

func (m *Model) notice(msg screen.NoticeMsg) tea.Cmd {
	role := widget.RoleInfo
	if msg.Bad {
		role = widget.RoleBad
	}
	return m.say(role, msg.Text)
}

func (m *Model) announce(role widget.Role, text string) tea.Cmd {
	cmd := m.say(role, text)
	m.toasts.Keep()
	return cmd
}

func (m *Model) say(role widget.Role, text string) tea.Cmd {
	now := m.o.Now()
	if text == m.said && now.Sub(m.saidAt) < widget.ToastFor/2 {
		return nil
	}
	m.said, m.saidAt = text, now
	return m.toasts.Push(role, text)
}
