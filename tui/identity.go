package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
)

// identityWithin limits the identity request. Until it is answered, the top bar shows the actor of the journal.
const identityWithin = 10 * time.Second

type identifiedMsg struct {
	session *workspace.Workspace
	name    string
}

// identify requests the identity of the session's credentials in the background.
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

// identified stores the identity if the session is still current.
func (m *Model) identified(msg identifiedMsg) {
	if m.env != nil && m.env.Workspace == msg.session {
		m.identity = msg.name
	}
}

// who is the identity in the top bar.
func (m *Model) who() string {
	if m.identity != "" {
		return m.identity
	}
	return m.env.Session.ActorName()
}
