package journal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Actions returns the keys of the screen, the most important first.
func (s *journalScreen) Actions() widget.Actions {
	as := s.env.Keys.Rebind("journal", s.makeActions())
	for i := range as {
		if as[i].Name == "all" && s.rows.all {
			as[i].Desc = "changes only"
		}
	}
	return as
}

func (s *journalScreen) makeActions() widget.Actions {
	return append(widget.Actions{
		widget.NewAction("resolve", "v", "resolve", "resolve a change with unknown outcome by reading its items",
			s.outcomes.cannotResolve, s.outcomes.resolve),
		{
			Name: "undo", Binding: widget.Bind("u", "u"), Desc: "undo", Long: "plan the undo of the change", Danger: true,
			Disabled: s.cannotUndo, Run: func() tea.Cmd { return s.outcomes.recall(true) },
		},
		widget.NewAction("enter", "enter", "open item", "open the item that was changed",
			s.noItem, func() tea.Cmd { return s.outcomes.recall(false) }),
		widget.NewAction("all", "t", "all entries", "include refusals and reveals, or show only changes", nil, s.toggleAll),
		widget.NewAction("copy", "y", "copy", "copy the details of the entry", s.noRow, s.copy),
		widget.NewAction("reload", "r ctrl+r f5", "reload", "reload and verify the whole journal",
			nil, func() tea.Cmd { return s.load(true) }),
		widget.NewAction("pane", "tab shift+tab", "details", "switch between the entries and the details",
			s.noRow, s.SwitchPane),
	}, overlay.PaneKeys("entries", s.noRow, s.FocusDetails)...)
}

func (s *journalScreen) noRow() string {
	if s.selected() == nil {
		return "the journal has no entry for this profile and database"
	}
	return ""
}

func (s *journalScreen) noItem() string {
	switch r := s.selected(); {
	case r == nil:
		return "no changes yet"
	case r.change == nil:
		return "the entry is not a change"
	}
	return ""
}

// cannotResolve returns why there is no outcome to resolve, "" if there is one.
func (r *resolver) cannotResolve() string {
	if why := r.s.noItem(); why != "" {
		return why
	}
	switch {
	case !r.s.selected().change.Open():
		return "the outcome is known"
	case r.resolving:
		return "the items are being read"
	}
	return ""
}

// cannotUndo returns why the change cannot be undone, "" if it can.
func (s *journalScreen) cannotUndo() string {
	if why := s.noItem(); why != "" {
		return why
	}
	r := s.selected()
	switch {
	case r.change.Open():
		return "the outcome is unknown; resolve it with v first"
	case !r.change.Committed():
		return "nothing was written"
	case r.change.Undone:
		return "the change was already undone"
	case r.change.IsUndo():
		return "the change is an undo; apply the original change again instead"
	}
	if a := s.action(r); a != nil {
		if a.NoUndo != "" {
			return "the change cannot be undone: " + a.NoUndo
		}
		if err := s.env.Session.CanChange(a); err != nil {
			return err.Error()
		}
	}
	return ""
}

func (s *journalScreen) toggleAll() tea.Cmd {
	s.rows.all = !s.rows.all
	s.refresh()
	return nil
}

// copy copies the details as they are shown.
func (s *journalScreen) copy() tea.Cmd {
	r := s.selected()
	var b strings.Builder
	b.WriteString("action: " + r.what() + "\n")
	for _, f := range r.facts(s.env.Now()) {
		b.WriteString(f.label + ": " + f.text + "\n")
	}
	return screen.Send(screen.CopyMsg{Text: b.String(), What: "the entry"})
}

// Update handles the messages that the root does not handle.
func (s *journalScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loadedMsg:
		s.show(msg)
		return nil
	case resolvedMsg:
		return s.outcomes.resolved(msg)
	case recalledMsg:
		return s.outcomes.recalled(msg)
	case tea.FocusMsg, tea.BlurMsg:
		return nil
	}
	if s.Box != nil {
		return s.ToBox(msg)
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	if cmd, used := screen.Press(s.Actions(), press); used {
		return cmd
	}
	switch {
	case press.String() == "/":
		return screen.Send(screen.NoticeMsg{Text: "the journal has no filter; A lists sessions and filters them"})
	case s.OnDetails:
		s.Details.Update(msg)
	default:
		s.grid.Update(msg)
		return s.loadOlder()
	}
	return nil
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "journal", Title: "Journal",
		Does:    "Changes, refusals and reveals on this machine.",
		Actions: (&journalScreen{}).makeActions(), Pieces: screen.GridKeys(),
	}
}
