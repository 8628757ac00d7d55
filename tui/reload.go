package tui

import (
	"fmt"
	"reflect"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// profilesEditedMsg says that files of profiles changed.
type profilesEditedMsg struct{}

func (m *Model) listenForEdits() tea.Cmd {
	edits := m.o.Edits
	if edits == nil {
		return nil
	}
	return func() tea.Msg {
		if _, ok := <-edits; !ok {
			return nil
		}
		return profilesEditedMsg{}
	}
}

func (m *Model) read() tea.Cmd {
	return tea.Batch(m.route(m.screens.stack[0], m.home.Refresh()), m.listenForEdits())
}

func (m *Model) edited(msg screen.EditedMsg) tea.Cmd {
	var said tea.Cmd
	if msg.Err != nil {
		said = m.say(widget.RoleBad, faultNotice(msg.Err))
	}
	if m.env == nil {
		return said
	}
	old := m.env.Session.Profile()
	for _, p := range msg.Profiles {
		if p.Name == old.Name && p.Digest() != old.Digest() {
			return tea.Batch(said, m.useProfiles(p, old))
		}
	}
	return said
}

func (m *Model) takeEdits(s screen.Screen) tea.Cmd {
	editor, ok := s.(screen.ProfileEditor)
	if !ok {
		return nil
	}
	p := editor.Edited()
	if p == nil {
		return nil
	}
	return tea.Batch(m.useProfiles(p, m.env.Session.Profile()), m.route(m.screens.stack[0], m.home.Refresh()))
}

// useProfiles reconnects a profile whose connection was checked against the guardrails of the old version.
func (m *Model) useProfiles(p, old *profiles.Profile) tea.Cmd {
	if !reflect.DeepEqual(p.Guardrails, old.Guardrails) {
		return m.say(widget.RoleWarn, fmt.Sprintf("the guardrails of %s changed; reopen it from the home screen", p.Name))
	}
	w := m.env.With(p)
	env := *m.env
	env.Workspace, env.Live = w, nil
	m.env = &env
	m.home.Renew(w)
	return tea.Batch(
		m.say(widget.RoleGood, fmt.Sprintf("Reloaded %s; it applies to screens opened from now on", p.Name)),
		readBookmarks(w), compareTables(m.o.Context, w), m.identifyAgain(),
	)
}

func faultNotice(err error) string {
	first, rest, more := strings.Cut(err.Error(), "\n")
	if more {
		first += fmt.Sprintf(" (and %d more)", strings.Count(rest, "\n")+1)
	}
	return first + "; the previous version stays in use"
}
