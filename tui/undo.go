package tui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// undoing undoes the last change from any screen.
type undoing struct {
	entered bool // to be found in the session that home opens
}

func (m *Model) cannotUndo() string {
	if m.atHome() {
		return m.noProfile("journal")()
	}
	if err := m.env.Session.CanUndo(); err != nil {
		return err.Error()
	}
	if b, boxed := m.top().screen.(interface{ Boxed() bool }); boxed && b.Boxed() {
		return "close the open dialog first"
	}
	return ""
}

func (m *Model) tourBegun() tea.Cmd {
	if !m.undo.entered {
		return nil
	}
	m.undo.entered = false
	if why := m.cannotUndo(); why != "" {
		return m.say(widget.RoleInfo, why)
	}
	return m.findUndo()
}

// undoFoundMsg is the change to undo, for the screen that was visible.
type undoFoundMsg struct {
	place *place
	from  *workspace.Workspace
	past  changes.PastChange
	plan  *change.Plan
	found bool
	err   error
}

func (m *Model) findUndo() tea.Cmd {
	if m.undo.entered = m.atHome(); m.undo.entered {
		return m.open(screen.Journal{})
	}
	at, from := m.top(), m.env.Workspace
	return func() tea.Msg {
		past, plan, found, err := from.Journal.Last()
		return undoFoundMsg{at, from, past, plan, found, err}
	}
}

// undoFound does nothing if the user went on meanwhile.
func (m *Model) undoFound(msg undoFoundMsg) tea.Cmd {
	if m.detached() || msg.from != m.env.Workspace || msg.place != m.top() || m.topBox() != nil || m.cannotUndo() != "" {
		return nil
	}
	var refusal *session.Refusal
	switch {
	case errors.As(msg.err, &refusal):
		return m.say(widget.RoleInfo, refusal.Error())
	case msg.err != nil:
		return m.say(widget.RoleBad, "the journal cannot be read: "+msg.err.Error())
	case !msg.found:
		return m.say(widget.RoleInfo, "no change to undo: none was made from this machine")
	}
	s, ok := msg.place.screen.(screen.Undoer)
	var cmd tea.Cmd
	if !ok {
		cmd = m.show(screen.Journal{})
		s = m.top().screen.(screen.Undoer)
	}
	s.Undo(msg.past, msg.plan)
	return cmd
}
