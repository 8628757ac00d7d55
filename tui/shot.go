// This file takes a picture of the screen, from wherever one is.

package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
)

// isShot reports whether a key asks for the screen itself: it counts everywhere
// but in a dialog of the console.
func (m *Model) isShot(msg tea.KeyPressMsg) bool {
	a, ok := m.actions.Match(msg)
	return ok && a.Name == "screen-to-file" && m.dialog == nil
}

// openShot offers what is on the screen at this moment.
func (m *Model) openShot() tea.Cmd {
	if m.dialog != nil {
		return nil
	}
	var on *session.Session
	if !m.detached() {
		on = m.env.Session
	}
	m.dialog = output.NewShot(m.styles, output.Shot{
		Frame: m.viewAll(), W: m.w, H: m.h, Dark: m.dark, Title: app + "-screen",
	}, m.o.Now, on)
	return nil
}
