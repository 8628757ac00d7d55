package item

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/dialogs/bookmark"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// bookmark gives the item a name, or takes it away again.
func (ia *itemActions) bookmark() tea.Cmd {
	mark, err := ia.s.env.Bookmarks.NewItem("", ia.s.table, ia.s.item)
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	if name := bookmark.ItemMarked(ia.s.env.Workspace, ia.s.table, ia.s.item); name != "" {
		ia.s.Box = bookmark.NewUnmark(ia.s.env, name)
		return nil
	}
	ia.s.Box = bookmark.NewNaming(ia.s.env, "Bookmark this item", "Bookmark", strings.TrimSpace(ia.s.facts.name+" "+ia.s.facts.filed), "", func(name string) tea.Cmd {
		mark.Name = name
		return bookmark.SaveBookmark(ia.s.env, mark)
	}, "The key is written down, nothing else of the item.")
	return nil
}

// cannotBookmark says why the item cannot be bookmarked.
func (ia *itemActions) cannotBookmark() string {
	if _, err := ia.s.env.Bookmarks.NewItem("", ia.s.table, ia.s.item); err != nil {
		return err.Error()
	}
	return ""
}
