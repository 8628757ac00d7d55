package queue

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Hints returns the keys for the bottom line.
func (s *queueScreen) Hints() widget.Actions {
	if s.Box != nil {
		return nil
	}
	as := s.Actions()
	if j := s.job(); j != nil {
		slices.SortStableFunc(as, func(a, b widget.Action) int { return j.rank(a) - j.rank(b) })
		if j.task.Running() && j.task.Elapsed >= widget.BusyAfter {
			return append(widget.Actions{{Name: "stop", Binding: widget.Bind("esc", "esc"), Desc: "stop"}}, as...)
		}
	}
	return as
}

// rank is the place of an action among the hints: what decides, such as approve and reject, comes right after enter.
func (j *queueJob) rank(a widget.Action) int {
	if a.Name == "enter" {
		return 0
	}
	for _, own := range j.queue.Actions {
		if a.Name != "change-"+own.ID || own.Lifecycle == nil {
			continue
		}
		if st := own.Lifecycle.State(own.To()); st != nil && (st.Kind == models.StateGood || st.Kind == models.StateBad) {
			return 1
		}
	}
	return 2
}
