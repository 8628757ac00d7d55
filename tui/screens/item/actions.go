package item

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/bookmark"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/cases"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// offersAt is the place of the changes of the item among its actions.
const offersAt = 2

// Actions are what can be done here, the most useful first. While a dialog is open, none
// of them is possible.
func (s *itemScreen) Actions() widget.Actions {
	list := slices.Insert(s.env.Keys.Rebind("item", s.makeActions()), offersAt, changer{s}.offerActions()...)
	for i, a := range list {
		switch a.Name {
		case "enter":
			list[i].Desc = s.tab().enter().word
		case "reveal":
			if overlay.Revealing(s.env) {
				list[i].Desc = "mask"
			}
		}
	}
	if s.Box == nil {
		return list
	}
	for i := range list {
		list[i].Disabled = func() string { return "close the open dialog first" }
	}
	return list
}

func (s *itemScreen) opens(box func() overlay.Overlay) func() tea.Cmd {
	return func() tea.Cmd {
		s.Box = box()
		return nil
	}
}

func (s *itemScreen) ofTab(does func(tab) command) (disabled func() string, run func() tea.Cmd) {
	return func() string { return does(s.tab()).why }, func() tea.Cmd { return does(s.tab()).run() }
}

func (s *itemScreen) makeActions() widget.Actions {
	cannotEnter, enter := s.ofTab(tab.enter)
	cannotSearch, search := s.ofTab(tab.search)
	noNext, next := s.ofTab(tab.next)
	noPrevious, previous := s.ofTab(tab.previous)
	list := widget.Actions{
		widget.NewAction("enter", "enter", "open",
			"unfold a document, follow a reference, plan a transition, open an entry, run a related pattern",
			cannotEnter, enter),
		widget.NewAction("change", "o", "change", "list the changes that you can make to the item",
			changer{s}.cannotChange, s.opens(func() overlay.Overlay { return changer{s}.changeMenu() })),
		widget.NewAction("copy", "y", "copy", "copy the value, the item, its key or code that reads it: clipboard, pager, editor, file",
			nil, s.opens(func() overlay.Overlay { return s.copyMenu() })),
		widget.NewAction("export", "E", "", "write the item to a file",
			nil, s.opens(func() overlay.Overlay { return s.newExport() })),
		widget.NewAction("save-case", "T", "", "save the item and its related items in a file, with pseudonyms",
			s.cannotSaveCase, s.saveCase),
		widget.NewAction("reveal", "R", "reveal", "reveal personal data with a reason, or mask it again",
			func() string { return overlay.CannotReveal(s.env) }, s.toggleReveal),
		widget.NewAction("reread", "ctrl+r f5", "", "refresh the item with a strongly consistent read", nil, s.reread),
		{
			Name: "undo", Binding: widget.Bind("u", "u"), Desc: "undo", Long: "undo the last change of this item",
			Danger: true, Disabled: changer{s}.undoDisabled, Run: changer{s}.findUndo,
		},
		widget.NewAction("compare", "=", "compare", "compare the item with another one, or with its state after a change",
			nil, s.compare),
		widget.NewAction("bookmark", "b", "", "bookmark the item; B lists the bookmarks",
			s.cannotBookmark, s.opens(s.bookmarkDialog)),
		widget.NewAction("decode-key", "P", "", "decode the item's key", nil, s.decodeKey),
		{
			Name: "tabs", Binding: widget.Bind("1-7", "1", "2", "3", "4", "5", "6", "7"), Desc: "tabs",
			Long: "overview, keys, lifecycle, timeline, related, issues, raw",
		},
		widget.NewAction("next-tab", "tab", "", "next tab", nil, func() tea.Cmd { return s.turn(1) }),
		widget.NewAction("previous-tab", "shift+tab", "", "previous tab", nil, func() tea.Cmd { return s.turn(-1) }),
		widget.NewAction("search", "/", "search", "search names and values; on Related, filter", cannotSearch, search),
		widget.NewAction("next", "n", "", "next match of the search; older entries of the timeline", noNext, next),
		widget.NewAction("previous", "N", "", "previous match of the search", noPrevious, previous),
	}
	for _, t := range s.tabs {
		for _, a := range t.actions() {
			a.Disabled = func() string {
				if s.tab() != t {
					return "only on the tab " + t.title()
				}
				return ""
			}
			list = append(list, a)
		}
	}
	return list
}

