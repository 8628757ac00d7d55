package environments

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// actions are what the keys of the screen do.
type actions struct{ s *environmentsScreen }

func (a *actions) table() widget.Actions {
	return append(widget.Actions{
		widget.NewAction("enter", "enter", "open", "compare with the context, or show the item side by side",
			a.cannotOpen, a.open),
		widget.NewAction("all", "a", "items", "compare the items of production, which reads whole tables; asks first",
			a.cannotCompareAll, a.askAll),
		widget.NewAction("reload", "r ctrl+r f5", "again", "compare again",
			a.nothingCompared, func() tea.Cmd { return a.s.compare(a.s.chosen, a.s.consent) }),
		widget.NewAction("copy", "y", "copy", "copy the details", a.noRow, a.copy),
		widget.NewAction("filter", "/", "filter", "filter the list", nil, func() tea.Cmd { return a.s.Filter() }),
		widget.NewAction("pane", "tab shift+tab", "", "switch between the list and the details",
			nil, func() tea.Cmd { return a.s.SwitchPane() }),
	}, overlay.PaneKeys("list", nil, func(on bool) { a.s.FocusDetails(on) })...)
}

// Actions are the keys of the screen.
func (s *environmentsScreen) Actions() widget.Actions {
	return s.env.Keys.Rebind("environments", s.actions.table())
}

// Scope describes the keys for the documentation.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "environments", Title: "Environments",
		Does:    "Tables and items that differ between this database and that of another context.",
		Actions: (&actions{}).table(), Pieces: screen.MovingKeys(),
	}
}

// cannotOpen says why enter does nothing.
func (a *actions) cannotOpen() string {
	switch {
	case a.s.task.Running():
		return "the comparison is running; esc stops it"
	case a.s.chosen == "":
		if _, ok := a.s.contexts.Selected(); !ok {
			return "no other context; add contexts to the configuration"
		}
		return ""
	}
	if _, ok := a.s.selected(); !ok {
		return "no item is selected"
	}
	return ""
}

// open compares with the selected context, or shows the selected item side by side.
func (a *actions) open() tea.Cmd {
	s := a.s
	if s.chosen == "" {
		it, _ := s.contexts.Selected()
		return s.compare(it.ID, false)
	}
	d, _ := s.selected()
	s.FocusDetails(true)
	it, _ := s.list.Selected()
	return s.readBoth(it.ID, d)
}

func (a *actions) nothingCompared() string {
	if a.s.chosen == "" || a.s.task.Running() {
		return "no comparison has ended"
	}
	return ""
}

func (a *actions) cannotCompareAll() string {
	if why := a.nothingCompared(); why != "" {
		return why
	}
	if a.s.result.refusal == nil {
		return "the items were compared"
	}
	return ""
}

// askAll asks before it reads whole tables.
func (a *actions) askAll() tea.Cmd {
	s := a.s
	q := overlay.NewCalmQuestion("Compare the items?", "", "Compare", nil,
		"Every item of "+present.Plural(len(s.env.Session.Profile().Tables), "table")+" is read once in each of the two environments, "+
			"within their budgets. esc stops it.")
	q.Yes = func() tea.Cmd { return s.compare(s.chosen, true) }
	s.Box = q
	return nil
}

func (a *actions) noRow() string {
	if _, ok := a.s.list.Selected(); !ok || a.s.chosen == "" {
		return "nothing is selected"
	}
	return ""
}

func (a *actions) copy() tea.Cmd {
	var b strings.Builder
	for _, f := range a.s.facts() {
		b.WriteString(f.name + "\t" + f.left + "\t" + f.right + "\n")
	}
	return screen.Send(screen.CopyMsg{Text: b.String(), What: "the difference"})
}
