package overlay

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Entries are a list or a grid.
type Entries interface {
	widget.Clickable
	SetFocused(on bool)
	SetStyles(s *widget.Styles)
	SetSize(w, h int)
}

// A Split is the frame of a screen with entries and the details of the selected one: one of the two has the keyboard, and a
// box may lie over both. Screens embed it, and draw what is in the panes. Begin must be called
// before any other method.
type Split struct {
	Host
	Details    *widget.Pager
	OnDetails  bool // the details have the keyboard
	W, H       int
	Rows, Text widget.Rect // the panes with their frames

	env    *screen.Env
	all    []Entries
	inView func() Entries
}

// Begin sets the entries of the screen, of which shown returns those in view. A second click on an entry opens it, unless
// cannotOpen says why that is impossible.
func (s *Split) Begin(env *screen.Env, all []Entries, shown func() Entries, cannotOpen func() string, open func() tea.Cmd) {
	s.env, s.all, s.inView, s.Details = env, all, shown, widget.NewPager(env.Styles)
	s.Panes = func() widget.Panes {
		return widget.Panes{
			{
				Rect: s.Rows, Framed: true, Content: s.inView(), Focus: func() { s.FocusDetails(false) }, Unfocused: s.OnDetails,
				Open: func() tea.Cmd {
					if cannotOpen() != "" {
						return nil
					}
					return open()
				},
			},
			{Rect: s.Text, Framed: true, Focus: func() { s.FocusDetails(true) }, Scroll: s.Details.Wheel},
		}
	}
}

// FocusDetails gives the keyboard to the details, or to the entries in view.
func (s *Split) FocusDetails(on bool) {
	s.OnDetails = on
	s.inView().SetFocused(!on)
}

// PaneKeys are the digits that go to the entries, of the given name, and to the details. noDetails says why there are none;
// nil if there always are.
func PaneKeys(entries string, noDetails func() string, focusDetails func(on bool)) widget.Actions {
	cannot := func(i int) string {
		if i == 0 || noDetails == nil {
			return ""
		}
		return noDetails()
	}
	return screen.PaneActions([]string{entries, "details"}, cannot, func(i int) { focusDetails(i == 1) })
}

// SwitchPane gives the keyboard to the other pane.
func (s *Split) SwitchPane() tea.Cmd {
	s.FocusDetails(!s.OnDetails)
	return nil
}

func (s *Split) list() *widget.List {
	l, _ := s.inView().(*widget.List)
	return l
}

// Filter begins to filter the list. The entries in view must be a list.
func (s *Split) Filter() tea.Cmd {
	s.FocusDetails(false)
	s.list().StartTyping()
	return nil
}

// Typing reports whether printable keys are text: of the box, or of the filter.
func (s *Split) Typing() bool {
	l := s.list()
	return s.Box != nil || l != nil && l.Typing()
}

// Cancel closes the box, leaves the details, or clears the filter. It reports whether there was
// one. It does one of them for each call, in this order.
func (s *Split) Cancel() bool {
	switch l := s.list(); {
	case s.Box != nil:
		s.CancelBox()
	case s.OnDetails:
		s.FocusDetails(false)
	case l != nil && (l.Typing() || l.Filter() != ""):
		l.StopTyping()
		l.SetFilter("")
	default:
		return false
	}
	return true
}

// Stage tells the tour about an open box.
func (s *Split) Stage() screen.Stage { return screen.Stage{Covered: s.Box != nil} }

// SetStyles changes the theme.
func (s *Split) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	for _, e := range s.all {
		e.SetStyles(st)
	}
	s.Details.SetStyles(st)
	s.StyleBox(st)
}

// Arrange sets the rectangle of the screen. The details take the given lines below the entries, or columns beside them.
func (s *Split) Arrange(w, h, below, beside int) {
	s.W, s.H = max(w, 0), max(h, 0)
	s.Rows, s.Text = widget.Rect{W: s.W, H: s.H - below}, widget.Rect{Y: s.H - below, W: s.W, H: below}
	if beside > 0 {
		s.Rows, s.Text = widget.Rect{W: s.W - beside, H: s.H}, widget.Rect{X: s.W - beside, W: beside, H: s.H}
	}
	for _, e := range s.all {
		e.SetSize(widget.PanelInner(s.Rows.W, s.Rows.H))
	}
}

// ViewDetails draws the details as [widget.Pager.Panel] does. Without lines, because no entry is selected, they say what the
// screen is for.
func (s *Split) ViewDetails(p widget.Panel, guide screen.Guide, subject any, lines func(w int) []string) string {
	return s.Details.Panel(p, s.Text.W, s.Text.H, subject, func(w int) []string {
		if list := lines(w); len(list) > 0 {
			return list
		}
		return guideLines(s.env.Styles, guide, widget.RoleMuted, w)
	})
}

// Feed gives a message to the box, otherwise to the first of these that uses it: an action, the
// details, the list. The entries in view must be a list; a screen with grids gives them the
// messages itself.
func (s *Split) Feed(msg tea.Msg, actions func() widget.Actions) tea.Cmd {
	if s.Box != nil {
		return s.ToBox(msg)
	}
	if press, isKey := msg.(tea.KeyPressMsg); isKey && !s.list().Typing() {
		if cmd, used := screen.Press(actions(), press); used {
			return cmd
		}
		if s.OnDetails {
			s.Details.Update(press)
			return nil
		}
	}
	cmd, _ := s.list().Update(msg)
	return cmd
}
