package planner

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func (x *SweepDialog) leads() *changes.QueueOffer {
	i := x.grid.Cursor()
	if x.Phase != SweepDone || i < 0 || i >= x.run.outcomes.Len() || x.run.outcomes.list[i].Done == nil {
		return nil
	}
	if offers := x.env.Planner.QueuesAfter(x.run.outcomes.list[i].Done.Plan); len(offers) > 0 {
		return &offers[0]
	}
	return nil
}

func (x *SweepDialog) follow() (cmd tea.Cmd, done bool) {
	offer := x.leads()
	if offer == nil {
		return nil, false
	}
	cmd = screen.Open(screen.Queue{ID: offer.Queue.ID, Given: offer.Given})
	if x.Closed != nil {
		cmd = tea.Sequence(x.Closed(), cmd)
	}
	return cmd, true
}
