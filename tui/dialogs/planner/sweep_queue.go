package planner

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

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
