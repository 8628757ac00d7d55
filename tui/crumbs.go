package tui

import tea "charm.land/bubbletea/v2"

// clickCrumb goes to the screen whose breadcrumb was clicked. The name of the program and the first breadcrumb go home.
func (fr *frame) clickCrumb(x int) tea.Cmd {
	i, ok := fr.topBar().CrumbAt(x, fr.m.w)
	switch {
	case !ok && fr.m.dialogs.noContexts() == "":
		return fr.m.dialogs.openContexts() // The click is on the connection.
	case !ok || fr.m.screens.atHome():
		return nil
	}
	if cmd, held := fr.m.hold.stay(); held {
		return cmd
	}
	if fr.m.detached() {
		return fr.m.screens.goHome()
	}
	return fr.m.screens.goTo(fr.m.screens.stack[min(max(i, 0), len(fr.m.screens.stack)-1)])
}
