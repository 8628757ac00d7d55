package drift

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Actions are the keys of the screen, the most important first.
func (s *driftScreen) Actions() widget.Actions { return s.env.Keys.Rebind("drift", s.makeActions()) }

// makeActions is the table of keys, the most important first.
func (s *driftScreen) makeActions() widget.Actions {
	enter := widget.Action{
		Name: "enter", Binding: widget.Bind("enter", "enter"), Desc: "search",
		Long: "preview what the search reads, then search", Disabled: s.choice.noScope, Run: s.choice.askSearch,
	}
	if s.started {
		enter = widget.Action{
			Name: "enter", Binding: widget.Bind("enter", "enter"), Desc: "open", Long: "open the item at its keys",
			Disabled: s.noRow, Run: s.open,
		}
	}
	return widget.Actions{
		enter,
		{
			Name: "repair", Binding: widget.Bind("f", "f"), Desc: "repair", Long: "repair the marked rows, or the current one",
			Danger: true, Disabled: s.repairs.cannotRepair, Run: s.repairs.repair,
		},
		{Name: "mark", Binding: widget.Bind("space", "space"), Desc: "mark", Long: "mark the row and go to the next", Disabled: s.noRow},
		{
			Name: "mark-all", Binding: widget.Bind("*", "*"), Desc: "mark all",
			Long: "mark all repairable rows of this kind, or none", Disabled: s.noRow, Run: s.markAll,
		},
		{Name: "kinds", Binding: widget.Bind(
			"tab", "tab",
		), Desc: "kind", Long: "next kind of drift; 1 to 5 select one", Disabled: s.notStarted, Run: func() tea.Cmd { return s.turn(1) }},
		{
			Name: "previous-kind", Binding: widget.Bind("shift+tab", "shift+tab"), Long: "previous kind of drift",
			Disabled: s.notStarted, Run: func() tea.Cmd { return s.turn(-1) },
		},
		{Name: "copy", Binding: widget.Bind(
			"y", "y",
		), Desc: "copy key", Long: "copy the key of the item; masked values stay masked", Disabled: s.noRow, Run: s.copyKey},
		{
			Name: "search-again", Binding: widget.Bind("ctrl+r", "ctrl+r", "f5"), Desc: "search again",
			Long: "repeat the search", Disabled: s.choice.cannotSearch, Run: s.askAgain,
		},
		{
			Name: "choose", Binding: widget.Bind("c", "c"), Desc: "choose", Long: "choose what to search",
			Disabled: s.choice.cannotChoose, Run: s.choice.chooseScope,
		},
		{
			Name: "filter", Binding: widget.Bind("/", "/"), Long: "find an entity to search", Disabled: s.choice.notChoosing,
			Run: s.choice.startFilter,
		},
	}
}

// Hints are the keys of the bottom line.
func (s *driftScreen) Hints() widget.Actions {
	switch {
	case s.Box != nil:
		return nil
	case s.finds.searching():
		return append(widget.Actions{{Name: "stop", Binding: widget.Bind("esc", "esc"), Desc: "stop"}}, s.Actions()...)
	}
	return s.Actions()
}

func (ch *driftScopes) noScope() string {
	if _, ok := ch.chosen(); !ok {
		return "choose what to search"
	}
	return ""
}

func (s *driftScreen) notStarted() string {
	if !s.started {
		return "nothing searched yet"
	}
	return ""
}

func (ch *driftScopes) notChoosing() string {
	if ch.s.started {
		return "c chooses what is searched"
	}
	return ""
}

func (ch *driftScopes) cannotChoose() string {
	switch {
	case !ch.s.started:
		return "choose from the list"
	case ch.s.finds.searching():
		return "esc stops the search first"
	}
	return ""
}

func (ch *driftScopes) cannotSearch() string {
	if ch.s.finds.searching() {
		return "it is being searched"
	}
	return ch.s.notStarted()
}

func (s *driftScreen) noRow() string {
	if !s.started || s.selected() == nil {
		return "there is no finding here"
	}
	return ""
}

// open shows the item at its keys: that is where drift is explained.
func (s *driftScreen) open() tea.Cmd {
	row := s.selected()
	return screen.Open(screen.Item{Table: row.Table, Item: row.Item, Keys: true})
}

func (s *driftScreen) copyKey() tea.Cmd {
	return screen.Send(screen.CopyMsg{Text: s.rows.words(s.selected()).key, What: "the key"})
}

