package queue

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// pageRows is the number of rows that are read at first, and that n adds.
const pageRows = 200

// loadFigures are the figures of a load.
type loadFigures struct {
	capacity float64 // read units
	took     time.Duration
	at       time.Time // when it ended
}

// String spells the figures: "6.5 RCU · 12 ms · as of 10:04:12 UTC".
func (f loadFigures) String() string {
	text := ""
	if f.capacity > 0 {
		text = fmt.Sprintf("%g RCU · ", f.capacity)
	}
	return text + present.Short(f.took) + " · as of " + f.at.UTC().Format("15:04:05") + " UTC"
}

// loadedMsg is the result of a load.
type loadedMsg struct {
	task     *screen.Task
	items    []models.Item
	more     bool
	capacity float64
	err      error
	took     time.Duration
}

func (j *queueJob) needsConsent() bool { return j.scan && !j.consented }

func (r *refresher) load() tea.Cmd {
	j := r.s.job()
	if j == nil || !j.ready || j.task.Running() || j.needsConsent() {
		return nil
	}
	task, ctx, tick := screen.StartTask(r.s.ctx)
	j.task, j.outdated = task, false
	env, p, args, limit, scan := r.s.env.Workspace, j.queue.Pattern, j.args, j.limit, j.consented
	return tea.Batch(tick, func() tea.Msg {
		start := time.Now()
		msg := loadedMsg{task: task}
		run, err := env.Reading.Start(p, args, reading.RunOptions{Limit: limit, AllowScan: scan})
		for err == nil {
			var page reading.Page
			page, err = run.Next(ctx)
			msg.items, msg.more = append(msg.items, page.Items...), page.More
			msg.capacity += page.Capacity
			if !page.More || len(msg.items) >= limit {
				break
			}
		}
		env.History.See(p.Table, msg.items)
		msg.err, msg.took = err, time.Since(start)
		return msg
	})
}

// Committed shows what a change made of items. A read of their table that is under way may
// return an older state, so that it is abandoned and started again.
func (s *queueScreen) Committed(list []screen.Committed) tea.Cmd {
	var cmd tea.Cmd
	for i, j := range s.jobs {
		if !slices.ContainsFunc(list, func(c screen.Committed) bool { return c.Table == j.queue.Pattern.Table }) {
			continue
		}
		j.rows.learn(list)
		j.outdated = true
		if !j.task.Running() {
			continue
		}
		if j.task.End(); i == s.tabs.Active && !s.auto.clock.hidden {
			cmd = s.auto.load()
		}
	}
	return cmd
}

func (r *refresher) arrived(msg loadedMsg) tea.Cmd {
	for _, j := range r.s.jobs {
		if j.task != msg.task || !j.task.Running() {
			continue
		}
		j.task.End()
		again := j.err != nil
		defer func() { j.opens = false }()
		j.err = msg.err
		if msg.err != nil && j.ran {
			return nil
		}
		j.figures = loadFigures{capacity: msg.capacity, took: msg.took, at: r.s.env.Session.Now()}
		if msg.err == nil || len(msg.items) > 0 {
			j.ran, j.more = true, msg.more || msg.err != nil
			defer r.s.titleTabs()
			return tea.Batch(j.rows.take(msg.items), r.s.openKept(j), r.tellHome(j))
		}
		if again { // An automatic refresh does not offer it again.
			return nil
		}
		return connection.OfferSignIn(msg.err)
	}
	return nil
}

func (r *refresher) tellHome(j *queueJob) tea.Cmd {
	if len(j.queue.Params) > 0 {
		return nil
	}
	return screen.Send(screen.WaitingMsg{
		Profile: r.s.env.Session.Profile().Name, Queue: j.queue.ID,
		N: j.rows.waiting(), More: j.more, At: j.figures.at,
	})
}

func (r *refresher) askScan(j *queueJob) tea.Cmd {
	p := j.queue.Pattern
	q := overlay.NewQuestion("Read the whole table?", "SCAN", "Read it", func() tea.Cmd {
		j.consented = true
		return r.refresh()
	}, "No index serves this queue. It reads every item of "+p.Table.Name+", and you pay for all of them, also for those that need no "+
		"decision.",
		"Estimating the size …",
		"It is read again only on request. esc stops it.")
	return r.s.AskScan(r.s.ctx, r.s.env, p.Table, p.Read, q)
}

func (r *refresher) readSmall(j *queueJob) tea.Cmd {
	j.sized = true
	p := j.queue.Pattern
	return r.s.ScanSmall(r.s.ctx, r.s.env, p.Table, p.Read, func() tea.Cmd {
		j.consented = true
		return r.refresh()
	})
}

func (r *refresher) askRefresh() tea.Cmd {
	j := r.s.job()
	switch {
	case !j.ready:
		return r.s.askParameters()
	case j.needsConsent():
		return r.askScan(j)
	}
	for _, row := range j.rows.list {
		row.isNew = false
	}
	return r.refresh()
}
