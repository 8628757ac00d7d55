package home

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// Each schema has its own row of change requests. A role that cannot decide them sees those that the user made.
func TestEachSchemaHasARowOfChangeRequests(t *testing.T) {
	o := twoProfiles(t)
	h, _ := loaded(t, o, "")
	for i, p := range o.list {
		sum := dashboard.Summary{Review: dashboard.PendingRequests{Table: "requests", Mine: i == 1, Count: dashboard.Count{N: i + 2}}}
		sum.Review.Done = true
		h.counter.boards[p.Name] = &board{workspace: workspace.New(session.Options{Profile: p}), sum: sum}
	}
	h.SetSize(140, 30)
	shows(t, h, "Change requests to review                2", "Change requests you made                 3")
}
