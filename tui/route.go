package tui

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A placeMsg is the result of a command that a place issued.
type placeMsg struct {
	place uint64
	msg   tea.Msg
}

func (m *Model) route(p *place, cmd tea.Cmd) tea.Cmd { return routeTo(p.id, cmd) }

func routeTo(id uint64, cmd tea.Cmd) tea.Cmd {
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
				batch[i] = routeTo(id, c)
			}
			return batch
		}
		if isBubbleTeaMsg(msg) {
			return msg
		}
		return placeMsg{id, msg}
	}
}

// isBubbleTeaMsg reports whether a message belongs to Bubble Tea, which does not export all of its message types.
func isBubbleTeaMsg(msg tea.Msg) bool {
	return strings.HasPrefix(reflect.TypeOf(msg).PkgPath(), "charm.land/bubbletea")
}

// handleAnswer delivers a message to its place. The root first notifies all screens of a change.
func (m *Model) handleAnswer(msg placeMsg) tea.Cmd {
	if c, ok := msg.msg.(screen.Commit); ok {
		return tea.Batch(m.notifyCommitted(c.Changes), m.deliver(placeMsg{msg.place, c.Answer}))
	}
	return m.deliver(msg)
}

func (m *Model) notifyCommitted(list []screen.CommittedChange) tea.Cmd {
	var cmds []tea.Cmd
	if i := slices.IndexFunc(list, func(c screen.CommittedChange) bool { return c.IsUndo || c.UndoTitle != "" }); i >= 0 {
		m.undo.count(list[i])
	}
	m.eachPlace(func(p *place) {
		if l, ok := p.screen.(screen.CommitObserver); ok && len(list) > 0 {
			cmds = append(cmds, m.route(p, l.Committed(list)))
		}
	})
	return tea.Batch(cmds...)
}

func (m *Model) deliver(msg placeMsg) tea.Cmd {
	p := m.placeOf(msg.place)
	if p == nil {
		return nil
	}
	if cmd, handled := m.handleRequest(p, msg.msg); handled {
		return cmd
	}
	cmd := m.route(p, p.screen.Update(msg.msg))
	if p == m.top() && p.screen == screen.Screen(m.home) {
		for _, press := range m.home.TakeKeys() {
			cmd = tea.Batch(cmd, m.guardKey(press))
		}
	}
	return cmd
}

// handleRequest executes a place's request to the root. handled is false if the message is not such a request.
func (m *Model) handleRequest(p *place, msg tea.Msg) (cmd tea.Cmd, handled bool) {
	switch msg := msg.(type) {
	case screen.NoticeMsg:
		return m.showNotice(msg), true
	case screen.CopyMsg:
		return m.copy(msg), true
	case screen.RunExternalMsg:
		return m.runExternal(msg), true
	case screen.QueueCountMsg:
		m.home.SetQueueCount(msg)
		return nil, true
	case screen.EditedMsg:
		return m.handleEdits(msg), true
	case screen.AnsweredMsg:
		return m.identifyAgain(), true
	case screen.SignInMsg:
		return m.signIn(msg.Command), true
	case overlay.ShowMsg, screen.ExpiredMsg, screen.OpenMsg, screen.BackMsg, screen.QuitMsg, screen.GlobalMsg,
		screen.SessionMsg, screen.EnterMsg, screen.SwitchContextMsg:
		if p != m.top() {
			return nil, true
		}
		return m.navigate(p, msg), true
	}
	return nil, false
}

func (m *Model) navigate(p *place, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case overlay.ShowMsg:
		if m.topBox() == nil {
			m.layers.dialog = msg.Box
		}
	case screen.ExpiredMsg:
		if m.layers.dialog == nil {
			m.layers.dialog, m.dialogs.retryPlace = connection.NewSignIn(msg.Command), p.id
		}
	case screen.OpenMsg:
		if m.topBox() != nil {
			return nil // The user opened a box in the meantime. It belongs to the screen below.
		}
		return m.show(msg.To)
	case screen.BackMsg:
		return m.back()
	case screen.QuitMsg:
		return m.quit()
	case screen.GlobalMsg:
		return msg.Run()
	case screen.SwitchContextMsg:
		return m.switchContext(msg)
	case screen.SessionMsg:
		if cmd, blocked := m.blockIfPending(); blocked { // The open screens belong to the previous session.
			return cmd
		}
		m.goHome()
		return tea.Batch(m.enter(msg), tea.Batch(models.MapSlice(msg.Keys, m.press)...))
	case screen.EnterMsg:
		return m.enterProfile(msg)
	}
	return nil
}

