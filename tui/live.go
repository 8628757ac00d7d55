package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// compareWithin limits the comparison of the live tables with the profile.
const compareWithin = 30 * time.Second

// compareTables compares the live tables with the profile in the background. A LiveMsg delivers the result.
func compareTables(ctx context.Context, s *workspace.Workspace) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, compareWithin)
		defer cancel()
		return screen.LiveMsg{Workspace: s, Live: s.Tables.Compare(ctx)}
	}
}

// compared delivers a comparison to home and to every open screen.
func (m *Model) compared(msg screen.LiveMsg) tea.Cmd {
	m.home.Found(msg)
	if m.env == nil || m.env.Workspace != msg.Workspace {
		return nil
	}
	m.env.Live = msg.Live
	var cmds []tea.Cmd
	for _, p := range m.screens.stack[1:] {
		cmds = append(cmds, m.router.route(p, p.screen.Update(msg)))
	}
	return tea.Batch(cmds...)
}
