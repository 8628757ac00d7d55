package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func readBookmarks(s *workspace.Workspace) tea.Cmd {
	return func() tea.Msg {
		_, _ = s.Bookmarks.Read() // The workspace caches them.
		return nil
	}
}

// identityWithin limits the identity request. Until it is answered, the top bar shows the actor of the journal.
const identityWithin = 10 * time.Second

type identifiedMsg struct {
	session *workspace.Workspace
	name    string
}

func identify(ctx context.Context, s *workspace.Workspace) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, identityWithin)
		defer cancel()
		name, err := s.Session.Who(ctx)
		if err != nil { // The first request of a screen shows the error.
			if offer := connection.OfferSignIn(err); offer != nil {
				return offer()
			}
			return nil
		}
		return identifiedMsg{s, name}
	}
}

func (m *Model) identified(msg identifiedMsg) {
	if m.env != nil && m.env.Workspace == msg.session {
		m.identity = msg.name
	}
}

func (m *Model) who() string {
	if m.identity != "" {
		return m.identity
	}
	return m.env.Session.ActorName()
}

// compareWithin limits the comparison of the live tables with the profile.
const compareWithin = 30 * time.Second

func compareTables(ctx context.Context, s *workspace.Workspace) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, compareWithin)
		defer cancel()
		return screen.LiveMsg{Workspace: s, Live: s.Tables.Compare(ctx)}
	}
}

func (m *Model) compared(msg screen.LiveMsg) tea.Cmd {
	m.home.Found(msg)
	if m.env == nil || m.env.Workspace != msg.Workspace {
		return nil
	}
	m.env.Live = msg.Live
	var cmds []tea.Cmd
	for _, p := range m.screens.stack[1:] {
		cmds = append(cmds, m.route(p, p.screen.Update(msg)))
	}
	return tea.Batch(cmds...)
}