func (s *itemScreen) turn(by int) tea.Cmd {
	s.bar.Active = (s.bar.Active + by + tabCount) % tabCount
	return s.turned()
}

func (s *itemScreen) toggleReveal() tea.Cmd {
	cmd := s.ToggleReveal(s.env, s.table.Name+" "+s.facts.keyText)
	s.checkMasker()
	return cmd
}

func (s *itemScreen) decodeKey() tea.Cmd {
	table, it := s.table, s.item
	return screen.Open(screen.Decode{Spell: func(masker *models.Masker) string { return table.KeyText(masker.Item(table, it)) }})
}

func (s *itemScreen) compare() tea.Cmd {
	with := screen.Compare{Table: s.table, Item: s.item, Rows: s.among, As: "as it is"}
	switch s.read.state {
	case readGone:
		with.As = "as it was"
	case readNone, readRunning, readFailed, readCancelled:
		with.As = "as the list showed it"
	case readDone:
	}
	if !models.EqualItems(s.row, s.item) {
		with.Row = s.row
	}
	return screen.Open(with)
}

func (s *itemScreen) copyMenu() *output.TakeMenu {
	var pieces []output.Piece
	if path, value, ok := s.overview.selected(); ok && s.tab() == tab(s.overview) {
		pieces = append(pieces, output.ValuePiece(path, value))
	}
	pieces = append(pieces, output.ItemPieces(s.env, s.table, s.item, s.fileName())...)
	section := ""
	if at := s.bar.Active; at > 0 {
		section = link.Sections()[at]
	}
	pieces = append(pieces, output.LinkPiece("link to this item", section, func() (link.Link, error) {
		return link.OfItem(s.env.Session.Viewer, s.table, s.item, section)
	}))
	return output.NewTakeMenu(s.env, &s.Host, append(pieces, output.ReadingPieces(s.env, s.table, s.item)...))
}

func (s *itemScreen) fileName() string { return s.facts.name + "-" + s.facts.filed }

func (s *itemScreen) newExport() overlay.Overlay {
	return output.NewExport(s.env, output.Exporting{Title: "Export the item", Name: s.fileName(), What: items.Export{
		Table: s.table, Items: []models.Item{s.item}, Single: true,
	}})
}

func (s *itemScreen) cannotSaveCase() string {
	if s.facts.entity == nil {
		return "the item matches no entity"
	}
	return ""
}

func (s *itemScreen) saveCase() tea.Cmd {
	key, _ := s.table.PrimaryKey(s.item)
	dialog, cmd := cases.New(s.env, link.Place{Entity: s.facts.entity, Key: key}, s.fileName())
	s.Box = dialog
	return cmd
}

func (s *itemScreen) bookmarkDialog() overlay.Overlay {
	if name := bookmark.ItemMarked(s.env.Workspace, s.table, s.item); name != "" {
		return bookmark.NewUnmark(s.env, name)
	}
	mark, _ := s.env.Bookmarks.NewItem("", s.table, s.item) // cannotBookmark has reported the error.
	suggested := strings.TrimSpace(s.facts.name + " " + s.facts.filed)
	return bookmark.NewNaming(s.env, "Bookmark this item", "Bookmark", suggested, "", func(name string) tea.Cmd {
		mark.Name = name
		return bookmark.SaveBookmark(s.env, mark)
	}, "The bookmark contains the key and nothing else of the item.")
}

func (s *itemScreen) cannotBookmark() string {
	if _, err := s.env.Bookmarks.NewItem("", s.table, s.item); err != nil {
		return err.Error()
	}
	return ""
}