func (s *driftScreen) askAgain() tea.Cmd {
	s.choice.scopes.SetFilter("")
	s.choice.scopes.Select(s.scope)
	return s.choice.askSearch()
}

func (ch *driftScopes) chooseScope() tea.Cmd {
	ch.s.started = false
	ch.s.Arrange()
	return ch.askCost()
}

func (ch *driftScopes) startFilter() tea.Cmd {
	ch.scopes.StartTyping()
	return nil
}

// markAll marks what can be repaired, or takes all marks away.
func (s *driftScreen) markAll() tea.Cmd {
	marked := len(s.grid.Marked()) > 0
	s.grid.ClearMarks()
	for i, row := range s.rows.view() {
		if !marked && row.Repairable && row.state == "" {
			s.grid.ToggleMark(i)
		}
	}
	return nil
}

// turn shows another kind.
func (s *driftScreen) turn(by int) tea.Cmd {
	n := len(change.DefectKinds()) + 1
	s.tabs.Active = (s.tabs.Active + by + n) % n
	s.turned()
	return nil
}

func (s *driftScreen) turned() {
	s.rows.kind = ""
	if s.tabs.Active > 0 {
		s.rows.kind = change.DefectKinds()[s.tabs.Active-1]
	}
	s.grid.SetSource(s.rows)
}

// Update handles what the root does not take for itself.
func (s *driftScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case driftCostMsg:
		s.choice.costs[msg.scope] = msg.cost
		return s.choice.toldCost(msg)
	case driftTickedMsg:
		return s.finds.ticked(msg)
	case driftEndedMsg:
		s.finds.ended(msg)
		return nil
	}
	if s.Box != nil {
		return s.ToBox(msg)
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !s.started {
		return s.choice.choose(msg, ok)
	}
	if !ok {
		return nil
	}
	if s.tabs.Update(msg) {
		s.turned()
		return nil
	}
	if cmd, why, used := s.Actions().Handle(press); used {
		if why != "" {
			return screen.Send(screen.NoticeMsg{Text: why})
		}
		return cmd
	}
	s.grid.Update(msg)
	return nil
}

// choose gives a message to the list of what can be searched.
func (ch *driftScopes) choose(msg tea.Msg, isKey bool) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); isKey && ok && !ch.scopes.Typing() {
		if cmd, why, used := ch.s.Actions().Handle(press); used {
			if why != "" {
				return screen.Send(screen.NoticeMsg{Text: why})
			}
			return cmd
		}
	}
	cmd, _ := ch.scopes.Update(msg)
	return tea.Batch(cmd, ch.askCost())
}

// toldCost brings what a search reads into the question that waits for it.
func (ch *driftScopes) toldCost(msg driftCostMsg) tea.Cmd {
	ask, waits := ch.s.Box.(*overlay.Question)
	if scope, ok := ch.chosen(); !waits || !ok || scope != msg.scope {
		return nil
	}
	ask.Warn(msg.cost)
	return nil
}

// Click chooses, moves the cursor, or opens the row under it.
func (s *driftScreen) Click(x, y int) tea.Cmd {
	if s.Box != nil {
		return s.ClickBox(x, y)
	}
	switch {
	case !s.started:
		if s.lay.list.Has(x, y) {
			s.choice.scopes.Click(x-s.lay.list.X, y-s.lay.list.Y)
			return s.choice.askCost()
		}
	case s.lay.tabs.Has(x, y):
		if s.tabs.Click(x - s.lay.tabs.X) {
			s.turned()
		}
	case s.lay.grid.Has(x, y):
		if again, _ := s.grid.Click(x-s.lay.grid.X, y-s.lay.grid.Y); again {
			return s.open()
		}
	}
	return nil
}

// Wheel scrolls what is in view.
func (s *driftScreen) Wheel(_, _ int, up bool) tea.Cmd {
	switch {
	case s.Box != nil:
		s.WheelBox(up)
	case s.started:
		s.grid.Wheel(up)
	default:
		s.choice.scopes.Wheel(up)
		return s.choice.askCost()
	}
	return nil
}

// Cursor is the terminal's cursor where text is typed.
func (s *driftScreen) Cursor() *tea.Cursor {
	switch {
	case s.Box != nil:
		return s.Box.Cursor()
	case !s.started:
		return widget.MoveCursor(s.choice.scopes.Cursor(), s.lay.list.X, s.lay.list.Y)
	}
	return nil
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "drift", Title: "Drift",
		Does:    "Items with inconsistent index keys or times.",
		Actions: (&driftScreen{}).makeActions(), Pieces: screen.TabbedKeys(),
	}
}
