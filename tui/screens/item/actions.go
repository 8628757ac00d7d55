package item

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/exporter"
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
	list := slices.Insert(s.env.Keys.Rebind("item", s.does.makeActions()), offersAt, changer{s}.offerActions()...)
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

func (ia *itemActions) opens(box func() overlay.Overlay) func() tea.Cmd {
	return func() tea.Cmd {
		ia.s.Box = box()
		return nil
	}
}

func (ia *itemActions) ofTab(does func(tab) command) (disabled func() string, run func() tea.Cmd) {
	return func() string { return does(ia.s.tab()).why }, func() tea.Cmd { return does(ia.s.tab()).run() }
}

func (ia *itemActions) makeActions() widget.Actions {
	cannotEnter, enter := ia.ofTab(tab.enter)
	cannotSearch, search := ia.ofTab(tab.search)
	noNext, next := ia.ofTab(tab.next)
	noPrevious, previous := ia.ofTab(tab.previous)
	list := widget.Actions{
		widget.NewAction("enter", "enter", "open",
			"unfold a document, follow a reference, plan a transition, open an entry, run a related pattern",
			cannotEnter, enter),
		widget.NewAction("change", "o", "change", "list the changes that you can make to the item",
			changer{ia.s}.cannotChange, ia.opens(func() overlay.Overlay { return changer{ia.s}.changeMenu() })),
		widget.NewAction("copy", "y", "copy", "copy the value, the item, its key or code that reads it: clipboard, pager, editor, file",
			nil, ia.opens(func() overlay.Overlay { return ia.copyMenu() })),
		widget.NewAction("export", "E", "", "write the item to a file",
			nil, ia.opens(func() overlay.Overlay { return ia.newExport() })),
		widget.NewAction("save-case", "T", "", "save the item and its related items in a file, with pseudonyms",
			ia.cannotSaveCase, ia.saveCase),
		widget.NewAction("reveal", "R", "reveal", "reveal personal data with a reason, or mask it again",
			func() string { return overlay.CannotReveal(ia.s.env) }, ia.toggleReveal),
		widget.NewAction("reread", "ctrl+r f5", "", "refresh the item with a strongly consistent read", nil, ia.s.reread),
		{
			Name: "undo", Binding: widget.Bind("u", "u"), Desc: "undo", Long: "undo the last change of this item",
			Danger: true, Disabled: changer{ia.s}.undoDisabled, Run: changer{ia.s}.findUndo,
		},
		widget.NewAction("compare", "=", "compare", "compare the item with another one, or with its state after a change",
			nil, ia.compare),
		widget.NewAction("bookmark", "b", "", "bookmark the item; B lists the bookmarks",
			ia.cannotBookmark, ia.opens(ia.bookmarkDialog)),
		widget.NewAction("decode-key", "P", "", "decode the item's key", nil, ia.decodeKey),
		{
			Name: "tabs", Binding: widget.Bind("1-7", "1", "2", "3", "4", "5", "6", "7"), Desc: "tabs",
			Long: "overview, keys, lifecycle, timeline, related, issues, raw",
		},
		widget.NewAction("next-tab", "tab", "", "next tab", nil, func() tea.Cmd { return ia.s.turn(1) }),
		widget.NewAction("previous-tab", "shift+tab", "", "previous tab", nil, func() tea.Cmd { return ia.s.turn(-1) }),
		widget.NewAction("search", "/", "search", "search names and values; on Related, filter", cannotSearch, search),
		widget.NewAction("next", "n", "", "next match of the search; older entries of the timeline", noNext, next),
		widget.NewAction("previous", "N", "", "previous match of the search", noPrevious, previous),
	}
	for _, t := range ia.s.tabs {
		for _, a := range t.actions() {
			a.Disabled = func() string {
				if ia.s.tab() != t {
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

func (ia *itemActions) toggleReveal() tea.Cmd {
	cmd := ia.s.ToggleReveal(ia.s.env, ia.s.table.Name+" "+ia.s.facts.keyText)
	ia.s.checkMasker()
	return cmd
}

func (ia *itemActions) decodeKey() tea.Cmd {
	table, it := ia.s.table, ia.s.item
	return screen.Open(screen.Decode{Spell: func(masker *models.Masker) string { return table.KeyText(masker.Item(table, it)) }})
}

func (ia *itemActions) compare() tea.Cmd {
	with := screen.Compare{Table: ia.s.table, Item: ia.s.item, Rows: ia.s.among, As: "as it is"}
	switch ia.s.read.state {
	case readGone:
		with.As = "as it was"
	case readNone, readRunning, readFailed, readCancelled:
		with.As = "as the list showed it"
	case readDone:
	}
	if !models.EqualItems(ia.s.row, ia.s.item) {
		with.Row = ia.s.row
	}
	return screen.Open(with)
}

func (ia *itemActions) copyMenu() *output.TakeMenu {
	var pieces []output.Piece
	if path, value, ok := ia.s.overview.selected(); ok && ia.s.tab() == tab(ia.s.overview) {
		pieces = append(pieces, output.ValuePiece(path, value))
	}
	pieces = append(pieces, output.ItemPieces(ia.s.env, ia.s.table, ia.s.item, ia.fileName())...)
	section := ""
	if at := ia.s.bar.Active; at > 0 {
		section = link.Sections()[at]
	}
	pieces = append(pieces, output.LinkPiece("link to this item", section, func() (link.Link, error) {
		return link.OfItem(ia.s.env.Session.Viewer, ia.s.table, ia.s.item, section)
	}))
	return output.NewTakeMenu(ia.s.env, &ia.s.Host, append(pieces, output.ReadingPieces(ia.s.env, ia.s.table, ia.s.item)...))
}

func (ia *itemActions) fileName() string { return ia.s.facts.name + "-" + ia.s.facts.filed }

func (ia *itemActions) newExport() overlay.Overlay {
	return output.NewExport(ia.s.env, output.Exporting{Title: "Export the item", Name: ia.fileName(), What: exporter.Export{
		Table: ia.s.table, Items: []models.Item{ia.s.item}, Single: true,
	}})
}

func (ia *itemActions) cannotSaveCase() string {
	if ia.s.facts.entity == nil {
		return "the item matches no entity"
	}
	return ""
}

func (ia *itemActions) saveCase() tea.Cmd {
	key, _ := ia.s.table.PrimaryKey(ia.s.item)
	dialog, cmd := cases.New(ia.s.env, link.Place{Entity: ia.s.facts.entity, Key: key}, ia.fileName())
	ia.s.Box = dialog
	return cmd
}

func (ia *itemActions) bookmarkDialog() overlay.Overlay {
	if name := bookmark.ItemMarked(ia.s.env.Workspace, ia.s.table, ia.s.item); name != "" {
		return bookmark.NewUnmark(ia.s.env, name)
	}
	mark, _ := ia.s.env.Bookmarks.NewItem("", ia.s.table, ia.s.item) // cannotBookmark has reported the error.
	suggested := strings.TrimSpace(ia.s.facts.name + " " + ia.s.facts.filed)
	return bookmark.NewNaming(ia.s.env, "Bookmark this item", "Bookmark", suggested, "", func(name string) tea.Cmd {
		mark.Name = name
		return bookmark.SaveBookmark(ia.s.env, mark)
	}, "The bookmark contains the key and nothing else of the item.")
}

func (ia *itemActions) cannotBookmark() string {
	if _, err := ia.s.env.Bookmarks.NewItem("", ia.s.table, ia.s.item); err != nil {
		return err.Error()
	}
	return ""
}
