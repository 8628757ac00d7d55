package home

import (
	"slices"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
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

// While the cursor is in the list, a count adds rows below the present ones.
func TestCountsDoNotMoveRowsUnderCursor(t *testing.T) {
	o := twoProfiles(t)
	h, _ := newLoadedHome(t, o, "")
	count := func(p *profiles.Profile) {
		sum := dashboard.Summary{}
		for _, q := range p.Queues {
			got := dashboard.Queue{Queue: q, Count: dashboard.Count{N: 3}}
			got.Done = true
			sum.Queues = append(sum.Queues, got)
		}
		h.counter.boards[p.Name] = &board{workspace: workspace.New(session.Options{Profile: p}), sum: sum}
		h.SetSize(140, 40)
	}
	order := func() (ids []string) {
		for _, r := range h.attention.rows {
			ids = append(ids, r.id)
		}
		return ids
	}
	count(o.list[1])
	h.focusSection(h.attention)
	before := order()
	count(o.list[0])
	if after := order(); len(after) < len(before) || !slices.Equal(after[:len(before)], before) {
		t.Errorf("the rows move from %q to %q", before, after)
	}
}
