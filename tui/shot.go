package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
)

// isShot reports whether a key copies the screen. It works everywhere except in a global dialog.
func (d *consoleDialogs) isShot(msg tea.KeyPressMsg) bool {
	a, ok := d.m.actions.Match(msg)
	return ok && a.Name == "screen-to-file" && d.dialog == nil
}

// openShot opens the dialog that copies the current frame.
func (d *consoleDialogs) openShot() tea.Cmd {
	if d.dialog != nil {
		return nil
	}
	var on *workspace.Workspace
	if !d.m.detached() {
		on = d.m.env.Workspace
	}
	d.dialog = output.NewShot(d.m.o.Context, d.m.styles, output.Shot{
		Frame: d.m.frame.viewAll(), W: d.m.w, H: d.m.h, Dark: d.m.look.dark, Title: app + "-screen",
	}, d.m.o.Now, on)
	return nil
}
