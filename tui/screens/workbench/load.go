package workbench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// pageLoadedMsg is an answer to the load req.
type pageLoadedMsg struct {
	req  int
	run  *reading.Run
	page reading.Page // its items are packed
	rows rows.Batch
	keys []string // of the items, when some are awaited
	err  error
	took time.Duration

	stream *stream // more comes from it, nil for a single page
	ended  bool    // of a stream: nothing more comes
}

// loadTickedMsg moves the spinner of the load req.
type loadTickedMsg struct{ req int }

// submit runs the chosen pattern with what the form holds.
func (rn *runner) submit() tea.Cmd {
	j := rn.b.job
	if j == nil {
		return nil
	}
	if !j.pattern.IsRead() {
		return screen.Send(screen.NoticeMsg{Text: "this pattern writes: it is explained, not run"})
	}
	if err := j.form.Validate(); err != nil {
		rn.b.panes.setFocus(paneForm)
		return nil
	}
	if j.sent != nil && j.line.Request == j.sent {
		j.bind() // The same question again is about now.
	}
	request := j.line.Request
	switch {
	case request == nil:
		rn.blame(j.line.Err)
		return nil
	case request.IsScan():
		return rn.askScan(request)
	}
	return rn.Start(request)
}

// blame shows an error at the parameter that it is about.
func (rn *runner) blame(err error) {
	var p *accesspatterns.ParamError
	if !errors.As(err, &p) || rn.b.job.pattern.Param(p.Param) == nil {
		rn.b.job.err = err
		return
	}
	rn.b.job.form.SetError(p.Param, errors.New(p.Param+": "+p.Reason))
	rn.b.job.form.FocusField(p.Param)
	rn.b.panes.setFocus(paneForm)
}

// start begins a run of the request; what was found before goes.
func (rn *runner) Start(r *accesspatterns.Request) tea.Cmd { return rn.startWith(r, false) }

// startWith begins a run, with its first page or with all of it.
func (rn *runner) startWith(r *accesspatterns.Request, all bool) tea.Cmd {
	j := rn.b.job
	j.abandon()
	if j.sent != nil && maps.Equal(r.Given, j.sent.Given) {
		j.rows.KeepCursor(j.grid.Cursor())
	} else {
		j.rows.Reset()
	}
	rn.b.env.History.Remember(j.pattern, r.Given)
	j.sent, j.sentLine, j.entered = r, present.SpellRequest(rn.b.env, r, j.hidden), nil
	j.run, j.err, j.more, j.cancelled, j.ran = nil, nil, false, false, false
	j.warnings, j.count, j.sums = nil, 0, sums{}
	lost := j.rows.Clear()
	j.grid.SetSource(results.MarkedRows{Rows: j.rows})
	rn.b.filtering.finding = false
	rn.b.draw.preview.Forget()
	return tea.Batch(rn.load(all), lost)
}

// load reads the next page, or on to the end.
func (rn *runner) load(all bool) tea.Cmd {
	j := rn.b.job
	if j.loading() {
		return nil
	}
	ctx, cancel := context.WithCancel(rn.b.ctx)
	rn.loads++
	j.req, j.cancel, j.elapsed = rn.loads, cancel, 0
	j.err, j.cancelled = nil, false
	j.progress = &reading.Progress{}
	ctx = j.progress.Watch(ctx)
	j.all = all
	s, p, request, scan := rn.b.env.Workspace, j.pattern, j.sent, j.consented
	l := loading{
		req: j.req, run: j.run, table: p.Table, press: j.rows.Items.Packer(), awaits: j.rows.AwaitsKeys(),
		begin: func(all bool) (*reading.Run, error) {
			return s.Reading.Run(request, reading.RunOptions{AllowScan: scan, All: all})
		},
	}
	if all {
		return tea.Batch(ticked(l.req), l.All(ctx))
	}
	return tea.Batch(ticked(l.req), func() tea.Msg { return l.page(ctx) })
}

// loading is what reads for a job, away from the screen.
type loading struct {
	req    int
	run    *reading.Run // nil: it is yet to begin
	begin  func(all bool) (*reading.Run, error)
	table  *models.Table
	press  *rows.Packer
	awaits bool // rows are known by their keys
}

// page reads the next page.
func (l loading) page(ctx context.Context) tea.Msg {
	from := time.Now()
	msg := pageLoadedMsg{req: l.req, run: l.run}
	if msg.run == nil {
		msg.run, msg.err = l.begin(false)
	}
	if msg.err == nil {
		msg.page, msg.err = msg.run.Next(ctx)
	}
	msg.took = time.Since(from)
	return l.pack(msg)
}

// pack makes the items of a page ready for the shelf.
func (l loading) pack(msg pageLoadedMsg) pageLoadedMsg {
	if l.awaits {
		msg.keys = results.KeyTexts(l.table, msg.page.Items)
	}
	msg.rows, msg.page.Items = l.press.Pack(msg.page.Items), nil
	return msg
}

