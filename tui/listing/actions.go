package listing

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Actions returns the screen's actions, most important first.
func (s *Screen[R]) Actions() widget.Actions { return s.Env.Keys.Rebind(s.spec.Name, s.makeActions()) }

// Hints returns the keys to show in the bottom line. While the user types a filter, letters are text.
func (s *Screen[R]) Hints() widget.Actions {
	switch listAll := widget.Hint("esc", "list all"); {
	case s.filterInput.Typing() && s.rows.Len() == 0:
		return widget.Actions{listAll}
	case s.filterInput.Typing():
		return widget.Actions{widget.Hint("enter", "open"), widget.Hint("tab", "go to the rows"), listAll}
	case s.load.loads > 0 && len(s.rows.all) == 0:
		needRows := []string{"filter", "view", "pane"}
		return slices.DeleteFunc(slices.Clone(s.keys()), func(a widget.Action) bool { return slices.Contains(needRows, a.Name) })
	}
	return s.keys()
}

func (s *Screen[R]) keys() widget.Actions {
	if s.Around != nil {
		return s.Around.Actions()
	}
	return s.Actions()
}

func (s *Screen[R]) key(name string) string {
	a, _ := s.keys().Named(name)
	return a.Keys()
}

func (s *Screen[R]) makeActions() widget.Actions {
	var list widget.Actions
	for _, a := range s.spec.Actions {
		action := widget.NewAction(a.Name, a.Keys, a.Desc, a.Long, func() string { return s.disabledReason(a) },
			func() tea.Cmd { return s.runAction(a) })
		action.Danger = a.Danger
		list = append(list, action)
	}
	add := func(name, keys, desc, long string, reason func() string, run func() tea.Cmd) {
		if _, exists := list.Named(name); !exists {
			list = append(list, widget.NewAction(name, keys, desc, long, reason, run))
		}
	}
	add("filter", "/", "filter", "list only the rows that contain all typed words; esc clears the filter", nil, func() tea.Cmd {
		s.filterInput.Start()
		s.FocusDetails(false)
		return nil
	})
	if len(s.spec.Tabs) > 1 {
		add("view", "v", "view", "show the next view", nil, func() tea.Cmd {
			s.showTab((s.rows.tabs.Active + 1) % len(s.spec.Tabs))
			return nil
		})
	}
	if s.spec.Every > 0 {
		desc := "pause"
		if s.load.paused {
			desc = "resume"
		}
		add("pause", "o>P", desc, "pause or resume the automatic refresh", nil, func() tea.Cmd {
			s.load.paused = !s.load.paused
			return s.resume()
		})
	}
	add("copy", "y", "copy", "copy the details of the marked rows, or of the selected one", func() string {
		if a := s.advice(); a != nil && a.Command != "" {
			return ""
		}
		return s.noRow()
	}, s.copy)
	add("sort", "s", "sort", "sort by a column (or click its title)", s.noRows, s.openSortMenu)
	add("mark-all", "o>M", "mark all", "mark or unmark all listed rows", s.noRows, func() tea.Cmd {
		s.MarkAll(func(R) bool { return true })
		return nil
	})
	add("mark", "space", "mark, next", "mark the row and go to the next", s.noRow, nil)
	if s.spec.Pages {
		add("more", "n", "more", "read more rows", s.noMore, s.readMore)
	}
	add("reload", "r ctrl+r f5", "reload", "reload the list", func() string {
		if a := s.advice(); a != nil {
			return models.Printable(a.Title)
		}
		return ""
	}, s.Reload)
	add("copy-rows", "o>Y", "copy rows", "copy the marked rows, or all the listed rows, as a table", s.noRows, s.copyRows)
	add("export", "o>E", "export", "write the marked rows, or all the listed rows, to a file", s.noRows, s.export)
	add("pane", "tab shift+tab", "details", "switch between the rows and the details", nil, func() tea.Cmd {
		s.FocusDetails(!s.onDetails)
		return nil
	})
	if len(s.spec.Tabs) > 1 {
		return list
	}
	alwaysAvailable := func(int) string { return "" }
	return append(list, screen.PaneActions([]string{"rows", "details"}, alwaysAvailable, func(i int) { s.FocusDetails(i == 1) })...)
}

