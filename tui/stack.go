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
	m *Model

	stack  []*place // from home to the visible screen
	ahead  []*place // the screens that forward returns to, the next one last
	places uint64   // the last ID
}

func (st *screenStack) newPlace(s screen.Screen) *place {
	st.places++
	return &place{st.places, s}
}

func (st *screenStack) top() *place { return st.stack[len(st.stack)-1] }

func (st *screenStack) atHome() bool { return len(st.stack) == 1 }

func (st *screenStack) push(s screen.Screen) tea.Cmd {
	if cmd, held := st.m.hold.stay(); held {
		s.Close()
		return cmd
	}
	closeAll(st.ahead)
	st.ahead = nil
	p := st.newPlace(s)
	left := st.leave()
	st.stack = append(st.stack, p)
	st.forget()
	st.m.arrange()
	return tea.Batch(left, st.m.router.route(p, s.Init()))
}

// mostPlaces limits the stack. Each screen keeps its rows or its item in memory, and following links
// opens hundreds of screens.
const mostPlaces = 64

// forget is safe because no screen is pushed while a write is pending.
func (st *screenStack) forget() {
	const first = 2
	if more := len(st.stack) - mostPlaces; more > 0 {
		closeAll(st.stack[first : first+more])
		st.stack = slices.Delete(st.stack, first, first+more)
	}
}

func (st *screenStack) back() tea.Cmd {
	if st.atHome() {
		return nil
	}
	left := st.leave()
	name := st.top().screen.Title()
	st.ahead = append(st.ahead, st.top())
	st.stack = st.stack[:len(st.stack)-1]
	st.m.arrange()
	if st.atHome() {
		left = tea.Batch(left, st.m.say(widget.RoleInfo, "press ] to return to "+models.PrintableCell(name, 40)))
	}
	return tea.Batch(left, st.watch(true))
}

func (st *screenStack) forward() tea.Cmd {
	if len(st.ahead) == 0 {
		return nil
	}
	st.conceal()
	left := st.leave()
	st.stack = append(st.stack, st.ahead[len(st.ahead)-1])
	st.ahead = st.ahead[:len(st.ahead)-1]
	st.m.arrange()
	return tea.Batch(left, st.watch(true))
}

func (st *screenStack) goTo(p *place) tea.Cmd {
	if p == st.top() {
		return nil
	}
	st.conceal()
	left := st.leave()
	way := slices.Clone(st.stack)
	for _, ahead := range slices.Backward(st.ahead) {
		way = append(way, ahead)
	}
	at := slices.Index(way, p)
	if at < 0 {
		return st.watch(true) // It was closed in the meantime.
	}
	st.stack, st.ahead = way[:at+1:at+1], slices.Clone(way[at+1:])
	slices.Reverse(st.ahead)
	st.m.arrange()
	return tea.Batch(left, st.watch(true))
}

func (st *screenStack) leave() tea.Cmd {
	st.m.toasts.Clear()
	st.m.said = ""
	return tea.Batch(st.m.reload.take(st.top().screen), st.watch(false))
}

func (st *screenStack) watch(on bool) tea.Cmd {
	p := st.top()
	var cmds []tea.Cmd
	if s, ok := p.screen.(screen.Watcher); ok {
		cmds = append(cmds, st.m.router.route(p, s.Watch(on)))
	}
	if s, ok := p.screen.(screen.Remasker); ok && on {
		cmds = append(cmds, st.m.router.route(p, s.Remask()))
	}
	return tea.Batch(cmds...)
}

func (st *screenStack) goHome() tea.Cmd {
	if cmd, held := st.m.hold.stay(); held {
		return cmd
	}
	for !st.atHome() {
		st.back()
	}
	return nil
}

// conceal hides personal data on the home screen: a user who returns to the profile gives a new reason.
func (st *screenStack) conceal() {
	if st.m.env != nil && st.atHome() && !st.m.env.Session.Masker().Hides(models.PII) {
		st.m.env.Session.Hide()
	}
}

func (st *screenStack) find(id uint64) *place {
	for _, list := range [][]*place{st.stack, st.ahead} {
		for _, p := range list {
			if p.id == id {
				return p
			}
		}
	}
	return nil
}

func (st *screenStack) close() {
	st.m.dialogs.cancelPrompts()
	closeAll(st.stack)
	closeAll(st.ahead)
}

func closeAll(list []*place) {
	for _, p := range list {
		p.screen.Close()
	}
}
