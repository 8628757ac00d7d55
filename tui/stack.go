package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A place is a screen on the stack. Its ID tags the answers to its commands, so that they reach it
// when it is no longer on top.
type place struct {
	id     uint64
	screen screen.Screen
}

// screenStack holds the open screens, from home to the visible one, and the screens ahead of it.
type screenStack struct {
	stack  []*place // from home to the visible screen
	ahead  []*place // the screens that forward returns to, the next one last
	places uint64   // the last ID
}

func (m *Model) newPlace(s screen.Screen) *place {
	m.screens.places++
	return &place{m.screens.places, s}
}

func (m *Model) top() *place { return m.screens.stack[len(m.screens.stack)-1] }

func (m *Model) atHome() bool { return len(m.screens.stack) == 1 }

func (m *Model) push(s screen.Screen) tea.Cmd {
	if cmd, held := m.holdBack(); held {
		s.Close()
		return cmd
	}
	closeAll(m.screens.ahead)
	m.screens.ahead = nil
	p := m.newPlace(s)
	left := m.leave()
	m.screens.stack = append(m.screens.stack, p)
	m.forgetSession()
	m.arrange()
	return tea.Batch(left, m.route(p, s.Init()))
}

// mostPlaces limits the stack. Each screen keeps its rows or its item in memory, and following links
// opens hundreds of screens.
const mostPlaces = 64

// forgetSession is safe because no screen is pushed while a write is pending.
func (m *Model) forgetSession() {
	const first = 2
	if more := len(m.screens.stack) - mostPlaces; more > 0 {
		closeAll(m.screens.stack[first : first+more])
		m.screens.stack = slices.Delete(m.screens.stack, first, first+more)
	}
}

func (m *Model) back() tea.Cmd {
	if m.atHome() {
		return nil
	}
	left := m.leave()
	name := m.top().screen.Title()
	m.screens.ahead = append(m.screens.ahead, m.top())
	m.screens.stack = m.screens.stack[:len(m.screens.stack)-1]
	m.arrange()
	if m.atHome() {
		left = tea.Batch(left, m.say(widget.RoleInfo, "press alt+right to return to "+models.PrintableCell(name, 40)))
	}
	return tea.Batch(left, m.watch(true))
}

func (m *Model) forward() tea.Cmd {
	if len(m.screens.ahead) == 0 {
		return nil
	}
	m.conceal()
	left := m.leave()
	m.screens.stack = append(m.screens.stack, m.screens.ahead[len(m.screens.ahead)-1])
	m.screens.ahead = m.screens.ahead[:len(m.screens.ahead)-1]
	m.arrange()
	return tea.Batch(left, m.watch(true))
}

func (m *Model) goTo(p *place) tea.Cmd {
	if p == m.top() {
		return nil
	}
	m.conceal()
	left := m.leave()
	way := slices.Clone(m.screens.stack)
	for _, ahead := range slices.Backward(m.screens.ahead) {
		way = append(way, ahead)
	}
	at := slices.Index(way, p)
	if at < 0 {
		return m.watch(true) // It was closed in the meantime.
	}
	m.screens.stack, m.screens.ahead = way[:at+1:at+1], slices.Clone(way[at+1:])
	slices.Reverse(m.screens.ahead)
	m.arrange()
	return tea.Batch(left, m.watch(true))
}

func (m *Model) leave() tea.Cmd {
	m.toasts.Clear()
	m.said = ""
	return tea.Batch(m.takeEdits(m.top().screen), m.watch(false))
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
	if cmd, held := m.holdBack(); held {
		return cmd
	}
	for !m.atHome() {
		m.back()
	}
	return nil
}

// conceal hides personal data on the home screen: a user who returns to the profile gives a new reason.
func (m *Model) conceal() {
	if m.env != nil && m.atHome() && !m.env.Session.Masker().Hides(models.PII) {
		m.env.Session.Hide()
	}
}

func (m *Model) placeOf(id uint64) *place {
	for _, list := range [][]*place{m.screens.stack, m.screens.ahead} {
		for _, p := range list {
			if p.id == id {
				return p
			}
		}
	}
	return nil
}

func (m *Model) close() {
	m.cancelPrompts()
	closeAll(m.screens.stack)
	closeAll(m.screens.ahead)
}

func closeAll(list []*place) {
	for _, p := range list {
		p.screen.Close()
	}
}
