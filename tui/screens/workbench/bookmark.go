package workbench

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/dialogs/bookmark"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
)

// bookmarkBox asks for the name of the workbench's question, or whether to take
// its bookmark away.
func (ra *rowActions) bookmarkBox() overlay.Overlay {
	p, s := ra.b.job.pattern, ra.b.env.Workspace
	mark, left := s.Bookmarks.NewQuery("", p, ra.b.job.args())
	if name := bookmark.QueryMarked(s, p, mark.Args); name != "" {
		return bookmark.NewUnmark(ra.b.env, name)
	}
	text := []string{present.QueryTitle(ra.b.env, p, mark.Args) + "."}
	if len(left) > 0 {
		text = append(
			text,
			strings.Join(left, ", ")+": not written down, it may be personal data. It is asked when the bookmark is opened.",
		)
	}
	return bookmark.NewNaming(ra.b.env, "Bookmark this question", "Bookmark", "", "", func(name string) tea.Cmd {
		mark.Name = name
		return bookmark.SaveBookmark(ra.b.env, mark)
	}, text...)
}

// bookmark gives what is asked a name.
func (ra *rowActions) bookmark() tea.Cmd {
	ra.b.Box = ra.bookmarkBox()
	return nil
}

// cannotBookmark says why there is nothing to give a name to.
func (ra *rowActions) cannotBookmark() string {
	if ra.b.job == nil || !ra.b.job.pattern.IsRead() {
		return "only what reads can be bookmarked"
	}
	return ""
}

// Pastes reports whether the form takes what is pasted.
func (b *Workbench) Pastes() bool {
	return b.focus == paneForm && b.job != nil && b.job.form.Len() > 0
}
