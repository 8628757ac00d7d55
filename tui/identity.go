package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
)

// identityWithin is how long the store is waited for. Until then, and when it
// does not answer, the bar names the actor of the journal.
const identityWithin = 10 * time.Second

type identifiedMsg struct {
	session *workspace.Workspace
	name    string
}

// identify asks in the background whose credentials the session uses.
func identify(ctx context.Context, s *workspace.Workspace) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, identityWithin)
		defer cancel()
		name, err := s.Session.Who(ctx)
		if err != nil { // The first request of a screen says what is wrong.
			if offer := connection.OfferSignIn(err); offer != nil {
				return offer()
			}
			return nil
		}
		return identifiedMsg{s, name}
	}
}

// identified keeps the name if the session is still the one in use.
func (m *Model) identified(msg identifiedMsg) {
	if m.env != nil && m.env.Workspace == msg.session {
		m.identity = msg.name
	}
}

// who is the name in the top line.
func (m *Model) who() string {
	if m.identity != "" {
		return m.identity
	}
	return m.env.Session.ActorName()
}
