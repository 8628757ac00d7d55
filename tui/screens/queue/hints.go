package queue

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Hints returns the keys for the bottom line.
func (s *queueScreen) Hints() widget.Actions {
	as := s.Actions()
	if j := s.job(); j != nil {
		slices.SortStableFunc(as, func(a, b widget.Action) int { return j.rank(a) - j.rank(b) })
		if j.task.Running() && j.task.Elapsed >= widget.BusyAfter {
			return append(widget.Actions{widget.NewAction("stop", "esc", "stop", "", nil, nil)}, as...)
		}
	}
	return as
}

func (j *queueJob) rank(a widget.Action) int {
	if a.Name == "enter" {
		return 0
	}
	for _, own := range j.queue.Actions {
		switch {
		case a.Name != "change-"+own.ID || own.Lifecycle == nil:
		case decides(own):
			return 2
		case j.allows(own) && !slices.ContainsFunc(j.queue.Actions, func(o *change.Action) bool { return decides(o) && j.allows(o) }):
			return 1
		}
	}
	return 3
}

func decides(a *change.Action) bool {
	if a.Lifecycle == nil {
		return false
	}
	st := a.Lifecycle.State(a.To())
	return st != nil && (st.Kind == models.StateGood || st.Kind == models.StateBad)
}

func (j *queueJob) allows(a *change.Action) bool {
	r := j.selected()
	if r == nil || r.gone {
		return false
	}
	now, ok := r.item.Text(a.Lifecycle.Attribute)
	return ok && slices.Contains(a.From(), now)
}
