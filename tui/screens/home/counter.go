package home

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

const (
	// countPause is how long the cursor stays on a profile before it is counted without being asked.
	countPause = 300 * time.Millisecond
	// freshFor is how long numbers are not read again without being asked.
	freshFor = time.Minute
)

// A counter reads the numbers of the selected profile, and keeps those of the others.
type counter struct {
	h *Home

	boards  map[string]*board // by profile
	running *counting         // nil unless a profile is being counted
	hidden  bool              // another screen is in view
	soon    string            // the profile that is counted after a pause, "" for none
	due     int               // counts these pauses, so that only the last one counts
}

// A board is what is known about the database of a profile.
type board struct {
	workspace *workspace.Workspace // nil until it is connected
	sum       dashboard.Summary
	err       error // why it could not be connected
	outdated  bool  // items were changed since
}

// A counting is a profile that is being counted.
type counting struct {
	profile   string
	requested bool // by the user
	cancel    context.CancelFunc
}

// countDueMsg says that the cursor stayed on a profile.
type countDueMsg struct{ due int }

// countedMsg is the result of a step.
type countedMsg struct {
	of        *counting
	workspace *workspace.Workspace
	sum       dashboard.Summary
	err       error   // why there is no connection
	next      tea.Cmd // nil after the last step
}

// of returns what is known about a profile, nil if it was not counted, or if the profile was edited since.
func (c *counter) of(p *profiles.Profile) *board {
	b := c.boards[p.Name]
	if b == nil || b.workspace != nil && b.workspace.Session.Profile() != p {
		return nil
	}
	return b
}

// connection returns the connection of a profile, nil if there is none for this version of it.
func (c *counter) connection(p *profiles.Profile) *workspace.Workspace {
	if w := c.h.known[p.Name]; w != nil && w.Session.Profile() == p {
		return w
	}
	return nil
}

// forget drops all numbers, which may be those of another connection.
func (c *counter) forget() {
	c.stop()
	clear(c.boards)
}

// stop ends the counting. Its numbers are kept, and read again the next time.
func (c *counter) stop() {
	c.due++
	c.soon = ""
	if c.running == nil {
		return
	}
	c.running.cancel()
	if b := c.boards[c.running.profile]; b != nil {
		b.outdated = true
	}
	c.running = nil
	c.h.about.describeAgain()
}

// consider counts the selected profile after a pause, if that needs no request of the user: it is not production, and it
// is connected, or connecting asks nothing.
func (c *counter) consider() tea.Cmd {
	p := c.h.Selected()
	if c.running != nil && (p == nil || p.Name != c.running.profile) {
		c.stop()
	}
	if p == nil || c.running != nil || c.soon == p.Name || c.hidden || c.h.find.shows() || !c.stale(p) {
		return nil
	}
	if w := c.connection(p); w == nil && !c.h.opener.Local() || w != nil && w.Session.Production() {
		return nil
	}
	c.due++
	c.soon = p.Name
	due := c.due
	return tea.Tick(countPause, func(time.Time) tea.Msg { return countDueMsg{due} })
}

// stale reports whether a profile should be counted again.
func (c *counter) stale(p *profiles.Profile) bool {
	b := c.of(p)
	return b == nil || b.err == nil && (b.outdated || b.workspace != nil && b.workspace.Session.Now().Sub(b.sum.At) >= freshFor)
}

// isDue counts the selected profile if the cursor is still there.
func (c *counter) isDue(msg countDueMsg) tea.Cmd {
	if msg.due != c.due {
		return nil
	}
	c.soon = ""
	if p := c.h.Selected(); p == nil || c.running != nil || c.h.connect.opening != nil || !c.stale(p) {
		return nil
	}
	return c.start(dashboard.Options{})
}

// count counts the selected profile on request. If tables are offered, this agrees to scan them.
func (c *counter) count() tea.Cmd {
	p := c.h.Selected()
	if p == nil {
		return nil
	}
	c.stop()
	b := c.of(p)
	return c.start(dashboard.Options{Requested: true, Scan: b != nil && len(b.sum.Offers) > 0})
}