func (s *Screen[R]) disabledReason(a Action[R]) string {
	if s.Env == nil { // Without an environment, only the key table is needed.
		return ""
	}
	var r R
	if x := s.rows.selected(); x != nil {
		r = x.value
	} else if !a.Free {
		return s.noRow()
	}
	switch {
	case strings.HasPrefix(a.Keys, "o>") && a.All == nil && !a.Free && a.Name != "mark-all" && s.hasOtherMarks():
		return results.OnlyOneRow // The menu names the marked rows.
	case a.Do != nil && s.writes.writing != nil:
		return "the last change is being written"
	case a.Can != nil:
		if err := a.Can(s.Env, r); err != nil {
			return s.Env.Reason(err)
		}
	case a.CanAll != nil:
		if err := a.CanAll(s.Env, s.Chosen()); err != nil {
			return s.Env.Reason(err)
		}
	}
	if a.Detailed {
		return s.noDetails()
	}
	return ""
}

func (s *Screen[R]) hasOtherMarks() bool {
	return slices.ContainsFunc(s.rows.marked(), func(x *row[R]) bool { return x != s.rows.selected() })
}

func (s *Screen[R]) runAction(a Action[R]) tea.Cmd {
	x := s.rows.selected()
	switch {
	case a.All != nil:
		return s.ConfirmTarget(a.Desc, func() tea.Cmd { return a.All(s, s.Chosen()) })
	case a.Prompt != nil:
		return s.promptText(a, x)
	case a.Do != nil:
		return s.startWrite(a, x, "")
	}
	var r R
	if x != nil {
		r = x.value
	}
	if a.Open != nil {
		return screen.Open(a.Open(r))
	}
	return a.Run(s, r)
}

func (s *Screen[R]) noRow() string {
	if s.rows.selected() == nil {
		return "no " + s.spec.Noun + " is selected"
	}
	return ""
}

func (s *Screen[R]) noRows() string {
	if s.rows.Len() == 0 {
		return "there are no " + s.nouns()
	}
	return ""
}

func (s *Screen[R]) advice() *Advice {
	if s.spec.Missing == nil || s.Env == nil {
		return nil
	}
	return s.spec.Missing(s.Env)
}

func (s *Screen[R]) openSortMenu() tea.Cmd {
	l := s.rows
	titles, order := make([]string, len(s.spec.Columns)), widget.Ascending
	for i, c := range s.spec.Columns {
		titles[i] = c.Title
	}
	if l.descending {
		order = widget.Descending
	}
	s.Box = overlay.NewSort("order of the list", titles, l.sortColumn, order, func(col int) tea.Cmd {
		l.sortBy(col)
		return nil
	})
	return nil
}

func (s *Screen[R]) panes() widget.Panes {
	rows := s.rowsAt.Inner()
	rows.Y, rows.H = rows.Y+s.filterRows(), rows.H-s.filterRows()
	focusRows := func() { s.stopFilter(); s.FocusDetails(false) }
	clickTitle := func(x, y int) tea.Cmd {
		if col, ok := s.rows.grid.ColumnAt(x); ok && y == 0 {
			s.rows.sortBy(col)
		}
		return nil
	}
	return widget.Panes{
		{Rect: s.topAt, Other: s.clickTop},
		{Rect: rows, Content: s.rows.grid, Focus: focusRows, Unfocused: s.onDetails, Open: s.open, Other: clickTitle},
		{Rect: s.rowsAt, Focus: focusRows, Scroll: s.rows.grid.Wheel},
		{Rect: s.detailsAt, Framed: true, Focus: func() { s.stopFilter(); s.FocusDetails(true) }, Scroll: s.details.Wheel},
	}
}

func (s *Screen[R]) clickTop(x, _ int) tea.Cmd {
	if s.Around == nil && s.rows.tabs.Click(x) {
		s.showTab(s.rows.tabs.Active)
	}
	return nil
}

func (s *Screen[R]) open() tea.Cmd {
	as := s.keys()
	i := slices.IndexFunc(as, func(a widget.Action) bool { return slices.Contains(a.Binding.Keys(), "enter") })
	if i < 0 || as[i].Why() != "" {
		return nil
	}
	return as[i].Run()
}

// Cursor returns the terminal cursor in the dialog or the filter, or nil.
func (s *Screen[R]) Cursor() *tea.Cursor {
	if s.Box != nil || !s.filterInput.Typing() {
		return s.Host.Cursor()
	}
	at := s.rowsAt.Inner()
	_, x := s.filterInput.Shown(at.W - filterCells)
	return widget.Caret(at.X+3+x, at.Y)
}

var _ screen.Undoer = (*Screen[int])(nil)
