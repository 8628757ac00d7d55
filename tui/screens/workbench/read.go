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
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// These are the steps of a read. A test can call each one.
//
//	submit    validates the form and binds the request; a scan asks for consent
//	start     replaces the rows and starts a run of the request
//	load      starts a task that reads a page, or all pages, and packs the items for the row store
//	showPage  adds the page to the rows
//
// The workbench discards a page whose task has ended, for example because the user ran the pattern again.

func (j *job) submit() tea.Cmd {
	if !j.pattern.IsRead() {
		return screen.Send(screen.NoticeMsg{Text: j.cannotWrite()})
	}
	if err := j.input.form.Validate(); err != nil {
		j.b.setFocus(paneForm)
		return nil
	}
	if j.sent != nil && j.input.requestLine.Request == j.sent {
		j.bindRequest() // Bind again, because the relative times of a repeated query refer to now.
	}
	request := j.input.requestLine.Request
	switch {
	case request == nil:
		j.showParamError(j.input.requestLine.Err)
		return nil
	case request.IsScan():
		return j.confirmScan(request)
	}
	return j.start(request, false)
}

func (j *job) showParamError(err error) {
	p, ok := errors.AsType[*accesspatterns.ParamError](err)
	if !ok || j.pattern.Param(p.Param) == nil {
		j.err = err
		return
	}
	j.input.form.SetError(p.Param, present.ReadableParamError(j.b.env, j.pattern.Param(p.Param), err))
	j.input.form.FocusField(p.Param)
	j.b.setFocus(paneForm)
}

func (j *job) confirmScan(request *accesspatterns.Request) tea.Cmd {
	p := j.pattern
	q := overlay.NewQuestion("Read the whole table?", "SCAN", "Read it", func() tea.Cmd {
		if j.b.job != j {
			return nil
		}
		j.consented = true
		return j.start(request, false)
	}, "This pattern scans "+p.Table.Name+" because no index covers it. You pay for every item, even if it does not match.",
		"Estimating the size …",
		"ddbdesk reads page by page. Press esc to stop, n to continue, o A to read to the end.")
	return j.b.ConfirmScan(j.b.ctx, j.b.env, request.Read, q, p.Table)
}

func (j *job) start(r *accesspatterns.Request, all bool) tea.Cmd {
	j.task.End()
	j.endWatch()
	if j.sent != nil && maps.Equal(r.Given, j.sent.Given) {
		j.rows.KeepCursor(j.rows.Grid.Cursor())
	} else {
		j.rows.Reset()
	}
	if j.pattern.CustomQuery == nil { // The history identifies a query only by the name of its pattern.
		j.b.env.History.RecordRun(j.pattern, r.Given)
	}
	j.sent, j.sentLine = r, present.DescribeBoundRequest(j.b.env, r, j.input.hidden)
	j.run, j.err, j.hasMore, j.hasPage, j.openFirst = nil, nil, false, false, false
	j.b.list.SetFilter("") // The user has found the pattern.
	j.b.list.Select(j.pattern.ID)
	j.warnings, j.count, j.totals = nil, 0, runTotals{}
	lost := j.rows.Clear()
	j.rows.Request, j.rows.GivenKeys = r, r.GivenKeys(j.input.hidden)
	j.rows.Grid.SetSource(j.rows.Rows)
	j.rows.Anchor(false)
	j.b.filter.typing = false
	return tea.Batch(j.load(all), lost)
}

// refresh repeats the last request, without later edits. It does not ask for consent to a scan again.
func (j *job) refresh() tea.Cmd {
	request, err := j.b.env.Reading.Rebind(j.sent)
	if err != nil {
		j.err = err
		return nil
	}
	if j.input.requestLine.Request == j.sent {
		j.input.requestLine = present.DescribeBoundRequest(j.b.env, request, j.input.hidden)
	}
	return j.start(request, false)
}

func (j *job) loadNext() tea.Cmd {
	if noMore(j) != "" {
		return nil
	}
	return j.load(false)
}

func (j *job) readAll() tea.Cmd {
	if cannotReadAll(j) != "" {
		return nil
	}
	if !j.run.Request().IsScan() {
		return j.load(true)
	}
	fromStart := false
	q := overlay.NewQuestion("Read the whole table?", "SCAN", "Read it all", func() tea.Cmd {
		switch {
		case j.b.job != j || cannotReadAll(j) != "":
			return nil
		case fromStart:
			return j.start(j.sent, true)
		}
		return j.load(true)
	}, "It reads every item of "+j.pattern.Table.Name+" and shows those that match the pattern as they arrive.",
		"Estimating the size …",
		"Press esc to stop and keep the rows, n to continue.")
	table, index := j.pattern.Table, j.run.Request().Read.Index
	done, parts := j.run.Parts()
	q.Sized = func(e reading.Estimate) {
		// Several readers are so much faster that they soon overtake this one, even from the beginning.
		if fromStart = parts == 1 && done == 0 && e.Segments > 1; fromStart {
			q.Text[2] = fmt.Sprintf("It restarts with %d parallel segments. Press esc to stop and keep the rows, n to continue.",
				e.Segments)
		}
	}
	j.b.Box = q
	return overlay.ShowSize(j.b.ctx, j.b.env.Workspace, accesspatterns.Read{Index: index}, q, table)
}