func (m *Model) show(to screen.Target) tea.Cmd {
	if m.env == nil {
		return nil
	}
	editsCmd := m.applyEdits(m.top().screen)
	return tea.Batch(editsCmd, m.push(screens.Open(m.env, to), m.newTabSet(to)))
}

func (m *Model) enter(msg screen.SessionMsg) tea.Cmd {
	ctx, log := screen.Logged(m.o.Context, msg.Workspace.Session.Now)
	m.env = &screen.Env{
		Context: ctx, Log: log, Workspace: msg.Workspace, Styles: m.styles, Keys: m.o.Keys, Global: m.actions, ScanLimit: m.o.ScanLimit,
		Summary: screens.Summary, Editor: m.editorName,
		Now: func() time.Time { return msg.Workspace.Session.Now().In(cmp.Or(m.o.Zone, time.UTC)) },
	}
	m.env.OtherContexts, _ = m.o.Opener.(screen.ContextOpener)
	m.env.Drafts, _ = m.o.Opener.(screen.Drafts)
	m.identity = ""
	startCmds := tea.Batch(m.identify(m.env.Context, msg.Workspace), readBookmarks(msg.Workspace),
		compareTables(m.env.Context, msg.Workspace))
	var first screen.Target = screen.Patterns{}
	if msg.Then != nil {
		first = msg.Then(m.env)
	}
	cmd := tea.Batch(m.show(first), startCmds, m.undoOnEntry())
	if notice := msg.Workspace.History.Notice(); notice != "" {
		cmd = tea.Batch(cmd, m.notify(widget.RoleWarn, notice))
	}
	return cmd
}

func (m *Model) showNotice(msg screen.NoticeMsg) tea.Cmd {
	role := widget.RoleInfo
	if msg.Bad {
		role = widget.RoleBad
	}
	return m.notify(role, msg.Text)
}

func (m *Model) notifyAndKeep(role widget.Role, text string) tea.Cmd {
	cmd := m.notify(role, text)
	m.toasts.Keep()
	return cmd
}

func (m *Model) notify(role widget.Role, text string) tea.Cmd {
	now := m.o.Now()
	if text == m.lastNotice && now.Sub(m.lastNoticeAt) < widget.ToastDuration/2 {
		return nil
	}
	m.lastNotice, m.lastNoticeAt = text, now
	return m.toasts.Push(role, text)
}

// A place is a screen on the stack. The ID in the answers to its commands lets them reach the place even when another
// screen covers it.
type place struct {
	id     uint64
	screen screen.Screen
	tabs   *tabSet // set with this place as a tab, or nil
}

// screenStack contains the open screens, and the screens that the user left by going back.
type screenStack struct {
	stack  []*place // from home to the visible screen
	ahead  []*place // screens to which forward returns; the last one comes first
	lastID uint64   // the last assigned ID
}

func (m *Model) newPlace(s screen.Screen) *place {
	m.screens.lastID++
	return &place{id: m.screens.lastID, screen: s}
}

func (m *Model) top() *place { return m.screens.stack[len(m.screens.stack)-1] }

func (m *Model) isAtHome() bool { return len(m.screens.stack) == 1 }

func (m *Model) push(s screen.Screen, tabs *tabSet) tea.Cmd {
	if cmd, blocked := m.blockIfPending(); blocked {
		s.Close()
		return cmd
	}
	closeAll(m.screens.ahead)
	m.screens.ahead = nil
	p := m.newPlace(s)
	if tabs != nil {
		p.tabs, tabs.places[tabs.bar.Active] = tabs, p
	}
	leaveCmd := m.leave()
	m.screens.stack = append(m.screens.stack, p)
	m.closeOldest()
	m.arrange()
	return tea.Batch(leaveCmd, m.route(p, s.Init()))
}

