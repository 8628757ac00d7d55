package home

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

const (
	// countPause is how long the cursor must stay on a schema before home counts its items automatically.
	countPause = 300 * time.Millisecond
	// minCountAge is the minimum age of counts before home reads them again automatically.
	minCountAge = time.Minute
)

// A counter reads and keeps the counts of the selected schema and the queues of the other schemas.
type counter struct {
	h *Home

	boards      map[string]*board // by schema
	running     *runningCount     // nil unless a count is running
	hidden      bool              // another screen is visible
	nextProfile *profiles.Profile // schema to count after a pause, or nil
	pause       *screen.Task
}

// A board contains the connection to a schema's database and its counts.
type board struct {
	workspace *workspace.Workspace // nil until home has connected
	sum       dashboard.Summary
	err       error // reason why the connection failed
	outdated  bool  // items changed after the count
}

// A runningCount is a running count.
type runningCount struct {
	profile   string
	requested bool // the user requested the count
	cancel    context.CancelFunc
}

// boardOf returns the counts of a schema. It returns nil before the first count, and after an edit of the schema.
func (c *counter) boardOf(p *profiles.Profile) *board {
	b := c.boards[p.Name]
	if b == nil || b.workspace != nil && b.workspace.Session.Profile() != p {
		return nil
	}
	return b
}

func (c *counter) session(p *profiles.Profile) *workspace.Workspace {
	if w := c.h.sessions[p.Name]; w != nil && w.Session.Profile() == p {
		return w
	}
	return nil
}

func (c *counter) reset() {
	c.stop()
	clear(c.boards)
}

func (c *counter) stop() {
	c.pause.End()
	c.nextProfile = nil
	if c.running == nil {
		return
	}
	c.running.cancel()
	if b := c.boards[c.running.profile]; b != nil {
		b.outdated = true
	}
	c.running = nil
}

// scheduleCount schedules an automatic count if home may count without a request. It counts the selected schema first.
func (c *counter) scheduleCount() tea.Cmd {
	selected := c.h.Selected()
	if c.running != nil && (selected == nil || selected.Name != c.running.profile && c.mayCount(selected)) {
		c.stop()
	}
	if selected == nil || c.running != nil || c.hidden || c.h.find.hasText() {
		return nil
	}
	p, pause := selected, countPause
	if !c.mayCount(selected) {
		i := slices.IndexFunc(c.h.profiles, c.mayCount)
		if i < 0 {
			return nil
		}
		p, pause = c.h.profiles[i], 0
	}
	if c.nextProfile == p {
		return nil
	}
	c.pause.End()
	c.nextProfile = p
	var cmd tea.Cmd
	c.pause, cmd = screen.After(pause, c.startScheduled)
	return cmd
}

// mayCount reports whether home may count automatically. A schema without a table must be selected.
func (c *counter) mayCount(p *profiles.Profile) bool {
	if !c.isStale(p) || p.IsSchemaless() || c.h.db.err != nil || c.h.db.isListed && !c.h.db.covers(p) && p != c.h.Selected() {
		return false
	}
	if w := c.session(p); w != nil {
		return !w.Session.Production()
	}
	return c.h.source.Local || c.h.db.isListed && c.h.StageFor(p) != session.Production && p.Session == profiles.SessionRules{}
}

func (c *counter) isStale(p *profiles.Profile) bool {
	b := c.boardOf(p)
	switch w := c.session(p); {
	case b == nil:
		return true
	case b.err != nil:
		return false
	case w != nil && b.sum.Review.IsOutdated(w.Requests.Known()): // The user filed or decided a change request.
		return true
	case b.outdated:
		return true
	case p != c.h.Selected():
		return false
	case b.sum.Brief:
		return true
	}
	return b.workspace != nil && b.workspace.Session.Now().Sub(b.sum.At) >= minCountAge
}

func (c *counter) startScheduled() tea.Cmd {
	p := c.nextProfile
	c.nextProfile = nil
	selected := c.h.Selected()
	if c.running != nil || c.h.opening != nil || !c.mayCount(p) || p != selected && selected != nil && c.mayCount(selected) {
		return nil
	}
	return c.start(p, dashboard.Options{Brief: p != selected})
}

// count counts at the user's request. Pressing the key again is the consent to the offered scans.
func (c *counter) count() tea.Cmd {
	p := c.h.Selected()
	if p == nil {
		return nil
	}
	c.stop()
	b := c.boardOf(p)
	return c.start(p, dashboard.Options{Requested: true, Scan: b != nil && len(b.sum.Offers) > 0})
}

func (c *counter) start(p *profiles.Profile, o dashboard.Options) tea.Cmd {
	o.ScanUnits = c.h.limits.ScanUnits
	run := &runningCount{profile: p.Name, requested: o.Requested}
	ctx, cancel := context.WithCancel(c.h.ctx)
	run.cancel, c.running = cancel, run
	c.h.fillSections()
	w, open := c.session(p), c.h.connector(p)
	return func() tea.Msg {
		if w == nil {
			var err error
			if w, err = open(ctx); err != nil {
				return screen.Answer(func() tea.Cmd { return c.finishStep(run, &board{err: err}, nil) })
			}
		}
		return c.step(ctx, run, w, dashboard.New(w, o))()
	}
}

