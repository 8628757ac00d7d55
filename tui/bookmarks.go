package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// readBookmarks reads the bookmarks in the background, for the palette. The bookmarks screen shows the
// errors of the file.
func readBookmarks(s *workspace.Workspace) tea.Cmd {
	return func() tea.Msg {
		_, _ = s.Bookmarks.Read() // The workspace caches them.
		return nil
	}
}
