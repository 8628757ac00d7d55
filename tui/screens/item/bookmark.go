package item

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/dialogs/bookmark"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// bookmark gives the item a name, or takes it away again.
func (s *itemScreen) bookmark() tea.Cmd {
	mark, err := s.env.Session.ItemBookmark("", s.table, s.item)
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	if name := bookmark.ItemMarked(s.env.Session, s.table, s.item); name != "" {
		s.Box = bookmark.NewUnmark(s.env, name)
		return nil
	}
	on := s.env.Session
	s.Box = bookmark.NewNaming(s.env, "Bookmark this item", "Bookmark", strings.TrimSpace(s.facts.name+" "+s.facts.filed), "", func(name string) tea.Cmd {
		mark.Name = name
		return bookmark.SaveBookmark(on, mark)
	}, "The key is written down, nothing else of the item.")
	return nil
}

// cannotBookmark says why the item cannot be bookmarked.
func (s *itemScreen) cannotBookmark() string {
	if _, err := s.env.Session.ItemBookmark("", s.table, s.item); err != nil {
		return err.Error()
	}
	return ""
}