func ticked(req int) tea.Cmd {
	return tea.Tick(widget.BusyFrame, func(time.Time) tea.Msg { return loadTickedMsg{req} })
}

// next reads on, when there is more to read.
func (rn *runner) next() tea.Cmd {
	if rn.noMore() != "" {
		return nil
	}
	return rn.load(false)
}

// noMore says why there is no next page.
func (rn *runner) noMore() string {
	j := rn.b.job
	switch {
	case j == nil || j.sent == nil:
		return "nothing was asked yet"
	case j.loading() && j.cancelled:
		return "the last page is still being stopped"
	case j.loading():
		return "a page is being read"
	case j.more || j.cancelled || j.err != nil:
		return ""
	}
	return "that was the last page"
}

// arrived takes an answer in, unless nobody waits for it any more.
func (rn *runner) arrived(msg pageLoadedMsg) tea.Cmd {
	j := rn.jobOf(msg.req)
	if j == nil {
		return nil
	}
	goesOn := msg.stream != nil && !msg.ended
	if !goesOn {
		j.cancel()
		j.req = 0
	}
	j.ran = true
	if msg.run != nil {
		j.run = msg.run
		j.warnings = msg.run.Request().Warnings
	}
	first := j.rows.Items.Len() == 0
	j.sums.Add(msg, rn.b.env.Session.Now())
	j.err = msg.err
	if !msg.ended || msg.err == nil {
		j.more = msg.page.More
	}
	if !goesOn {
		if j.cancelled = j.cancelled && msg.err != nil; j.cancelled {
			j.err = nil
		}
	}
	if msg.run != nil && msg.run.Request().IsCount() {
		j.count = msg.page.Count
	}
	j.rows.Take(msg.rows, msg.keys)
	if j.pattern.ExpectOne && j.rows.Items.Len() > 1 {
		j.warnings = append(j.warnings, fmt.Sprintf("one item was expected, %d came", j.rows.Items.Len()))
	}
	rn.b.draw.preview.Forget()
	if j == rn.b.job {
		rn.b.Arrange()
		if first && j.rows.Items.Len() > 0 && rn.b.focus == paneForm {
			rn.b.panes.setFocus(paneRows)
		}
	}
	cmds := []tea.Cmd{rn.readOn(j), connection.OfferSignIn(j.err)}
	if goesOn {
		cmds = append(cmds, msg.stream.next)
	}
	return tea.Batch(cmds...)
}

// Retry goes on with what stopped at an error.
func (b *Workbench) Retry() tea.Cmd {
	if b.job == nil || b.job.err == nil || b.runs.noMore() != "" {
		return nil
	}
	return b.runs.next()
}

// jobOf finds the job that waits for the load, nil for none.
func (rn *runner) jobOf(req int) *job {
	for _, j := range rn.b.jobs {
		if j.req == req && req != 0 {
			return j
		}
	}
	return nil
}

func (s *sums) Add(msg pageLoadedMsg, now time.Time) {
	if msg.err == nil && !msg.ended {
		s.pages++
	}
	s.scanned += msg.page.Scanned
	s.requests += msg.page.Requests
	s.capacity += msg.page.Capacity
	s.took += msg.took
	s.at = now
}

// Status is the figures of the chosen pattern's run.
func (b *Workbench) Status() string {
	j := b.job
	switch {
	case j == nil:
		return "no pattern"
	case !j.pattern.IsRead():
		return "a write, explained"
	case j.loading() && !j.cancelled && !j.ran:
		return "asking"
	case !j.ran:
		return "No query run yet"
	}
	if b.filtering.finding && b.lay.note.H == 0 && j.rows.Typed.Problem != nil {
		return "✗ " + j.rows.Typed.Problem.Error() // There is no line under the filter.
	}
	n := j.rows.Len()
	if j.rows.Items.Len() == 0 && j.err != nil {
		return "✗ nothing was read · " + present.Short(j.sums.took)
	}
	text := present.Plural(n, "item")
	if all := j.rows.Items.Len(); n < all {
		text = fmt.Sprintf("%s of %s", present.Thousands(n), present.Plural(all, "item"))
	} else if j.more {
		text = fmt.Sprintf("%s of %s+ items", present.Thousands(n), present.Thousands(n))
	}
	if j.run != nil && j.run.Request().IsCount() {
		text = present.Thousands(j.count) + " counted"
	}
	if n := j.rows.Marks.Len(); n > 0 {
		text += " · " + present.Thousands(n) + " marked"
	}
	if j.cancelled {
		text += ", stopped"
	}
	if j.err != nil {
		text = "✗ " + text
	}
	text += " · " + present.Plural(j.sums.pages, "page")
	if j.sums.capacity > 0 {
		text += fmt.Sprintf(" · %g RCU", j.sums.capacity)
	}
	if j.sums.scanned > j.rows.Items.Len() && j.count == 0 {
		text += " · " + present.Plural(j.sums.scanned, "item") + " read"
	}
	return text + " · " + present.Short(j.sums.took) + " · as of " + j.sums.at.UTC().Format("15:04:05") + " UTC"
}