func (c *counter) step(ctx context.Context, run *runningCount, w *workspace.Workspace, b *dashboard.Board) tea.Cmd {
	return func() tea.Msg {
		var next tea.Cmd
		if b.Next(ctx) {
			next = c.step(ctx, run, w, b)
		}
		current := &board{workspace: w, sum: b.Summary()}
		return screen.Answer(func() tea.Cmd { return c.finishStep(run, current, next) })
	}
}

// finishStep handles one step of a count. next is nil after the last step.
func (c *counter) finishStep(run *runningCount, b *board, next tea.Cmd) tea.Cmd {
	if run != c.running {
		return nil
	}
	c.boards[run.profile] = b
	if b.workspace != nil && c.h.sessions[run.profile] == nil {
		c.h.sessions[run.profile] = b.workspace
	}
	if next == nil {
		run.cancel()
		c.running = nil
	}
	c.h.arrange()
	if err := cmp.Or(b.err, b.sum.Err); err != nil && run.requested {
		return connection.OfferSignIn(err)
	}
	return next
}

// status describes the time and the cost of the selected schema's counts. It omits the cost for role support.
func (c *counter) status(p *profiles.Profile) string {
	b := c.boardOf(p)
	switch {
	case c.running != nil && c.running.profile == p.Name:
		return "counting…"
	case b == nil || b.workspace == nil || b.sum.At.IsZero() || b.sum.Unread || b.sum.Brief || c.h.source.Missing != "":
		return ""
	}
	text := "counted " + present.Age(b.sum.At, b.workspace.Session.Now())
	if b.sum.Requests > 0 && !b.workspace.Session.Plain() {
		text = present.CostText(b.sum.Requests, "read", b.sum.Capacity) + " · " + text
	}
	if b.sum.Incomplete || !b.sum.Done {
		text = "incomplete · " + text
	}
	return text
}

// hasOnlyQueues reports whether home has counted a queue of the schema, but none of its states.
func (c *counter) hasOnlyQueues(p *profiles.Profile) bool {
	b := c.boardOf(p)
	return b != nil && c.running == nil && !slices.ContainsFunc(b.sum.States, func(s dashboard.States) bool { return len(s.Counts) > 0 })
}

func (c *counter) openFunc(p *profiles.Profile, then func(*screen.Env) screen.Target) func() tea.Cmd {
	return func() tea.Cmd {
		if b := c.boardOf(p); b != nil && b.workspace != nil {
			return screen.Send(screen.SessionMsg{Workspace: b.workspace, Then: then})
		}
		return c.h.Enter(p, then)
	}
}

func (c *counter) isExpected(p *profiles.Profile) bool {
	run := c.running
	return run != nil && run.profile == p.Name || c.mayCount(p)
}

const noTable = "table does not exist"

func (c *counter) uncountedReason(p *profiles.Profile, progress *dashboard.Progress) string {
	switch {
	case progress != nil && progress.Missing:
		return noTable
	case progress != nil && progress.Err != nil:
		return "not read: " + models.PrintableCell(progress.Err.Error(), widestLabel)
	case progress != nil && progress.Offered:
		return "needs a scan"
	case c.isExpected(p):
		return "…"
	case c.h.source.Missing != "":
		return "no connection"
	}
	return "not counted · ctrl+o c"
}

// Committed records a change of items. Home reads the counts again when it becomes visible.
func (h *Home) Committed(list []screen.CommittedChange) tea.Cmd {
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

// CountOf returns the number of items in a queue, or of open change requests if queue is "". It returns "" if home has
// not counted them.
func (h *Home) CountOf(p *profiles.Profile, queue string) string {
	b := h.counter.boardOf(p)
	if b == nil {
		return ""
	}
	if queue == "" && b.sum.Review.Known() {
		return b.sum.Review.Open.String()
	}
	for _, q := range b.sum.Queues {
		if q.Queue.ID == queue && q.Known() {
			return q.Count.String()
		}
	}
	return ""
}

// SetQueueCount stores the number of items in a queue, which the queue's screen has read.
func (h *Home) SetQueueCount(msg screen.QueueCountMsg) {
	b, w := h.counter.boards[msg.Profile], h.sessions[msg.Profile]
	if w == nil {
		return
	}
	if b == nil {
		b = &board{workspace: w, sum: dashboard.New(w, dashboard.Options{Requested: true}).Summary(), outdated: true}
		b.sum.At = msg.At
		h.counter.boards[msg.Profile] = b
	}
	for i := range b.sum.Queues {
		if q := &b.sum.Queues[i]; q.Queue.ID == msg.Queue {
			q.Count, q.Done, q.Err = dashboard.Count{N: msg.N, More: msg.More}, true, nil
		}
	}
	h.fillSections()
}
