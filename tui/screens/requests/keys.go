package requests

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "requests", Title: "Requests",
		Does:    "Changes that one user requested and another one applies.",
		Actions: keyboard{&requestsScreen{}}.makeActions(), Pieces: screen.TabbedKeys(),
	}
}

// A keyboard has the actions on the selected request, and says why they are unavailable.
type keyboard struct{ *requestsScreen }

// Actions returns the keys of the screen, the most important first.
func (s *requestsScreen) Actions() widget.Actions {
	return s.env.Keys.Rebind("requests", keyboard{s}.makeActions())
}

func (s keyboard) makeActions() widget.Actions {
	why := func(of func(requests.Entry) error) func() string { return func() string { return s.refusal(of) } }
	cannotApply := func(e requests.Entry) error { return e.CannotApply }
	cannotReject := func(e requests.Entry) error { return e.CannotReject }
	cannotWithdraw := func(e requests.Entry) error { return e.CannotWithdraw }
	return widget.Actions{
		widget.NewAction("apply", "a", "apply", "approve and apply the request; shows the plan first", s.cannotApply, s.decide.apply),
		widget.NewAction("reject", "r", "reject", "reject the request with a reason", why(cannotReject), s.decide.reject),
		widget.NewAction("withdraw", "w", "withdraw", "withdraw your own request", why(cannotWithdraw), s.decide.withdraw),
		widget.NewAction("plan-again", "n", "plan again", "plan the change of the request again from the current items",
			s.cannotRenew, s.decide.renew),
		widget.NewAction("enter", "enter", "open item", "open the item that the request changes", s.noItem, s.openItem),
		widget.NewAction("comment", "c", "comment", "add a comment to the history of the request",
			why(func(requests.Entry) error { return s.env.Session.CanRequest() }), s.decide.comment),
		widget.NewAction("approve", "s", "approve", "approve the request, so that any other admin may apply it",
			why(cannotApply), s.decide.approve),
		widget.NewAction("copy", "y", "copy", "copy the details of the request", s.noRow, s.copy),
		widget.NewAction("refresh", "ctrl+r f5", "refresh", "refresh the requests now", s.cannotRefresh, s.resume),
		widget.NewAction("pane", "tab shift+tab", "details", "switch between the requests and the details", s.noRow,
			s.SwitchPane),
		widget.NewAction("next-tab", "t", "next tab", "go to the next tab; 1 to 3 select one", nil,
			func() tea.Cmd { return s.list.turn(1) }),
	}
}

// noRow returns why there is no request to act on, "" if there is one.
func (s keyboard) noRow() string {
	if s.list.selected() == nil {
		return "no request is selected"
	}
	return ""
}

// refusal returns why the user may not do something with the selected request, "" if the user may.
func (s keyboard) refusal(of func(requests.Entry) error) string {
	e := s.list.selected()
	if e == nil {
		return s.noRow()
	}
	if s.decide.writing != nil {
		return "the last decision is being written"
	}
	if err := of(*e); err != nil {
		return err.Error()
	}
	return ""
}

// cannotApply returns why the selected request cannot be applied, "" if it can.
func (s keyboard) cannotApply() string {
	if why := s.refusal(func(e requests.Entry) error { return e.CannotApply }); why != "" {
		return why
	}
	switch v := s.review.current(); {
	case v == nil:
		return "the plan is being made; one moment"
	case v.err != nil:
		return "the request was not read: " + v.err.Error()
	case v.Moved != nil:
		return v.Moved.Error()
	case v.Plan == nil:
		return "the plan is being made; one moment"
	}
	return ""
}

// cannotRenew returns why the change of the selected request cannot be planned again, "" if it can.
func (s keyboard) cannotRenew() string {
	e, v := s.list.selected(), s.review.current()
	switch {
	case e == nil:
		return s.noRow()
	case e.File == nil:
		return "the plan of the request is damaged"
	case e.Sweep != nil:
		return "a sweep is planned again with ddbdesk change .. --over PATTERN"
	case s.env.Session.Profile().Action(e.Action) == nil:
		return "the schema has no action " + e.Action
	case e.State == requests.Applied:
		return "the request was applied"
	case e.State.Pending() && v != nil && v.Plan != nil:
		return "the plan is up to date"
	}
	return ""
}

func (s keyboard) cannotRefresh() string {
	if err := s.unconfigured(); err != nil {
		return err.Error()
	}
	return ""
}

// noItem returns why there is no item to open, "" if there is one.
func (s keyboard) noItem() string {
	if why := s.noRow(); why != "" {
		return why
	}
	if v := s.review.current(); v == nil || v.Table == nil {
		return "the item of the request is not known"
	}
	return ""
}

func (s keyboard) openItem() tea.Cmd {
	v := s.review.current()
	return screen.Open(screen.Item{Table: v.Table, Item: v.Key})
}

// copy copies the details as they are shown.
func (s keyboard) copy() tea.Cmd {
	const cells = 100
	lines := drawing(s).detailLines(cells)
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	return screen.Send(screen.CopyMsg{Text: strings.Join(lines, "\n") + "\n", What: "the request"})
}

// Update handles the messages that the root does not handle. Afterwards another request may be selected, which is read.
func (s *requestsScreen) Update(msg tea.Msg) tea.Cmd {
	cmd := s.handle(msg)
	s.list.moved()
	return tea.Batch(cmd, s.review.consider())
}

func (s *requestsScreen) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case listedMsg:
		return s.list.arrived(msg)
	case reviewDueMsg:
		return s.review.isDue(msg)
	case reviewedMsg:
		s.review.arrived(msg)
		return nil
	case decidedMsg:
		return s.decide.decided(msg)
	case intervalMsg:
		return s.intervalOver(msg)
	case screen.TickMsg:
		return msg.Task.Ticked()
	case tea.FocusMsg, tea.BlurMsg:
		return nil
	}
	if s.Box != nil {
		return s.ToBox(msg)
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || s.InFlight(msg) {
		return nil
	}
	if cmd, used := screen.Press(s.Actions(), press); used {
		return cmd
	}
	if s.list.tabs.Update(msg) {
		s.list.show(s.list.tabs.Active)
		return nil
	}
	if s.OnDetails {
		s.Details.Update(msg)
	} else {
		s.grid.Update(msg)
	}
	return nil
}