// maxPlaces is the maximum size of the stack. Users may open hundreds of screens by following links, and each screen
// keeps its data in memory.
const maxPlaces = 64

// closeOldest closes the oldest screens after the first two if the stack exceeds maxPlaces. This is safe because
// no screen can open while a write is pending.
func (m *Model) closeOldest() {
	const first = 2
	if excess := len(m.screens.stack) - maxPlaces; excess > 0 {
		closeAll(m.screens.stack[first : first+excess])
		m.screens.stack = slices.Delete(m.screens.stack, first, first+excess)
	}
}

func (m *Model) back() tea.Cmd {
	if m.isAtHome() {
		return nil
	}
	leaveCmd := m.leave()
	name := m.top().screen.Title()
	m.screens.ahead = append(m.screens.ahead, m.top())
	m.screens.stack = m.screens.stack[:len(m.screens.stack)-1]
	m.arrange()
	if m.isAtHome() {
		leaveCmd = tea.Batch(leaveCmd, m.notifyReturn(name))
	}
	return tea.Batch(leaveCmd, m.watch(true))
}

func (m *Model) forward() tea.Cmd {
	if len(m.screens.ahead) == 0 {
		return nil
	}
	m.maskPersonalData()
	leaveCmd := m.leave()
	m.screens.stack = append(m.screens.stack, m.screens.ahead[len(m.screens.ahead)-1])
	m.screens.ahead = m.screens.ahead[:len(m.screens.ahead)-1]
	m.arrange()
	return tea.Batch(leaveCmd, m.watch(true))
}

func (m *Model) goTo(p *place) tea.Cmd {
	if p == m.top() {
		return nil
	}
	m.maskPersonalData()
	leaveCmd := m.leave()
	places := slices.Clone(m.screens.stack)
	for _, ahead := range slices.Backward(m.screens.ahead) {
		places = append(places, ahead)
	}
	at := slices.Index(places, p)
	if at < 0 {
		return m.watch(true) // The place has closed in the meantime.
	}
	m.screens.stack, m.screens.ahead = places[:at+1:at+1], slices.Clone(places[at+1:])
	slices.Reverse(m.screens.ahead)
	m.arrange()
	return tea.Batch(leaveCmd, m.watch(true))
}

func (m *Model) leave() tea.Cmd {
	m.toasts.Clear()
	m.lastNotice = ""
	return tea.Batch(m.applyEdits(m.top().screen), m.watch(false))
}

func (m *Model) watch(on bool) tea.Cmd {
	p := m.top()
	var cmds []tea.Cmd
	if s, ok := p.screen.(screen.Watcher); ok {
		cmds = append(cmds, m.route(p, s.Watch(on)))
	}
	if s, ok := p.screen.(screen.Remasker); ok && on {
		cmds = append(cmds, m.route(p, s.Remask()))
	}
	return tea.Batch(cmds...)
}

func (m *Model) goHome() tea.Cmd {
	if cmd, blocked := m.blockIfPending(); blocked {
		return cmd
	}
	if m.isAtHome() {
		return nil
	}
	name := m.screens.stack[1].screen.Title()
	return tea.Batch(m.goTo(m.screens.stack[0]), m.notifyReturn(name))
}

func (m *Model) notifyReturn(name string) tea.Cmd {
	const text = "press alt+right to return to "
	room := max(m.w-len(text)-8, 8) // A single line does not cover the rows.
	return m.notify(widget.RoleInfo, text+models.PrintableCell(widget.Shorten(name, room), room))
}

// maskPersonalData masks personal data after the user went home, so that returning to the schema requires a new reason.
func (m *Model) maskPersonalData() {
	if m.env != nil && m.isAtHome() && !m.env.Session.Masker().Hides(models.PII) {
		m.env.Session.Hide()
	}
}

func (m *Model) placeOf(id uint64) *place {
	var found *place
	m.eachPlace(func(p *place) {
		if p.id == id {
			found = p
		}
	})
	return found
}

func (m *Model) close() {
	m.cancelPrompts()
	closeAll(m.screens.stack)
	closeAll(m.screens.ahead)
}

func closeAll(list []*place) {
	for _, p := range list {
		p.eachTab(func(p *place) { p.screen.Close() })
	}
}
