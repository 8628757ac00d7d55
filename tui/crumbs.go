// This file takes clicks on the path in the top line.

package tui

import tea "charm.land/bubbletea/v2"

// clickCrumb goes to the screen whose crumb was clicked: the first one, and the
// program's name, are home.
func (m *Model) clickCrumb(x int) tea.Cmd {
	i, ok := m.topBar().CrumbAt(x, m.w)
	switch {
	case !ok && m.noContexts() == "":
		return m.openContexts() // It is on what one is connected to.
	case !ok || m.atHome():
		return nil
	}
	if cmd, held := m.stay(); held {
		return cmd
	}
	if m.detached() {
		return m.goHome()
	}
	return m.goTo(m.stack[min(max(i, 0), len(m.stack)-1)])
}
