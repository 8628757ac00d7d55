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
	m       *Model
	entered bool // to be found in the session that home opens
}

func (u *undoing) cannot() string {
	if u.m.screens.atHome() {
		return u.m.guards.noProfile("journal")()
	}
	if err := u.m.env.Session.CanUndo(); err != nil {
		return err.Error()
	}
	if b, boxed := u.m.screens.top().screen.(interface{ Boxed() bool }); boxed && b.Boxed() {
		return "close the open dialog first"
	}
	return ""
}

func (u *undoing) begun() tea.Cmd {
	if !u.entered {
		return nil
	}
	u.entered = false
	if why := u.cannot(); why != "" {
		return u.m.say(widget.RoleInfo, why)
	}
	return u.find()
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

func (u *undoing) find() tea.Cmd {
	if u.entered = u.m.screens.atHome(); u.entered {
		return u.m.open(screen.Journal{})
	}
	at, from := u.m.screens.top(), u.m.env.Workspace
	return func() tea.Msg {
		past, plan, found, err := from.Journal.Last()
		return undoFoundMsg{at, from, past, plan, found, err}
	}
}

// found does nothing if the user went on meanwhile.
func (u *undoing) found(msg undoFoundMsg) tea.Cmd {
	if u.m.detached() || msg.from != u.m.env.Workspace || msg.place != u.m.screens.top() || u.m.layers.top() != nil || u.cannot() != "" {
		return nil
	}
	var refusal *session.Refusal
	switch {
	case errors.As(msg.err, &refusal):
		return u.m.say(widget.RoleInfo, refusal.Error())
	case msg.err != nil:
		return u.m.say(widget.RoleBad, "the journal cannot be read: "+msg.err.Error())
	case !msg.found:
		return u.m.say(widget.RoleInfo, "no change to undo: none was made from this machine")
	}
	s, ok := msg.place.screen.(screen.Undoer)
	var cmd tea.Cmd
	if !ok {
		cmd = u.m.show(screen.Journal{})
		s = u.m.screens.top().screen.(screen.Undoer)
	}
	s.Undo(msg.past, msg.plan)
	return cmd
}
