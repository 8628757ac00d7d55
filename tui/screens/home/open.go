package home

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Profiles are those that the console has, none until they were read.
func (h *Home) Profiles() []*profiles.Profile { return h.profiles }

// Enter connects a profile and opens a screen of it, as OpenThen does for the
// chosen one.
func (h *Home) Enter(p *profiles.Profile, then func(*screen.Env) screen.Target) tea.Cmd {
	h.Cancel()
	h.list.SetFilter("")
	if !h.list.Select(p.Name) {
		return screen.Send(screen.NoticeMsg{Text: "there is no profile " + models.Printable(p.Name), Bad: true})
	}
	h.refresh()
	return h.OpenThen(then)
}
