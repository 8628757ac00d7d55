package planner

import (
	"context"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Stage adds the change's progress to a stage of the tour.
func (c *Change) Stage(at screen.Stage) screen.Stage {
	at.Planning = true
	switch {
	case c.step == changeStepPlan && c.work == changeIdle:
		at.Plan = c.plan
	case c.step != changeStepEnded:
	case c.outcome.status == changes.Conflict:
		at.Conflict = true
	case c.outcome.status == changes.Committed:
		at.Undone = c.plan.Undoes != nil
		at.Changed = !at.Undone
	}
	return at
}

// userRequests is the maximum number of requests to find out who changed an item.
const userRequests = 40

// lastChange returns an item's last history entry after the given time. Who is "" if the history names no user.
func lastChange(ctx context.Context, s *workspace.Workspace, t *models.Table, it models.Item, since time.Time) (e timeline.Entry) {
	found, ok := s.Session.Recognize(t, it)
	if it == nil || !ok {
		return e
	}
	history := timeline.New(s.Session.Viewer, s.Reading, found.Entity, it)
	if n := history.Requests(); n == 0 || n > userRequests {
		return e
	}
	list, err := history.Next(ctx, 1)
	if err != nil || len(list) == 0 || list[0].When.Before(since.Truncate(time.Second)) {
		return e
	}
	return list[0].Shown(s.Session.Masker())
}
