package item

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Actions are what can be done here, the most useful first. While a box is open
// its own keys count: what would replace it has to wait.
func (s *itemScreen) Actions() widget.Actions {
	list := append(s.env.Keys.Rebind("item", s.makeActions()), s.moves.offerActions()...)
	for i, a := range list {
		switch a.Name {
		case "enter":
			list[i].Desc = s.does.enterWord()
		case "reveal":
			list[i].Desc = s.does.revealWord()
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

// makeActions is the table of keys, the most important first.
func (s *itemScreen) makeActions() widget.Actions {
	return append(widget.Actions{
		{
			Name: "enter", Binding: widget.Bind("enter", "enter"), Desc: "open",
			Long:     "unfold a document, follow a reference, plan a transition, open an entry, run a related pattern",
			Disabled: s.does.enterDisabled, Run: s.does.enter,
		},
		{Name: "change", Binding: widget.Bind(
			"a", "a",
		), Desc: "change", Long: "list the changes of the item", Disabled: s.moves.menuDisabled, Run: func() tea.Cmd {
			s.Box = s.actionMenu()
			return nil
		}},
		{Name: "copy", Binding: widget.Bind(
			"y", "y",
		), Desc: "copy", Long: "copy the value, the item, its key or code that reads it: clipboard, pager, editor, file", Run: func() tea.Cmd {
			s.Box = s.does.copyMenu()
			return nil
		}},
		{Name: "export", Binding: widget.Bind("E", "E"), Long: "write the item to a file", Run: s.does.openExport},
		{
			Name: "reveal", Binding: widget.Bind("R", "R"), Desc: "reveal",
			Long:     "reveal personal data with a reason, or mask it again",
			Disabled: func() string { return overlay.CannotReveal(s.env) }, Run: s.does.toggleReveal,
		},
		{
			Name: "reread", Binding: widget.Bind("r", "r"), Desc: "re-read",
			Long: "refresh the item with a strongly consistent read", Run: s.read.reread,
		},
		{
			Name: "undo", Binding: widget.Bind("u", "u"), Desc: "undo", Long: "undo the last change made on this screen",
			Danger: true, Disabled: s.moves.undoDisabled, Run: s.moves.findUndo,
		},
		{
			Name: "compare", Binding: widget.Bind("=", "="), Desc: "compare",
			Long: "compare the item with another one, or with its state after a change", Run: s.does.compare,
		},
		{Name: "bookmark", Binding: widget.Bind(
			"b", "b",
		), Long: "bookmark the item; B lists the bookmarks", Disabled: s.does.cannotBookmark, Run: s.does.bookmark},
		{Name: "decode-key", Binding: widget.Bind("P", "P"), Long: "decode the item's key", Run: s.does.decodeKey},
		{
			Name: "tabs", Binding: widget.Bind("1-7", "1", "2", "3", "4", "5", "6", "7"), Desc: "tabs",
			Long: "overview, keys, lifecycle, timeline, related, findings, raw",
		},
		{Name: "next-tab", Binding: widget.Bind("tab", "tab"), Long: "next tab", Run: func() tea.Cmd { return s.does.turnTab(1) }},
		{
			Name: "previous-tab", Binding: widget.Bind("shift+tab", "shift+tab"), Long: "previous tab",
			Run: func() tea.Cmd { return s.does.turnTab(-1) },
		},
		{Name: "fold", Binding: widget.Bind(
			"←/h", "left", "h",
		), Long: "fold, or go to the parent", Disabled: s.does.notOverview, Run: func() tea.Cmd {
			s.attributes.fold()
			return nil
		}},
		{Name: "unfold", Binding: widget.Bind(
			"→/l", "right", "l", "space",
		), Long: "unfold or fold a document", Disabled: s.does.notOverview, Run: func() tea.Cmd {
			s.attributes.toggle()
			return nil
		}},
	}, s.search.findActions()...)
}

// revealWord says what R does.
func (ia *itemActions) revealWord() string {
	if ia.s.masker.Hides(models.PII) {
		return "reveal"
	}
	return "hide"
}

// reread reads the item, and what happened to it, again.
func (rd *itemRead) reread() tea.Cmd {
	rd.s.past.reset()
	return rd.startRead()
}

func (ia *itemActions) olderDisabled() string {
	switch t := ia.s.past; {
	case ia.s.tabs.Active != tabTimeline:
		return "only in the timeline"
	case t.loading:
		return "it is being read"
	case !t.more && t.err == nil && !t.stopped:
		return "there are no older entries"
	}
	return ""
}

func (ia *itemActions) notOverview() string {
	if ia.s.tabs.Active != tabOverview {
		return "only in the overview"
	}
	return ""
}

// toggleReveal asks for a reason, or hides what is shown.
func (ia *itemActions) toggleReveal() tea.Cmd {
	if overlay.Revealing(ia.s.env) {
		ia.s.env.Session.Hide()
		ia.s.checkMasker()
		return screen.Send(screen.NoticeMsg{Text: "personal data is hidden again"})
	}
	ia.s.Box = overlay.NewReveal(ia.s.env, ia.s.table.Name+" "+ia.s.facts.keyText)
	return nil
}

func (ia *itemActions) turnTab(by int) tea.Cmd {
	ia.s.tabs.Active = (ia.s.tabs.Active + by + tabCount) % tabCount
	ia.s.layout()
	return ia.openedTab()
}

// openedTab starts what the tab in view needs.
func (ia *itemActions) openedTab() tea.Cmd {
	if ia.s.tabs.Active == tabTimeline {
		return ia.s.past.open()
	}
	return nil
}

// enterWord says what enter does on the line under the cursor.
func (ia *itemActions) enterWord() string {
	switch r := ia.s.attributes.selectedRow(); {
	case ia.s.tabs.Active == tabRelated:
		return "run"
	case ia.s.tabs.Active == tabLifecycle:
		return "plan"
	case ia.s.tabs.Active == tabTimeline:
		return "open"
	case ia.s.tabs.Active == tabRaw && ia.s.raw.plain:
		return "DynamoDB JSON"
	case ia.s.tabs.Active == tabRaw:
		return "plain JSON"
	case r != nil && r.fold && ia.s.attributes.open[r.path]:
		return "fold"
	case r != nil && r.fold:
		return "unfold"
	}
	return "follow"
}

func (ia *itemActions) enterDisabled() string {
	switch ia.s.tabs.Active {
	case tabRelated:
		if len(ia.s.facts.relations) == 0 {
			return "no pattern can be run from this item"
		}
		return ""
	case tabLifecycle:
		m, ok := ia.s.moves.selectedMove()
		if !ok {
			return "no move leads on from here"
		}
		return m.Why
	case tabTimeline:
		if _, ok := ia.s.past.selected(); !ok {
			return "there is no entry to open"
		}
		return ""
	case tabRaw:
		return ""
	case tabOverview:
		r := ia.s.attributes.selectedRow()
		if r == nil {
			return "there is nothing to open"
		}
		if _, ok := ia.s.relations.follow(r); !r.fold && !ok {
			return models.Printable(r.label) + " leads nowhere else"
		}
		return ""
	}
	return "there is nothing to open on this tab"
}

func (ia *itemActions) enter() tea.Cmd {
	switch ia.s.tabs.Active {
	case tabRelated:
		return ia.s.relations.run()
	case tabLifecycle:
		m, _ := ia.s.moves.selectedMove()
		return ia.s.moves.change(m.Action, m.Args)
	case tabTimeline:
		e, _ := ia.s.past.selected()
		return screen.Open(screen.Item{Table: e.Table, Item: e.Item})
	case tabRaw:
		ia.s.raw.toggle()
		ia.s.layout()
		return nil
	}
	r := ia.s.attributes.selectedRow()
	if r != nil && r.fold {
		ia.s.attributes.toggle()
		return nil
	}
	cmd, _ := ia.s.relations.follow(r)
	return cmd
}

// decodeKey opens the decoder on the item's key, as it may be shown.
func (ia *itemActions) decodeKey() tea.Cmd {
	table, it := ia.s.table, ia.s.item
	return screen.Open(screen.Decode{Spell: func(masker *models.Masker) string { return table.KeyText(masker.Item(table, it)) }})
}
