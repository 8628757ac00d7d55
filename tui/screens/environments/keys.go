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
	return widget.Actions{
		{
			Name: "enter", Binding: widget.Bind("enter", "enter"), Desc: "open", Long: "compare with the context, or show the item side by side",
			Disabled: a.cannotOpen, Run: a.open,
		},
		{
			Name: "all", Binding: widget.Bind("a", "a"), Desc: "all items", Long: "compare all items instead of a sample; asks first",
			Disabled: a.cannotCompareAll, Run: a.askAll,
		},
		{
			Name: "reload", Binding: widget.Bind("r", "r", "ctrl+r", "f5"), Desc: "again", Long: "compare again",
			Disabled: a.nothingCompared, Run: func() tea.Cmd { return a.s.compare(a.s.chosen, a.s.all) },
		},
		{Name: "copy", Binding: widget.Bind("y", "y"), Desc: "copy", Long: "copy the details", Disabled: a.noRow, Run: a.copy},
		{Name: "filter", Binding: widget.Bind("/", "/"), Desc: "filter", Long: "filter the list", Run: a.filter},
		{
			Name: "pane", Binding: widget.Bind("tab", "tab", "shift+tab"), Long: "switch between the list and the details",
			Run: func() tea.Cmd { a.s.focusDetails(!a.s.onDetails); return nil },
		},
	}
}

// Actions are the keys of the screen.
func (s *environmentsScreen) Actions() widget.Actions {
	return s.env.Keys.Rebind("environments", s.actions.table())
}

// Hints are the keys at the bottom, none under a dialog.
func (s *environmentsScreen) Hints() widget.Actions {
	if s.Box != nil {
		return nil
	}
	return s.Actions()
}

// Scope describes the keys for the documentation.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "environments", Title: "Environments", Does: "Tables and items that differ between this database and that of another context.",
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
	s.focusDetails(true)
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
	if a.s.result.err == nil && a.s.result.sum.Sample == nil {
		return "all items were compared"
	}
	return ""
}

// askAll asks before it reads whole tables.
func (a *actions) askAll() tea.Cmd {
	s := a.s
	q := overlay.NewCalmQuestion("Compare all items?", "", "Compare", nil,
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

func (a *actions) filter() tea.Cmd {
	a.s.focusDetails(false)
	a.s.shown().StartTyping()
	return nil
}
