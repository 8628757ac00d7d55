package item

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// offersIndex is the index at which the item's changes are inserted into its actions.
const offersIndex = 2

// Actions returns the actions on the item, most useful first. All of them are unavailable while a dialog is open.
func (s *itemScreen) Actions() widget.Actions {
	list := slices.Insert(s.env.Keys.Rebind("item", s.makeActions()), offersIndex, s.offerActions()...)
	for i, a := range list {
		switch a.Name {
		case "enter":
			list[i].Desc = s.active.enter().word
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

func (s *itemScreen) boxOpener(box func() overlay.Overlay) func() tea.Cmd {
	return func() tea.Cmd {
		s.Box = box()
		return nil
	}
}

func (s *itemScreen) tabCommand(commandOf func(tab) command) (disabled func() string, run func() tea.Cmd) {
	return func() string { return commandOf(s.active).reason }, func() tea.Cmd { return commandOf(s.active).run() }
}

func (s *itemScreen) makeActions() widget.Actions {
	cannotEnter, enter := s.tabCommand(tab.enter)
	cannotSearch, search := s.tabCommand(tab.search)
	noMore, more := s.tabCommand(tab.loadMore)
	digits := []string{"1", "2", "3", "4", "5"}[:cmp.Or(len(s.visible), 5)]
	cannotExplain := func() string {
		switch _, hasPattern := s.related.selected(); {
		case s.active == tab(s.related) && !hasPattern:
			return "no pattern to explain"
		case s.active == tab(s.overview) && s.overview.selectedRow() == nil:
			return "no attribute to explain"
		case s.active == tab(s.history) && s.plain:
			return "the history has no sources to explain"
		case s.active == s.tabs[tabKeys], s.active == s.tabs[tabRaw]:
			return "the explanation is available only on the Overview, History and Related tabs"
		}
		return ""
	}
	return append(widget.Actions{
		widget.NewAction("enter", "enter", "open", "expand a map or list, follow a reference, open an entry, run a related pattern",
			cannotEnter, enter),
		widget.NewAction("actions", "o ctrl+o", "actions", "list the changes and other actions that you can apply to the item",
			nil, s.boxOpener(func() overlay.Overlay {
				menu := s.actionMenu()
				hasPossible := slices.ContainsFunc(s.offers.list, func(o changes.Offer) bool { return o.Reason == "" })
				s.read.earlyMenu, s.read.rebuildsMenu = menu, s.state == readRunning && !hasPossible
				if s.read.rebuildsMenu {
					menu.Note = "reading the item"
				}
				return menu
			})),
		widget.NewAction("copy", "y", "copy", "copy a summary for a ticket, a link, the value, the item or its key",
			nil, s.boxOpener(func() overlay.Overlay { return s.copyMenu() })),
		widget.NewAction("own-query", "b", "", "write a custom query that starts with the key of the item", nil, s.customQuery),
		widget.NewAction("explain", "x", "explain",
			"show the attribute's whole value and its meaning, the sources of the history, or the whole request of a pattern",
			cannotExplain, s.boxOpener(func() overlay.Overlay {
				switch s.active {
				case tab(s.related):
					return s.related.explanation()
				case tab(s.history):
					return s.history.explanation()
				}
				return s.overview.explanation()
			})),
		widget.NewAction("view", "v", "", "switch between labels, stored values, keys and JSON", nil, func() tea.Cmd {
			s.plain = !s.plain
			s.refreshTabs()
			return nil
		}),
		widget.NewAction("compare", "=", "compare", "compare the item with another item, or with its version in the list", nil, s.compare),
		widget.NewAction("reread", "r ctrl+r f5", "", "refresh the item with a strongly consistent read", nil, s.reread),
		{
			Name: "tabs", Binding: widget.Bind("1-"+digits[len(digits)-1], digits...), Desc: "tabs",
			Long: "overview, history, related, keys, raw",
		},
		widget.NewAction("next-tab", "tab", "", "next tab", nil, func() tea.Cmd { return s.switchTab(1) }),
		widget.NewAction("previous-tab", "shift+tab", "", "previous tab", nil, func() tea.Cmd { return s.switchTab(-1) }),
		widget.NewAction("search", "/", "filter", "filter by names and values", cannotSearch, search),
		widget.NewAction("next", "n", "", "load older history entries", noMore, more),
	}, s.otherActions()...)
}

func (s *itemScreen) otherActions() widget.Actions {
	cannotOpenQueue := func() string {
		if len(s.newSummaryData().queues) == 0 {
			return "no queue of the schema contains items of this kind"
		}
		return ""
	}
	cannotSaveCase := func() string {
		if s.facts.entity == nil {
			return "the item matches no entity"
		}
		return ""
	}
	export := func() overlay.Overlay {
		return output.NewExport(s.env, output.ExportContent{Title: "Export the item", Name: s.fileName(), What: items.Export{
			Table: s.table, Items: []models.Item{s.item}, Single: true,
		}})
	}
	reveal := func() tea.Cmd {
		cmd := s.ToggleReveal(s.env, s.table.Name+" "+s.facts.keyText)
		s.checkMasker()
		return cmd
	}
	editor := "an editor"
	if s.env.Editor != nil {
		editor = cmp.Or(s.env.Editor(), editor)
	}
	remove := func() tea.Cmd {
		return s.planRaw(change.RawDelete, "Delete the item", map[string]string{change.RawKey: s.keyInput()})
	}
	return widget.Actions{
		widget.NewAction("undo", "o>u", "", "undo the last change", s.undoDisabled, s.findUndo),
		widget.NewAction("queues", "o>q", "", "explain why the item is or is not in a queue", cannotOpenQueue, s.boxOpener(s.queueSheet)),
		widget.NewAction("bookmark", "o>B", "", "bookmark the item", s.cannotBookmark, s.boxOpener(s.bookmarkDialog)),
		widget.NewAction("save-case", "o>s", "", "save the item and its related items in a case file",
			cannotSaveCase, s.boxOpener(s.caseDialog)),
		widget.NewAction("export", "o>E", "", "export the item to a file", nil, s.boxOpener(export)),
		widget.NewAction("reveal", "o>R", "", "reveal personal data, or mask it again",
			func() string { return overlay.CannotReveal(s.env) }, reveal),
		widget.NewAction("decode-key", "o>p", "", "decode the item's key", nil, s.decodeKey),
		widget.NewAction("edit", "o>e", "", "edit an attribute", s.cannotEdit, s.editAttribute),
		widget.NewAction("edit-json", "o>j", "", "edit the item as JSON in "+editor, s.cannotEdit, s.editJSON(false)),
		widget.NewAction("put-copy", "o>N", "", "duplicate the item: edit a copy in "+editor+" and put it as a new item",
			s.cannotEdit, s.editJSON(true)),
		widget.NewAction("delete", "o>d", "", "delete the item", s.cannotEdit, remove),
	}
}

func (s *itemScreen) decodeKey() tea.Cmd {
	table, it := s.table, s.item
	return screen.Open(screen.Decode{KeyText: func(masker *models.Masker) string { return table.KeyText(masker.Item(table, it)) }})
}

func (s *itemScreen) compare() tea.Cmd {
	target := screen.Compare{Table: s.table, Item: s.item, Rows: s.compareWith, As: "current"}
	if s.state != readDone {
		target.As = cmp.Or(map[readState]string{readGone: "as it was"}[s.state], "as the list showed it")
	}
	if !models.EqualItems(s.listedItem, s.item) {
		target.Row = s.listedItem
	}
	return screen.Open(target)
}

func (s *itemScreen) copyMenu() *output.CopyMenu {
	text := output.Fixed(func() string { return s.ticket(s.summary) })
	pieces := []output.Piece{output.SummaryPiece(text, s.facts.masked.Masked)}
	section := ""
	if s.active != s.tabs[tabOverview] {
		section = link.Sections()[slices.Index(s.tabs, s.active)]
	}
	pieces = append(pieces, output.LinkPiece("link to this item", section, func() (link.Link, error) {
		return link.ForItem(s.env.Session.Viewer, s.table, s.item, section)
	}))
	to, err := link.Console(s.env.Session.Viewer, s.table, s.item)
	consoleLink := output.Piece{
		Key: "L", Label: "link of the AWS console", Note: "opens it in a browser", What: "the link", File: "link.txt",
		Text: output.Fixed(func() string { return to }),
	}
	if err != nil {
		consoleLink.Why = err.Error()
	}
	if err == nil || !s.plain {
		pieces = append(pieces, consoleLink)
	}
	if path, value, ok := s.overview.selected(); ok && s.active == tab(s.overview) {
		pieces = append(pieces, output.ValuePiece(path, s.label(path), value))
	}
	itemPieces := output.ItemPieces(s.env, s.table, s.item, s.fileName())
	return output.NewCopyMenu(s.env, &s.Host, slices.Concat(pieces, itemPieces, output.ReadingPieces(s.env, s.table, s.item)))
}

// SummaryOf implements screen.Env.Summary.
func SummaryOf(env *screen.Env, to screen.Item) (text func() (string, error), masked func() bool) {
	s := &itemData{env: env, table: to.Table, item: to.Item, rank: to.Rank, plain: env.Plain()}
	s.remake()
	data, masker := s.newSummaryData(), s.masker
	return func() (string, error) {
		if e := data.entity; e != nil {
			if history := timeline.New(data.session, env.Reading, e, s.item); history.Requests() <= s.historyRequests() {
				entries, err := history.Next(env.Context, ticketEvents)
				if err != nil {
					return "", err
				}
				data.entries = models.MapSlice(entries, func(e timeline.Entry) timeline.Entry { return e.Shown(masker) })
			}
		}
		return s.ticket(summarize(data)), nil
	}, s.facts.masked.Masked
}

func (s *itemData) ticket(sum Summary) string {
	v := s.env.Session.Viewer
	place := []string{v.Profile().Name}
	if name := v.Context(); name != "" {
		place = append(place, name)
	}
	if v.Production() {
		place = append(place, "production")
	}
	command := ""
	if l, err := link.ForItem(v, s.table, s.item, ""); err == nil {
		command = l.Command()
	}
	return sum.Ticket(strings.Join(place, ", "), command)
}

func (s *itemScreen) fileName() string { return s.facts.name + "-" + s.facts.fileID }

func (s *itemScreen) bookmarkDialog() overlay.Overlay {
	if name := overlay.ItemBookmark(s.env.Workspace, s.table, s.item); name != "" {
		return overlay.NewRemoveBookmark(s.env, name)
	}
	mark, _ := s.env.Bookmarks.NewItem("", s.table, s.item) // cannotBookmark has already reported the error.
	return overlay.NewNameDialog(s.env, "Bookmark this item", "Bookmark", s.facts.fileID, "", func(name string) tea.Cmd {
		mark.Name = name
		return overlay.SaveBookmark(s.env, mark)
	}, "The bookmark contains the key and nothing else of the item.")
}

func (s *itemScreen) cannotBookmark() string {
	if _, err := s.env.Bookmarks.NewItem("", s.table, s.item); err != nil {
		return err.Error()
	}
	return ""
}

func (s *itemScreen) queueSheet() overlay.Overlay {
	k := s.newSummaryData()
	return overlay.NewSheet(s.env.Styles, "Queues of "+s.Title(), func(st *widget.Styles, w int) []string {
		var lines []string
		for _, m := range k.queues {
			head := "▲ In queue " + strconv.Quote(m.Queue.Title)
			role, reason := widget.RoleWarn, k.metReasons(m)
			if len(m.Unmet) > 0 {
				head, role, reason = "Not in queue "+strconv.Quote(m.Queue.Title), widget.RoleStrong, k.unmetReasons(m)
			}
			lines = append(lines, widget.Wrap(st, role, head, w)...)
			for _, text := range reason {
				lines = append(lines, present.IndentLines(widget.Wrap(st, widget.RoleText, models.Printable(text), max(w-2, 1)), 2)...)
			}
			lines = append(lines, "")
		}
		return lines
	})
}
