package lists

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Actions returns the keys of the screen, the most important first.
func (s *queueScreen) Actions() widget.Actions {
	as := s.env.Keys.Rebind("queue", s.withKeys(s.queue.Actions()))
	switch {
	case !s.ready:
		as[0].Desc = "set parameters"
	case s.needsConsent():
		as[0].Desc = "read"
	}
	s.bind(as)
	return slices.Insert(as, 1, s.changes()...)
}

func (s *queueScreen) withKeys(list widget.Actions) widget.Actions {
	as := widget.Actions{
		widget.NewAction("enter", "enter", "open", "open the item, or confirm a prompt of the queue", s.cannotEnter, s.enter),
		widget.NewAction("parameters", "e", "parameters", "change the parameters of the queue", s.noParameters, s.askParameters),
		widget.NewAction("compare", "=", "", "compare the two marked rows, or the current one with another one", s.noRow, func() tea.Cmd {
			r, _, _ := s.Selected()
			return results.CompareOf(s.of.Pattern.Table, r.item, s.marked(), s.among())
		}),
		widget.NewAction("copy", "y", "copy", "copy the row or the rows: clipboard, pager, editor, file", s.noRow, s.copyRows),
		widget.NewAction("export", "o>E", "export", "export the queue to a file", s.noRow, s.export),
		widget.NewAction("reload", "r ctrl+r f5", "reload", "read the queue again", nil, s.reload),
	}
	for _, a := range list {
		if _, own := as.Named(a.Name); !own && a.Name != "pane-1" && a.Name != "pane-2" {
			as = append(as, a)
		}
	}
	return as
}

func (s *queueScreen) changes() widget.Actions {
	var as widget.Actions
	targets := s.targets()
	for _, a := range s.of.Actions {
		if letter := s.letters[a]; letter != "" {
			as = append(as, widget.Action{
				Name: "change-" + a.ID, Binding: widget.Bind(widget.MenuKey+" "+letter, widget.MenuKey+" "+letter),
				Desc: a.Title, Long: s.allows(a, targets) + cmp.Or(a.Description, a.Title), Danger: true,
				Disabled: func() string { return s.cannotChange(a, targets) }, Run: func() tea.Cmd { return s.change(a, targets) },
			})
		}
	}
	return as
}

// allows says which of the items are in a state that an action leaves, "" if all are.
func (s *queueScreen) allows(a *change.Action, targets results.Targets) string {
	if a.Lifecycle == nil {
		return ""
	}
	list, ready := targets.Items.Items(), 0
	for _, it := range list {
		if now, _ := it.Text(a.Lifecycle.Attribute); slices.Contains(a.From(), now) {
			ready++
		}
	}
	switch {
	case ready == len(list):
		return ""
	case targets.Marked:
		return fmt.Sprintf("%d of %d now · ", ready, len(list))
	}
	if first := s.env.Planner.Prerequisites(a, list[0]); len(first) == 1 {
		return "after " + first[0].Title + " · "
	}
	return "not now · "
}

// bind binds the actions to the row under the cursor: a refresh behind the palette can bring another one there.
func (s *queueScreen) bind(as widget.Actions) {
	q := s.queue
	row, gone, ok := q.Selected()
	if !ok {
		return
	}
	for i, a := range as {
		if a.Name != "enter" && a.Name != "copy" && a.Name != "compare" {
			continue
		}
		as[i].Run = func() tea.Cmd {
			now, left, ok := q.Selected()
			if s.queue != q || !ok || now.id != row.id || left && !gone {
				return screen.Send(screen.NoticeMsg{Text: a.Desc + ": " + results.Undone([]string{q.table.Name(row.item)}, nil), Bad: true})
			}
			return a.Run()
		}
	}
}

// The methods below say why something is unavailable, "" if it is available. Without a queue they are asked for the table of
// keys.

func (s *queueScreen) noParameters() string {
	if s.queue != nil && len(s.of.Params) == 0 {
		return "this queue has no parameters"
	}
	return ""
}

func (s *queueScreen) noRow() string {
	if s.queue != nil && len(s.InView()) == 0 {
		return "the queue is empty"
	}
	return ""
}

func (s *queueScreen) cannotEnter() string {
	if s.queue == nil || s.missing(s.env) != nil {
		return ""
	}
	return s.noRow()
}

// cannotChange does not check the state of the items: the plan does, for each of them.
func (s *queueScreen) cannotChange(a *change.Action, targets results.Targets) string {
	if err := s.env.Session.CanChangeOrRequest(a); err != nil {
		if s.env.Plainly() {
			return "only an admin can change it; open it and press y s to copy a summary"
		}
		return err.Error()
	}
	switch err := s.env.Session.CanChange(a); {
	case targets.Items.Len() == 0 && s.noRow() != "":
		return s.noRow()
	case targets.Items.Len() == 0:
		return "the selected row needs no decision; select another one"
	case err != nil && targets.Marked:
		return err.Error() + ", or request the change of one item at a time"
	case a.FourEyes && targets.Marked:
		return a.Title + " needs two people; ddbdesk change --plan writes a plan for each item"
	}
	return ""
}
