package planner

import (
	"context"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Stage adds to a stage of the tour how far the change is.
func (c *Change) Stage(at screen.Stage) screen.Stage {
	at.Planning = true
	switch {
	case c.step == changeShows && c.run.work == changeIdle:
		at.Plan = c.plan
	case c.step != changeEnded:
	case c.ending.end.kind == endConflict:
		at.Conflict = true
	case c.ending.end.kind == endDone:
		at.Undone = c.plan.Undoes != nil
		at.Changed = !at.Undone
	}
	return at
}

// whoRequests is how many requests are sent to find who changed an item.
const whoRequests = 40

func whoChanged(ctx context.Context, s *workspace.Workspace, p *change.Plan) string {
	if p.Basis == nil || len(p.Writes) == 0 || p.Writes[0].Before == nil || p.Writes[0].Entity == nil {
		return ""
	}
	line := timeline.New(s.Session.Viewer, s.Reading, p.Writes[0].Entity, p.Writes[0].Before)
	if n := line.Requests(); n == 0 || n > whoRequests {
		return ""
	}
	list, err := line.Next(ctx, 1)
	if err != nil || len(list) == 0 || list[0].When.Before(p.Basis.Now.Truncate(time.Second)) {
		return ""
	}
	e := list[0].Shown(s.Session.Masker())
	if e.Who == "" {
		return ""
	}
	return present.Join("Changed by "+e.Who, e.What, ": ") + ", " + present.Age(e.When, s.Session.Now()) + "."
}