// A page is a page, or the end of a load.
type page struct {
	reading.Page // the items are in rows instead
	run          *reading.Run
	rows         rows.Batch
	keys         []string // keys of the items if the rows need them
	err          error
	took         time.Duration
	last         bool // last page of the load
	ended        bool // the read is complete and there is no page
}

// load returns a command that works on copies, because the job may change in the meantime.
func (j *job) load(all bool) (cmd tea.Cmd) {
	if j.task.Running() {
		return nil
	}
	j.readsAll, j.err, j.concurrentChanges = all, nil, nil
	s, request, scan := j.b.env.Workspace, j.sent, j.consented
	l := loader{
		run: j.run, table: j.pattern.Table, recordItems: s.History.RecordItems, packer: j.rows.Items.Packer(),
		needsKeys: j.rows.AwaitsKeys(),
		start: func(all bool) (*reading.Run, error) {
			return s.Reading.Run(request, reading.RunOptions{AllowScan: scan, All: all})
		},
	}
	newCommit := func(p page) screen.Commit {
		p = l.pack(p)
		return screen.Commit{Answer: func() tea.Cmd { return j.showPage(p) }}
	}
	j.task, cmd = screen.Stream(j.b.ctx, 0, func(ctx context.Context, emit func(screen.Commit)) screen.Commit {
		if all {
			return newCommit(l.readAll(ctx, func(p page) { emit(newCommit(p)) }))
		}
		return newCommit(l.readPage(ctx))
	})
	return cmd
}

// A loader reads pages outside of Update.
type loader struct {
	run         *reading.Run // nil before the first page
	start       func(all bool) (*reading.Run, error)
	table       *models.Table
	recordItems func(*models.Table, []models.Item)
	packer      *rows.Packer
	needsKeys   bool // the rows need the keys of the items
}

func (l loader) readPage(ctx context.Context) page {
	start := time.Now()
	p := page{run: l.run, last: true}
	if p.run == nil {
		p.run, p.err = l.start(false)
	}
	if p.err == nil {
		p.Page, p.err = p.run.Next(ctx)
	}
	p.took = time.Since(start)
	return p
}

// readAll passes on each page before it reads the next one, so that the display keeps up.
func (l loader) readAll(ctx context.Context, emit func(page)) page {
	final := page{run: l.run, last: true, ended: true}
	if final.run == nil {
		if final.run, final.err = l.start(true); final.err != nil {
			return final
		}
	}
	last := time.Now()
	final.err = final.run.All(ctx, func(p reading.Page) error {
		now := time.Now()
		took := now.Sub(last)
		last = now
		emit(page{Page: p, run: final.run, took: took})
		return ctx.Err()
	})
	return final
}

func (l loader) pack(p page) page {
	if l.needsKeys {
		p.keys = results.Keys(l.table, p.Items)
	}
	l.recordItems(l.table, p.Items)
	p.rows, p.Items = l.packer.Pack(p.Items), nil
	return p
}

func (j *job) showPage(p page) tea.Cmd {
	j.hasPage, j.err = true, p.err
	if p.run != nil {
		j.run, j.warnings = p.run, p.run.Request().Warnings
	}
	if !p.ended || p.err == nil {
		j.hasMore = p.More
	}
	if p.last {
		j.task.Stopped = j.task.Stopped && p.err != nil // The read may already have completed.
		if j.task.Stopped {
			j.err = nil
		}
	}
	oldLen := j.rows.Items.Len()
	j.addPage(p)
	return tea.Batch(j.replaceOutdated(oldLen), j.announceLost(p.last), j.rows.ArrangeAdded(!p.last),
		connection.OfferSignIn(j.err), j.openWhenReady())
}

func (j *job) announceLost(last bool) tea.Cmd {
	if !last || j.hasMore || j.err != nil || j.isStopped() {
		return nil
	}
	lost := j.rows.Lost()
	if len(lost) == 0 {
		return nil
	}
	text := present.Plural(len(lost), "mark") + " removed, no longer in the result: " + results.ListNames(lost)
	return screen.Send(screen.NoticeMsg{Text: text, Bad: true})
}

func (j *job) addPage(p page) {
	isFirst := j.rows.Items.Len() == 0
	if p.err == nil && !p.ended {
		j.totals.pages++
	}
	j.totals.scanned += p.Scanned
	j.totals.requests += p.Requests
	j.totals.capacity += p.Capacity
	j.totals.took += p.took
	j.totals.at = j.b.env.Session.Now()
	if p.run != nil && p.run.Request().IsCount() {
		j.count = p.Count
	}
	j.rows.AddPage(p.rows, p.keys)
	n := j.rows.Items.Len()
	if isFirst && n > 0 {
		j.rows.AddUndeclaredColumns()
	}
	if j.pattern.ExpectOne && n > 1 {
		j.warnings = append(j.warnings, fmt.Sprintf("expected one item, found %d", n))
	}
	if j == j.b.job {
		j.b.arrange()
		if isFirst && n > 0 && j.b.focus == paneForm {
			j.b.setFocus(paneRows)
		}
	}
}

