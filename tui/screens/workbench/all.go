package workbench

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/results"
)

// A stream hands the pages of a read over to the screen, one after the other: the
// reader does not run ahead of what is shown.
type stream struct {
	loading
	pages chan streamedPage
	end   chan error // has room: nobody may be there to hear of it
}

type streamedPage struct {
	run  *reading.Run
	page reading.Page
	took time.Duration
}

// next waits for the next page, or for the end. Pages come before the end.
func (t *stream) next() tea.Msg {
	msg := pageLoadedMsg{req: t.req, run: t.run, stream: t}
	select {
	case p := <-t.pages:
		msg.run, msg.page, msg.took = p.run, p.page, p.took
	case msg.err = <-t.end:
		msg.ended = true
	}
	return t.pack(msg)
}

// all reads to the end. A run that there is goes on; else it is a new one, which
// may be split.
func (l loading) All(ctx context.Context) tea.Cmd {
	t := &stream{l, make(chan streamedPage), make(chan error, 1)}
	return tea.Batch(t.next, func() tea.Msg {
		t.end <- t.read(ctx)
		return nil
	})
}

func (t *stream) read(ctx context.Context) error {
	run := t.run
	if run == nil {
		var err error
		if run, err = t.begin(true); err != nil {
			return err
		}
	}
	from := time.Now()
	return run.All(ctx, func(p reading.Page) error {
		now := time.Now()
		took := now.Sub(from)
		from = now
		select {
		case t.pages <- streamedPage{run, p, took}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// readAll reads on to the end. Of a whole table it says what that takes, and asks.
func (rn *runner) readAll() tea.Cmd {
	if rn.noAll() != "" {
		return nil
	}
	j := rn.b.job
	if !j.run.Request().IsScan() {
		return rn.load(true)
	}
	var anew bool
	q := overlay.NewQuestion("Read the whole table?", "SCAN", "Read it all", func() tea.Cmd {
		switch {
		case rn.b.job != j || rn.noAll() != "":
			return nil
		case anew:
			return rn.startWith(j.sent, true)
		}
		return rn.load(true)
	}, "Every item of "+j.pattern.Table.Name+" is read, and those that this pattern asks for are shown as they come.",
		"asking how large it is …",
		"esc stops it: what was read stays, and n goes on from there.")
	table, index := j.pattern.Table, j.run.Request().Read.Index
	done, parts := j.run.Parts()
	q.Sized = func(e reading.Estimate) {
		// One reader of a large table takes as many times as long: what it has read
		// so far is soon read again.
		if anew = parts == 1 && done == 0 && e.Segments > 1; anew {
			q.Text[2] = fmt.Sprintf(
				"It is read from the beginning, in %d segments at the same time. esc stops it: what was read stays, and n goes on "+
					"from there.",
				e.Segments,
			)
		}
	}
	rn.b.Box = q
	return results.AskSize(rn.b.ctx, rn.b.env.Workspace, table, index)
}

// noAll says why there is nothing to read on to the end.
func (rn *runner) noAll() string {
	if rn.b.job != nil && rn.b.job.all && rn.b.job.loading() {
		return "it is being read to the end; esc stops it"
	}
	if why := rn.noMore(); why != "" {
		return why
	}
	if rn.b.job.run == nil || rn.b.job.err != nil && rn.b.job.rows.Items.Len() == 0 {
		return "nothing was read yet: n tries again"
	}
	if op := rn.b.job.pattern.Read.Operation; op == accesspatterns.Count {
		return "a count always reads to the end"
	}
	return ""
}
