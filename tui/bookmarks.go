package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// readBookmarks reads the bookmarks in the background: the palette offers them.
// What is wrong with their file is said on their screen.
func readBookmarks(s *workspace.Workspace) tea.Cmd {
	return func() tea.Msg {
		_, _ = s.Bookmarks.Read() // Session.Marked has them from now on.
		return nil
	}
}