// start connects the selected profile if necessary, and reads its numbers step by step.
func (c *counter) start(o dashboard.Options) tea.Cmd {
	p := c.h.Selected()
	if p == nil {
		return nil
	}
	o.ScanUnits = c.h.limits.ScanUnits
	run := &counting{profile: p.Name, requested: o.Requested}
	ctx, cancel := context.WithCancel(c.h.ctx)
	run.cancel, c.running = cancel, run
	c.h.about.describeAgain()
	w, open := c.connection(p), c.h.connect.connects(p)
	return func() tea.Msg {
		if w == nil {
			var err error
			if w, err = open(ctx); err != nil {
				return countedMsg{of: run, err: err}
			}
		}
		return step(ctx, run, w, dashboard.New(w, o))()
	}
}

// step returns the command that reads the next part of a board.
func step(ctx context.Context, run *counting, w *workspace.Workspace, b *dashboard.Board) tea.Cmd {
	return func() tea.Msg {
		msg := countedMsg{of: run, workspace: w}
		if b.Next(ctx) {
			msg.next = step(ctx, run, w, b)
		}
		msg.sum = b.Summary()
		return msg
	}
}

// counted shows the result of a step, and starts the next one.
func (c *counter) counted(msg countedMsg) tea.Cmd {
	if msg.of != c.running {
		return nil
	}
	b := &board{workspace: msg.workspace, sum: msg.sum, err: msg.err}
	c.boards[msg.of.profile] = b
	if msg.workspace != nil && c.h.known[msg.of.profile] == nil {
		c.h.known[msg.of.profile] = msg.workspace
	}
	if msg.next == nil {
		msg.of.cancel()
		c.running = nil
		c.h.shelf.fill()
	}
	c.h.about.describeAgain()
	switch {
	case msg.err != nil && msg.of.requested:
		return connection.OfferSignIn(msg.err)
	case msg.sum.Err != nil && msg.of.requested:
		return connection.OfferSignIn(msg.sum.Err)
	}
	return msg.next
}

// status says how old the numbers of the selected profile are, and what they cost.
func (c *counter) status() string {
	p := c.h.Selected()
	switch {
	case p == nil:
		return ""
	case c.running != nil && c.running.profile == p.Name:
		return "counting…"
	}
	b := c.of(p)
	if b == nil || b.workspace == nil || b.sum.At.IsZero() || b.sum.Unread {
		return ""
	}
	text := "counted " + present.Age(b.sum.At, b.workspace.Session.Now())
	if b.sum.Requests > 0 {
		text = present.Spent(b.sum.Requests, "read", b.sum.Capacity) + " · " + text
	}
	if b.sum.Cut {
		text = "incomplete · " + text
	}
	return text
}

// Committed notes that items were changed: the numbers are read again when home comes back into view.
func (h *Home) Committed(list []screen.Committed) tea.Cmd {
	for _, b := range h.counter.boards {
		if b.workspace == nil {
			continue
		}
		for _, change := range list {
			if b.workspace.Session.Profile().Table(change.Table.ID) == change.Table {
				b.outdated = true
			}
		}
	}
	return nil
}

// Waits stores the number of items in a queue, as its screen has read it.
func (h *Home) Waits(msg screen.WaitingMsg) {
	b, w := h.counter.boards[msg.Profile], h.known[msg.Profile]
	if w == nil {
		return
	}
	if b == nil {
		b = &board{workspace: w, sum: dashboard.New(w, dashboard.Options{Requested: true}).Summary(), outdated: true}
		h.counter.boards[msg.Profile] = b
	}
	for i := range b.sum.Queues {
		if q := &b.sum.Queues[i]; q.Queue.ID == msg.Queue {
			q.Count, q.Done, q.Err = dashboard.Count{N: msg.N, More: msg.More}, true, nil
			b.sum.At = msg.At
		}
	}
	h.shelf.fill()
	h.about.describeAgain()
}