func (j *job) figures() string {
	items, progress := present.Plural(j.rows.Items.Len(), "item"), j.task.Progress
	if j.readsAll {
		f := progress.Figures()
		if j.b.env.Plain() {
			f.Capacity, f.Rate = 0, 0
		}
		return present.Join(progress.Retrying(), present.Join(items, present.ReadFigures(f), " · "), " · ")
	}
	requests, capacity := progress.Requests()
	if j.b.env.Plain() {
		return present.Join(progress.Retrying(), items+" · "+present.Plural(j.totals.requests+requests, "request"), " · ")
	}
	return present.Join(progress.Retrying(),
		items+" · "+present.CostText(j.totals.requests+requests, "request", j.totals.capacity+capacity), " · ")
}

func (j *job) status() string {
	n, all := j.rows.FilteredItems().Len(), j.rows.LoadedItems().Len()
	switch {
	case !j.pattern.IsRead():
		return "write pattern"
	case j.isBusy() && !j.hasPage:
		return "reading"
	case !j.hasPage:
		return "No query run yet"
	case all == 0 && j.err != nil:
		return "✗ no rows read · " + present.ShortDuration(j.totals.took)
	}
	text := present.Plural(n, "item")
	switch {
	case j.run != nil && j.run.Request().IsCount():
		text = present.Thousands(j.count) + " counted"
	case n < all:
		text = fmt.Sprintf("%s of %s", present.Thousands(n), present.Plural(all, "item"))
	case j.hasMore:
		text = fmt.Sprintf("%s of %s+ items", present.Thousands(n), present.Thousands(n))
	}
	if marks := j.rows.Marks.Len(); marks > 0 {
		text += " · " + present.Thousands(marks) + " marked"
	}
	if j.isStopped() {
		text += ", stopped"
	}
	if j.err != nil {
		text = "✗ " + text
	}
	capacity := j.totals.capacity
	if j.b.env.Plain() {
		capacity = 0
	}
	text += " · " + present.CostText(j.totals.pages, "page", capacity)
	if j.totals.scanned > all && j.count == 0 {
		text += " · " + present.Plural(j.totals.scanned, "item") + " read"
	}
	return text + " · " + present.ShortDuration(j.totals.took) + " · as of " + present.Clock(j.totals.at, j.b.env.Now())
}

// The functions below return the reason why an action is unavailable, or "". Functions bound to keys accept a nil job,
// because a schema may have no patterns.

func reasonIf(condition bool, reason string) string {
	if condition {
		return reason
	}
	return ""
}

func noPicture(j *job) string {
	switch {
	case j == nil || !j.hasGrid():
		return "the pattern returns no rows"
	case j.rows.Len() == 0:
		return "no rows to chart"
	}
	return ""
}

func noPattern(j *job) string {
	return reasonIf(j == nil, "no pattern is selected")
}

// noForm also applies to a write pattern, because its action's dialog asks for the inputs.
func noForm(j *job) string {
	return reasonIf(j == nil || j.input.form.Len() == 0 || !j.pattern.IsRead(), "this pattern has no parameters")
}

// notRunYet refers to this session, because rows do not outlive the program.
func notRunYet(j *job) string {
	return reasonIf(j == nil || j.sent == nil, "no query run yet")
}

// noRows ignores the filter, because the user can sort even if no row matches.
func noRows(j *job) string {
	return reasonIf(j == nil || !j.hasGrid() || j.rows.Items.Len() == 0, "no rows yet")
}

func noFindings(j *job) string {
	return reasonIf(j == nil || len(j.pattern.Findings) == 0, "no known issues")
}

func noMore(j *job) string {
	switch {
	case notRunYet(j) != "":
		return notRunYet(j)
	case j.task.Running() && j.task.Stopped:
		return "the previous read is still stopping"
	case j.task.Running():
		return "a read is in progress"
	case j.hasMore || j.isStopped() || j.err != nil:
		return ""
	}
	return "no more pages"
}

func cannotReadAll(j *job) string {
	switch reason := noMore(j); {
	case j != nil && j.readsAll && j.task.Running():
		return "ddbdesk is reading the whole result; press esc to stop"
	case reason != "":
		return reason
	case j.run == nil || j.err != nil && j.rows.Items.Len() == 0:
		return "no page was read; press n to retry"
	case j.pattern.Read.Operation == accesspatterns.Count:
		return "a count always reads to the end"
	}
	return ""
}

func cannotWatch(j *job) string {
	switch {
	case notRunYet(j) != "":
		return notRunYet(j)
	case j.watch.current == nil && j.isBusy():
		return "a read is in progress"
	}
	return ""
}

func cannotBookmark(j *job) string {
	return reasonIf(j == nil || !j.pattern.IsRead(), "only read patterns can be bookmarked")
}
