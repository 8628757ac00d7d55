package home

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// A row contains the sum of the schemas' change requests, and enter lists the schemas. A role that cannot decide
// requests sees those that the user made.
func TestChangeRequestsShareRow(t *testing.T) {
	o := twoProfiles(t)
	h, _ := newLoadedHome(t, o, "")
	count := func(mine func(i int) bool) {
		for i, p := range o.list {
			sum := dashboard.Summary{Review: dashboard.PendingRequests{Table: "requests", OwnRequests: mine(i), Count: dashboard.Count{N: i + 2}}}
			sum.Review.Done = true
			h.counter.boards[p.Name] = &board{workspace: workspace.New(session.Options{Profile: p}), sum: sum}
		}
		h.SetSize(140, 30)
	}
	count(func(i int) bool { return i == 1 })
	wantText(t, h, "● Change requests to review                2", "● Change requests you made                 3")
	count(func(int) bool { return true })
	wantText(t, h, "▸ Change requests you made                 5", "2 schemas")
	h.focusSection(h.attention)
	run(h, h.Update(screentest.Pressed("home")), h.Update(screentest.Pressed("enter")))
	wantText(t, h, "● Change requests you made                 2", "● Change requests you made                 3")
}
