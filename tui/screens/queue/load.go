package queue

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// queuePage is how many rows are read at first, and how many more n asks for.
const queuePage = 200

// loadFigures are the figures of a reading.
type loadFigures struct {
	requests int
	capacity float64
	took     time.Duration
	at       time.Time // zero before the first
	progress *reading.Progress
}

// String spells the figures: "33 requests · 6.5 RCU · 12 ms · as of 10:04:12 UTC".
func (f loadFigures) String() string {
	text := ""
	if f.capacity > 0 {
		text = fmt.Sprintf("%g RCU · ", f.capacity)
	}
	return text + present.Short(f.took) + " · as of " + f.at.UTC().Format("15:04:05") + " UTC"
}

// queueLoadedMsg is the answer to the load req.
type queueLoadedMsg struct {
	req   int
	items []models.Item
	more  bool
	page  reading.Page // figures only
	err   error
	took  time.Duration
}

// queueTickedMsg moves the spinner of the load req.
type queueTickedMsg struct{ req int }

func (j *queueJob) loading() bool { return j.req != 0 }

// abandon cancels the load and drops its answer.
func (j *queueJob) abandon() {
	if j.loading() {
		j.cancel()
		j.req = 0
	}
}

// needsConsent reports whether the queue reads a whole table and nobody agreed
// to that yet.
func (j *queueJob) needsConsent() bool { return j.scan && !j.consented }

// refresh reads the queue in view from its start.
func (ld *queueLoader) refresh() tea.Cmd {
	j := ld.s.job()
	if j == nil || j.loading() || j.needsConsent() {
		return nil
	}
	ctx, cancel := context.WithCancel(ld.s.ctx)
	ld.loads++
	j.req, j.cancel, j.elapsed, j.stopped = ld.loads, cancel, 0, false
	j.figures.progress = &reading.Progress{}
	ctx = j.figures.progress.Watch(ctx)
	se, q, req, limit, scan := ld.s.env.Workspace, j.queue, j.req, j.limit, j.consented
	return tea.Batch(queueTicked(req), func() tea.Msg {
		from := time.Now()
		msg := queueLoadedMsg{req: req}
		run, err := se.Reading.Start(q.Pattern, q.Args, reading.RunOptions{Limit: limit, AllowScan: scan})
		for err == nil {
			var page reading.Page
			page, err = run.Next(ctx)
			msg.items, msg.more = append(msg.items, page.Items...), page.More
			msg.page.Capacity += page.Capacity
			msg.page.Requests += page.Requests
			if !page.More || len(msg.items) >= limit {
				break
			}
		}
		msg.err, msg.took = err, time.Since(from)
		return msg
	})
}

func queueTicked(req int) tea.Cmd {
	return tea.Tick(widget.BusyFrame, func(time.Time) tea.Msg { return queueTickedMsg{req} })
}

// arrived takes an answer in, unless nobody waits for it any more. After an
// error the rows stay as they were.
func (ld *queueLoader) arrived(msg queueLoadedMsg) tea.Cmd {
	for _, j := range ld.s.jobs {
		if j.req != msg.req || msg.req == 0 {
			continue
		}
		j.cancel()
		again := j.err != nil // It reads by itself: what is known is not said anew.
		j.req, j.err = 0, msg.err
		if msg.err != nil && j.ran {
			continue
		}
		j.figures = loadFigures{requests: msg.page.Requests, capacity: msg.page.Capacity, took: msg.took, at: ld.s.env.Session.Now()}
		if msg.err == nil || len(msg.items) > 0 {
			j.ran, j.more = true, msg.more || msg.err != nil
			j.bring(msg.items)
			ld.s.draw.preview.Forget()
			return screen.Send(screen.WaitingMsg{
				Profile: ld.s.env.Session.Profile().Name, Queue: j.queue.ID,
				Text: j.waiting() + " as of " + j.figures.at.UTC().Format("15:04") + " UTC",
			})
		}
		if again {
			return nil
		}
		return connection.OfferSignIn(msg.err)
	}
	return nil
}

// Retry reads the queue again that could not be read.
func (s *queueScreen) Retry() tea.Cmd { return s.loader.refresh() }

// spun moves the spinner.
func (ld *queueLoader) spun(msg queueTickedMsg) tea.Cmd {
	for _, j := range ld.s.jobs {
		if j.req == msg.req && msg.req != 0 {
			j.elapsed += widget.BusyFrame
			return queueTicked(msg.req)
		}
	}
	return nil
}

// askScan asks before a queue without an index is read.
func (ld *queueLoader) askScan(j *queueJob) tea.Cmd {
	p := j.queue.Pattern
	ld.s.Box = overlay.NewQuestion("Read the whole table?", "SCAN", "Read it", func() tea.Cmd {
		j.consented = true
		return tea.Batch(ld.refresh(), ld.s.clock.startClock())
	}, "There is no index for this queue: every item of "+p.Table.Name+" is read, and what does not wait is thrown away "+
		"after it was paid for.",
		"asking how large it is …",
		"It is read again only when you ask for it; esc stops it.")
	return results.AskSize(ld.s.ctx, ld.s.env.Workspace, p.Table, p.Read.Index)
}
