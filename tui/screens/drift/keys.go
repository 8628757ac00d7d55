package drift

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "drift", Title: "Drift",
		Does:    "Items with inconsistent index keys or times.",
		Actions: (&driftScreen{}).makeActions(), Pieces: screen.TabbedKeys(),
	}
}

// Actions returns the keys of the screen, the most important first.
func (s *driftScreen) Actions() widget.Actions { return s.env.Keys.Rebind("drift", s.makeActions()) }

// makeActions returns the table of keys.
func (s *driftScreen) makeActions() widget.Actions {
	const does = "preview what the search reads, then search; after a search, open the item at its keys"
	enter := widget.NewAction("enter", "enter", "search", does, s.choice.noScope, s.choice.askSearch)
	if s.started {
		enter.Desc, enter.Disabled, enter.Run = "open", s.noRow, s.open
	}
	targets := s.repairs.targets()
	repair := widget.NewAction("repair", "f", "repair", "repair the marked rows, or the current one",
		func() string { return s.repairs.cannotRepair(targets) }, func() tea.Cmd { return s.repairs.repair(targets) })
	repair.Danger = true
	return widget.Actions{
		enter,
		repair,
		widget.NewAction("mark", "space", "mark", "mark the row and go to the next", s.noRow, nil),
		widget.NewAction("mark-all", "*", "mark all", "mark all repairable rows of this kind, or none", s.noRow, s.markAll),
		widget.NewAction("kinds", "tab", "kind", "next kind of drift; 1 to 6 select one",
			s.notStarted, func() tea.Cmd { return s.turn(1) }),
		widget.NewAction("previous-kind", "shift+tab", "", "previous kind of drift",
			s.notStarted, func() tea.Cmd { return s.turn(-1) }),
		widget.NewAction("copy", "y", "copy key", "copy the key of the item; masked values stay masked", s.noRow, func() tea.Cmd {
			return screen.Send(screen.CopyMsg{Text: s.rows.masked(s.selected()).key, What: "the key"})
		}),
		widget.NewAction("search-again", "ctrl+r f5", "search again", "repeat the search", s.cannotRepeat, func() tea.Cmd {
			s.choice.scopes.SetFilter("")
			s.choice.scopes.Select(s.scope)
			return s.choice.askSearch()
		}),
		widget.NewAction("choose", "c", "choose", "choose what to search", s.cannotChoose, s.choice.chooseScope),
		widget.NewAction("filter", "/", "", "find an entity to search",
			func() string {
				if s.started {
					return "c chooses what to search"
				}
				return ""
			}, func() tea.Cmd { s.choice.scopes.StartTyping(); return nil }),
	}
}

// Hints returns the keys for the bottom line.
func (s *driftScreen) Hints() widget.Actions {
	if s.search.running() {
		return append(widget.Actions{widget.NewAction("stop", "esc", "stop", "", nil, nil)}, s.Actions()...)
	}
	return s.Actions()
}

// The methods below say why something is unavailable, "" if it is available.

func (p *picker) noScope() string {
	if _, ok := p.selectedScope(); !ok {
		return "choose what to search"
	}
	return ""
}

func (s *driftScreen) notStarted() string {
	if !s.started {
		return "no search yet"
	}
	return ""
}

func (s *driftScreen) cannotChoose() string {
	switch {
	case !s.started:
		return "choose from the list"
	case s.search.running():
		return "the search is running; esc stops it"
	}
	return ""
}

func (s *driftScreen) cannotRepeat() string {
	if s.search.running() {
		return "the search is running"
	}
	return s.notStarted()
}

func (s *driftScreen) noRow() string {
	if !s.started || s.selected() == nil {
		return "no defect is selected"
	}
	return ""
}

// open shows the item at its keys, where drift is explained.
func (s *driftScreen) open() tea.Cmd {
	row := s.selected()
	return screen.Open(screen.Item{Table: row.Table, Item: row.Item, Tab: "keys"})
}

// chooseScope returns to the list of what can be searched. The findings are kept until
// another search starts.
func (p *picker) chooseScope() tea.Cmd {
	p.s.started = false
	p.s.arrange()
	return p.askCost()
}

// markAll marks the rows that can be repaired, or removes all marks.
func (s *driftScreen) markAll() tea.Cmd {
	marked := s.rows.MarkCount() > 0
	s.rows.clearMarks()
	for i, row := range s.rows.view() {
		if !marked && row.Repairable && row.state == "" {
			s.rows.SetMarked(i, true)
		}
	}
	return nil
}

// turn shows the next kind of defects, or the previous one.
func (s *driftScreen) turn(by int) tea.Cmd {
	n := len(change.DefectKinds()) + 1
	s.tabs.Active = (s.tabs.Active + by + n) % n
	s.turned()
	return nil
}

// turned shows the rows of the active tab. The cursor stays on its row if the tab has it, or
// returns to where it was in the tab.
func (s *driftScreen) turned() {
	row := s.selected()
	s.rows.cursors[s.rows.kind] = row
	s.rows.kind = ""
	if s.tabs.Active > 0 {
		s.rows.kind = change.DefectKinds()[s.tabs.Active-1]
	}
	s.grid.SetSource(s.rows)
	at := slices.Index(s.rows.view(), row)
	if at < 0 {
		at = slices.Index(s.rows.view(), s.rows.cursors[s.rows.kind])
	}
	s.grid.SetCursor(max(at, 0))
}

// Update handles what the root does not handle itself. Letters are text while the list is
// filtered; then they run no action.
func (s *driftScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case costMsg:
		s.choice.costs[msg.scope] = msg.cost
		ask, open := s.Box.(*overlay.Question)
		if scope, ok := s.choice.selectedScope(); open && ok && scope == msg.scope {
			ask.Warn(msg.cost)
		}
		return nil
	case screen.TickMsg:
		s.take()
		return msg.Task.Ticked()
	case endedMsg:
		return s.ended(msg)
	}
	if s.Box != nil {
		return s.ToBox(msg)
	}
	press, isKey := msg.(tea.KeyPressMsg)
	typing := !s.started && s.choice.scopes.Typing()
	if s.started && s.tabs.Update(msg) {
		s.turned()
		return nil
	}
	if isKey && !typing {
		if cmd, used := screen.Press(s.Actions(), press); used {
			return cmd
		}
	}
	switch {
	case !s.started:
		cmd, _ := s.choice.scopes.Update(msg)
		return tea.Batch(cmd, s.choice.askCost())
	case isKey:
		s.grid.Update(msg)
	}
	return nil
}

// mousePanes returns the parts of the screen that take the mouse.
func (s *driftScreen) mousePanes() widget.Panes {
	if !s.started {
		return widget.Panes{
			{Rect: s.lay.list, Framed: true, Content: s.choice.scopes, Moved: s.choice.askCost},
			{Rect: s.lay.about, Scroll: s.choice.scopes.Wheel, Moved: s.choice.askCost},
		}
	}
	return widget.Panes{
		{Rect: s.lay.tabs, Other: func(x, _ int) tea.Cmd {
			if s.tabs.Click(x) {
				s.turned()
			}
			return nil
		}},
		{Rect: s.lay.grid, Content: s.grid, Open: s.open},
		{Rect: widget.Rect{W: s.w, H: s.h}, Scroll: s.grid.Wheel},
	}
}
