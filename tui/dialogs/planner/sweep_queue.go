package planner

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// leads returns the queue that the change of the item under the cursor leads to, such as the pending bids of a user who
// was deactivated; nil if there is none or the item was not changed.
func (rn *sweepRun) leads() *changes.QueueOffer {
	i := rn.b.grid.Cursor()
	if rn.b.Phase != SweepDone || i < 0 || i >= rn.outcomes.Len() || rn.outcomes.list[i].Done == nil {
		return nil
	}
	if offers := rn.b.env.Planner.QueuesAfter(rn.outcomes.list[i].Done.Plan); len(offers) > 0 {
		return &offers[0]
	}
	return nil
}

// follow opens the queue of the item under the cursor; done reports that the dialog is closed.
func (rn *sweepRun) follow() (cmd tea.Cmd, done bool) {
	offer := rn.leads()
	if offer == nil {
		return nil, false
	}
	cmd = screen.Open(screen.Queue{ID: offer.Queue.ID, Given: offer.Given})
	if rn.b.Closed != nil {
		cmd = tea.Sequence(rn.b.Closed(), cmd)
	}
	return cmd, true
}
