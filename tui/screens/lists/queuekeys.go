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

func (q *queue) Actions() widget.Actions {
	as := q.env.Keys.Rebind("queue", q.withKeys(q.Screen.Actions()))
	switch {
	case !q.hasAllParams:
		as[0].Desc = "set parameters"
	case q.needsConsent():
		as[0].Desc = "read"
	}
	q.guardActions(as)
	return slices.Insert(as, 1, q.changes()...)
}

func (q *queue) withKeys(list widget.Actions) widget.Actions {
	mark, _ := list.Named("mark")
	as := widget.Actions{
		widget.NewAction("enter", "enter", "open", "open the item, or confirm a prompt of the queue", q.cannotEnter, q.enter),
		widget.NewAction("parameters", "e", "parameters", "change the parameters of the queue", q.noParameters, q.promptParameters),
		widget.NewAction("compare", "=", "", "compare the two marked rows, or the current row with another row", q.noRow, func() tea.Cmd {
			r, _, _ := q.Selected()
			return results.OpenComparison(q.current.Pattern.Table, r.item, q.marked(), q.comparisonItems())
		}),
		mark,
		widget.NewAction("copy", "y", "copy", "copy the row or the rows: clipboard, pager, editor, file", q.noRow, q.copyRows),
		widget.NewAction("export", "o>E", "export", "export the queue to a file", q.noRow, q.export),
		widget.NewAction("reload", "r ctrl+r f5", "reload", "reload the queue", nil, q.reload),
	}
	for _, a := range list {
		if _, exists := as.Named(a.Name); !exists && a.Name != "pane-1" && a.Name != "pane-2" {
			as = append(as, a)
		}
	}
	return as
}

// changes lists the actions that the targets can take first.
func (q *queue) changes() widget.Actions {
	var as, others widget.Actions
	targets := q.targets()
	for _, a := range q.current.Actions {
		if letter := q.letters[a]; letter != "" {
			list, note := &as, q.stateNote(a, targets)
			if note != "" {
				list = &others
			}
			*list = append(*list, widget.Action{
				Name: "change-" + a.ID, Binding: widget.Bind(widget.MenuKey+" "+letter, widget.MenuKey+" "+letter),
				Desc: a.Title, Long: note + cmp.Or(a.Description, a.Title), Danger: true,
				Disabled: func() string { return q.cannotChange(a, targets) }, Run: func() tea.Cmd { return q.change(a, targets) },
			})
		}
	}
	return append(as, others...)
}

// stateNote describes which targets are in a state that the action accepts. It returns "" if all of them are.
func (q *queue) stateNote(a *change.Action, targets results.Targets) string {
	if a.Lifecycle == nil {
		return ""
	}
	list, ready := targets.Items.Items(), 0
	for _, it := range list {
		if state, _ := it.Text(a.Lifecycle.Attribute); slices.Contains(a.From(), state) {
			ready++
		}
	}
	switch {
	case ready == len(list):
		return ""
	case targets.Marked:
		return fmt.Sprintf("%d of %d possible · ", ready, len(list))
	}
	return q.env.Planner.StateObstacle(a, list[0]) + " · "
}

// guardActions binds the actions to the selected row, because a refresh behind the palette can move another row there.
func (q *queue) guardActions(as widget.Actions) {
	rows := q.Screen
	row, wasRemoved, ok := q.Selected()
	if !ok {
		return
	}
	for i, a := range as {
		if a.Name != "enter" && a.Name != "copy" && a.Name != "compare" {
			continue
		}
		as[i].Run = func() tea.Cmd {
			current, removed, ok := q.Selected()
			if q.Screen != rows || !ok || current.id != row.id || removed && !wasRemoved {
				return screen.Send(screen.NoticeMsg{Text: a.Desc + ": " +
					results.NotStartedReason([]string{q.table.Name(row.item)}, nil), Bad: true})
			}
			return a.Run()
		}
	}
}

// The methods below return the reason why an action is unavailable, or "". For the key table, q has no queue.

func (q *queue) noParameters() string {
	if q.current != nil && len(q.current.Params) == 0 {
		return "this queue has no parameters"
	}
	return ""
}

func (q *queue) noRow() string {
	switch {
	case q.current == nil || len(q.Filtered()) > 0:
	case q.Loads() == 0:
		return "the queue has not been read"
	case len(q.All()) > 0:
		return "no item matches the filter"
	default:
		return "the queue is empty"
	}
	return ""
}

func (q *queue) cannotEnter() string {
	if q.current == nil || q.missing(q.env) != nil {
		return ""
	}
	return q.noRow()
}

// cannotChange ignores the states of the items, because the plan checks each item.
func (q *queue) cannotChange(a *change.Action, targets results.Targets) string {
	if err := q.env.Session.CanChangeOrRequest(a); err != nil {
		if q.env.Plain() {
			return "only an admin can change it; press y s to copy a summary"
		}
		return err.Error()
	}
	switch err := q.env.Session.CanChange(a); {
	case targets.Items.Len() == 0 && q.noRow() != "":
		return q.noRow()
	case targets.Items.Len() == 0:
		return "this row is resolved; select another"
	case err != nil && targets.Items.Len() > 1:
		return "a request covers one item; mark a single row"
	case a.FourEyes && targets.Marked:
		return a.Title + " needs two people; ddbdesk change --plan writes a plan for each item"
	}
	return ""
}
