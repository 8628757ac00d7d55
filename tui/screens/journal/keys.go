package journal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Actions are the keys of the screen, the most important first.
func (s *journalScreen) Actions() widget.Actions {
	as := s.env.Keys.Rebind("journal", s.makeActions())
	for i := range as {
		if as[i].Name == "all" && s.rows.all {
			as[i].Desc = "changes only"
		}
	}
	return as
}

// makeActions is the table of keys, the most important first.
func (s *journalScreen) makeActions() widget.Actions {
	return widget.Actions{
		{
			Name: "resolve", Binding: widget.Bind("v", "v"), Desc: "find out",
			Long: "resolve a change with unknown outcome by reading its items", Disabled: s.lookup.cannotResolve,
			Run: s.lookup.resolve,
		},
		{
			Name: "undo", Binding: widget.Bind("u", "u"), Desc: "undo", Long: "plan the undo of the change", Danger: true,
			Disabled: s.lookup.cannotUndo, Run: func() tea.Cmd { return s.lookup.recall(true) },
		},
		{
			Name: "enter", Binding: widget.Bind("enter", "enter"), Desc: "open item", Long: "open the item that was changed",
			Disabled: s.lookup.noItem, Run: func() tea.Cmd { return s.lookup.recall(false) },
		},
		{
			Name: "all", Binding: widget.Bind("t", "t"), Desc: "all entries",
			Long: "include refusals and reveals, or show only changes", Run: s.lookup.toggleAll,
		},
		{
			Name: "copy", Binding: widget.Bind("y", "y"), Desc: "copy", Long: "copy the details of the entry",
			Disabled: s.noRow, Run: s.lookup.copyFacts,
		},
		{
			Name: "reload", Binding: widget.Bind("r", "r", "ctrl+r", "f5"), Desc: "reload",
			Long: "reload and verify the journal", Run: s.load,
		},
		{
			Name: "pane", Binding: widget.Bind("tab", "tab", "shift+tab"), Desc: "details",
			Long: "switch between the entries and the details", Disabled: s.noRow, Run: s.swap,
		},
	}
}

// Hints are the keys of the bottom line.
func (s *journalScreen) Hints() widget.Actions {
	if s.Box != nil {
		return nil
	}
	return s.Actions()
}

func (s *journalScreen) noRow() string {
	if s.selected() == nil {
		return "the journal has no entry for this profile here"
	}
	return ""
}

func (lk *journalLookup) noItem() string {
	if r := lk.s.selected(); r == nil || r.change == nil {
		return "no item was changed here"
	}
	return ""
}

func (lk *journalLookup) toggleAll() tea.Cmd {
	lk.s.rows.all = !lk.s.rows.all
	lk.s.relist()
	return nil
}

func (s *journalScreen) swap() tea.Cmd {
	s.focusText(!s.onText)
	return nil
}

// copyFacts copies the details as they are shown.
func (lk *journalLookup) copyFacts() tea.Cmd {
	r := lk.s.selected()
	var b strings.Builder
	b.WriteString("action: " + r.what() + "\n")
	for _, f := range r.facts(lk.s.env.Now()) {
		b.WriteString(f.label + ": " + f.text + "\n")
	}
	return screen.Send(screen.CopyMsg{Text: b.String(), What: "the entry"})
}

// Update handles what the root does not take for itself.
func (s *journalScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case journalLoadedMsg:
		s.arrived(msg)
		return nil
	case journalResolvedMsg:
		return s.lookup.resolved(msg)
	case journalPlanMsg:
		return s.lookup.recalled(msg)
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
	if s.onText {
		s.draw.details.Update(msg)
		return nil
	}
	s.grid.Update(msg)
	return nil
}

// Click moves the cursor, or opens the item under it.
func (s *journalScreen) Click(x, y int) tea.Cmd {
	if s.Box != nil {
		return s.ClickBox(x, y)
	}
	if s.lay.details.Has(x, y) {
		s.focusText(s.selected() != nil)
		return nil
	}
	s.focusText(false)
	if again, _ := s.grid.Click(x-s.lay.grid.X, y-s.lay.grid.Y); again && s.lookup.noItem() == "" {
		return s.lookup.recall(false)
	}
	return nil
}

// Wheel scrolls what the pointer is on.
func (s *journalScreen) Wheel(x, y int, up bool) tea.Cmd {
	switch {
	case s.Box != nil:
		s.WheelBox(up)
	case s.lay.details.Has(x, y):
		s.draw.details.Wheel(up)
	default:
		s.grid.Wheel(up)
	}
	return nil
}

// Cursor is the terminal's cursor where text is typed.
func (s *journalScreen) Cursor() *tea.Cursor {
	if s.Box == nil {
		return nil
	}
	return s.Box.Cursor()
}

// guide introduces the screen in its help.
var guide = screen.Guide{
	Purpose: "Changes, refusals and reveals on this machine, newest first. ddbdesk detects a modified or removed entry.",
	First:   "select a change. Press u to undo it with a new change, or enter to open its item.",
	Signs: []screen.Sign{
		{Glyph: "✓", Means: "committed: the change was applied"},
		{Glyph: "?", Means: "unknown outcome: v reads the items to determine it"},
		{Glyph: "≠", Means: "conflict: the item had changed, nothing was written"},
		{Glyph: "↶", Means: "committed and later undone"},
		{Glyph: "⊘", Means: "refused, with the reason"},
		{Glyph: "◉", Means: "personal data was shown, with the reason"},
		{Glyph: "✗", Means: "failed: nothing was written"},
	},
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "journal", Title: "Journal",
		Does:    "Changes, refusals and reveals on this machine.",
		Actions: (&journalScreen{}).makeActions(), Pieces: screen.GridKeys(),
	}
}
