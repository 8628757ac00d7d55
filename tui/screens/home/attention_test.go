package home

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A row contains the sum of the schemas' change requests, and enter lists the schemas below it. They stay together during
// a count. A role that cannot decide requests sees those that the user made.
func TestChangeRequestsShareRow(t *testing.T) {
	o := twoProfiles(t)
	h, _ := newLoadedHome(t, o, "")
	count := func(mine func(i int) bool) {
		for i, p := range o.list {
			sum := dashboard.Summary{Review: dashboard.PendingRequests{Table: "requests", OwnRequests: mine(i), Count: dashboard.Count{N: i + 2}}}
			sum.Queues = []dashboard.Queue{{Queue: p.Queues[0], Count: dashboard.Count{N: 1}, Progress: dashboard.Progress{Done: true}}}
			sum.Review.Done = true
			h.counter.boards[p.Name] = &board{workspace: workspace.New(session.Options{Profile: p}), sum: sum}
		}
		h.SetSize(140, 30)
	}
	count(func(i int) bool { return i == 1 })
	wantText(t, h, "● Change requests to review                2", "● Change requests you made                 3")
	count(func(int) bool { return true })
	wantText(t, h, "▸ Change requests you made                 5", "2 schemas")
	if view := ansi.Strip(h.View()); strings.Index(view, "● Waiting for review") > strings.Index(view, "▸ Change requests you made") {
		t.Errorf("the requests that the user made stand above the queues:\n%s", view)
	}
	h.focusSection(h.attention)
	h.attention.selectRow(func(r row) bool { return r.title == madeTitle })
	run(h, h.Update(screentest.Pressed("enter")))
	for _, done := range []bool{true, false} {
		h.counter.boards[o.list[1].Name].sum.Review.Done = done
		h.arrange()
		at, _ := h.attention.lines.At()
		if rows := h.attention.rows; len(rows) < at+3 || rows[at+1].id != "authbridge requests part" || rows[at+2].id != "tazco requests part" {
			t.Errorf("done %v: the rows of the schemas are not below the selected row", done)
		}
	}
	wantText(t, h, "▌▾ Change requests you made", "   ● Change requests you made               2", "   ● Change requests you made            not counted")
	run(h, h.Update(screentest.Pressed("enter")))
	count(func(int) bool { return true })
	wantText(t, h, "▸ Change requests you made                 5")
}

// The usual titles fit beside the other lists.
func TestAttentionRowsShowWholeTitles(t *testing.T) {
	o := twoProfiles(t)
	h, _ := newLoadedHome(t, o, "")
	for i, p := range o.list {
		sum := dashboard.New(workspace.New(session.Options{Profile: p}), dashboard.Options{}).Summary()
		for j := range sum.Queues {
			sum.Queues[j].Done, sum.Queues[j].Count = true, dashboard.Count{N: 10 + i}
			sum.Queues[j].Since = []time.Time{time.Now().AddDate(0, 0, -26)}
		}
		h.counter.boards[p.Name] = &board{workspace: workspace.New(session.Options{Profile: p}), sum: sum}
	}
	h.SetSize(120, 40)
	wantText(t, h, "● Card requests waiting for a decision  11 oldest 26 d tazco")
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

// The row for change requests has the first place before its count, while counts arrive and after them.
func TestRowForChangeRequestsStaysFirst(t *testing.T) {
	o := twoProfiles(t)
	o.source.HasRequests = true
	h, _ := newLoadedHome(t, o, "")
	h.SetSize(140, 40)
	want := func(state string) {
		t.Helper()
		var titles []string
		for _, r := range h.attention.rows {
			titles = append(titles, r.title)
		}
		if len(titles) < 2 || titles[0] != reviewTitle || slices.Contains(titles[1:], reviewTitle) {
			t.Errorf("%s: got rows %q, want the change requests first and once", state, titles)
		}
	}
	want("before the counts")
	h.focusSection(h.attention)
	for i, p := range o.list {
		sum := dashboard.Summary{Review: dashboard.PendingRequests{Table: "requests"}}
		for _, q := range p.Queues {
			sum.Queues = append(sum.Queues, dashboard.Queue{Queue: q, Progress: dashboard.Progress{Done: true}, Count: dashboard.Count{N: 3}})
		}
		h.counter.running = &runningCount{profile: p.Name}
		h.counter.boards[p.Name] = &board{workspace: workspace.New(session.Options{Profile: p}), sum: sum}
		h.arrange()
		want("during the count of " + p.Name)
		b := h.counter.boards[p.Name]
		b.sum.Review.Done, b.sum.Review.Count.N = true, 3*i
		h.arrange()
		want("after the count of " + p.Name)
		h.counter.running = nil
		h.arrange()
	}
	h.focusSection(h.tables)
	h.arrange()
	want("outside of the list")
	wantText(t, h, "● Change requests to review                3")
}
