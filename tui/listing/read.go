package listing

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A load is the current read of the list, or the last one.
type load[R any] struct {
	task          *screen.Task
	reading       *Reading[R]
	partial       *Rows[R] // rows shown while the read continues; nil if there are none
	last          Rows[R]
	err           error
	stopped       bool
	at            time.Time // arrival time of the list by the session's clock
	arrivedAt     time.Time // arrival time of the list by the program's clock
	loads         int       // number of lists received
	extraPages    int       // number of requests for more rows
	includedPages int       // number of these requests that the last list answers
	targetID      string    // ID of the row to select when the list arrives
	openFirst     bool      // enter was pressed before the first rows arrived: open the first row
	hidden        bool      // another screen covers this one
	unfocused     bool      // another window has the keyboard focus

	paused bool // the user paused the automatic refresh

	ctx    context.Context   // context of the reads while the screen is visible; nil before the first read
	record func(error) error // completes the read's journal entry; may be nil
}

func (l *load[R]) isStoppable() bool {
	return l.task.Running() && !l.task.Stopped && (l.loads == 0 || l.reading.ByUser)
}

// retryDelay is the minimum delay before an automatic refresh after an error.
const retryDelay = 15 * time.Second

// Reload reads the list again at the user's request.
func (s *Screen[R]) Reload() tea.Cmd { return s.read(true) }

// ReadAgain reads the list again after a change. The cursor stays on its row.
func (s *Screen[R]) ReadAgain() tea.Cmd { return s.read(false) }

// RestartRead restarts a running read, which may have started before a change.
func (s *Screen[R]) RestartRead() tea.Cmd {
	if !s.load.task.Running() {
		return nil
	}
	return s.read(s.load.reading.ByUser)
}

// Loads returns the number of lists received.
func (s *Screen[R]) Loads() int { return s.load.loads }

// Last returns the most recently received list.
func (s *Screen[R]) Last() Rows[R] { return s.load.last }

// refresh reads the list again, unless only the user may start such an expensive read.
func (s *Screen[R]) refresh() tea.Cmd {
	if s.spec.Costly && s.load.loads > 0 {
		return nil
	}
	return s.read(false)
}

// read starts a read and cancels a running one, which may be older than a change.
func (s *Screen[R]) read(byUser bool) tea.Cmd {
	l := &s.load
	l.task.End()
	if l.hidden || s.advice() != nil {
		return nil
	}
	if l.ctx == nil {
		l.ctx = s.ctx
		if s.spec.Lookup != nil {
			l.ctx, l.record = s.Env.Session.BeginLookup(s.ctx, &session.Lookup{Subject: s.spec.Lookup(s.Env)})
		}
	}
	l.stopped, l.partial = false, nil
	l.reading = &Reading[R]{ExtraPages: l.extraPages, ByUser: byUser}
	if l.loads > 0 {
		l.reading.Before = rowValues(s.rows.all)
	}
	env, spec, reading := s.Env, s.spec, l.reading
	var cmd tea.Cmd
	l.task, cmd = screen.Run(l.ctx, func(ctx context.Context) func() tea.Cmd {
		rows, err := spec.Load(ctx, env, reading)
		return func() tea.Cmd { return s.finishRead(rows, err) }
	})
	return cmd
}

func (s *Screen[R]) showProgress() {
	partial := s.load.reading.partial.Load()
	if partial == nil || partial == s.load.partial {
		return
	}
	if s.load.partial = partial; partial.List != nil {
		s.rows.set(partial.List, true, true)
		s.selectTarget()
	}
}

func (s *Screen[R]) finishRead(rows Rows[R], err error) tea.Cmd {
	l := &s.load
	s.showProgress()
	var recordCmd tea.Cmd
	if l.hidden || err != nil {
		recordCmd = s.completeRecord()
	}
	if l.stopped = l.task.Stopped && err != nil; l.stopped {
		return recordCmd
	}
	failedBefore, cmd := l.err != nil, tea.Batch(recordCmd, s.scheduleRefresh(err))
	switch l.err = err; {
	case l.err != nil && (failedBefore || l.hidden): // An automatic refresh does not repeat the offer.
		return cmd
	case l.err != nil:
		return tea.Batch(cmd, connection.OfferSignIn(l.err))
	}
	return tea.Batch(cmd, s.setRows(rows))
}

func (s *Screen[R]) setRows(r Rows[R]) tea.Cmd {
	l, lostBefore := &s.load, len(s.rows.lostNames)
	l.at, l.arrivedAt, l.last = s.Env.Session.Now(), time.Now(), r
	l.loads++
	l.includedPages = l.reading.ExtraPages
	isFirst := l.loads == 1 && s.rows.grid.Cursor() <= 0
	if l.loads == 1 {
		s.rows.selectTab(r.List)
	}
	if s.rows.set(r.List, !l.reading.ByUser, false); isFirst {
		s.rows.grid.SetCursor(0) // The rows found so far may have had a different order.
	}
	s.selectTarget()
	l.targetID = ""
	names := s.rows.lostNames[min(lostBefore, len(s.rows.lostNames)):]
	switch {
	case l.openFirst:
		l.openFirst = false
		return s.open()
	case len(names) == 0:
		return nil
	}
	text := present.Plural(len(names), "mark") + " removed, no longer in the list: " + results.ListNames(names)
	return screen.Send(screen.NoticeMsg{Text: text, Bad: true})
}

func (s *Screen[R]) selectTarget() {
	if i := s.rows.find(s.load.targetID); i >= 0 {
		s.rows.grid.SetCursor(i)
		s.load.targetID = ""
	}
}

func (s *Screen[R]) scheduleRefresh(err error) tea.Cmd {
	wait := s.spec.Every
	switch {
	case wait == 0 || s.load.hidden:
		return nil
	case err != nil:
		wait = max(wait, retryDelay)
	}
	task := s.load.task
	return tea.Tick(wait, func(time.Time) tea.Msg { return screen.Answer(func() tea.Cmd { return s.refreshIfDue(task) }) })
}

// refreshIfDue refreshes the list. It waits while a dialog is open.
func (s *Screen[R]) refreshIfDue(task *screen.Task) tea.Cmd {
	switch {
	case task != s.load.task || s.isPaused():
		return nil
	case s.Box != nil:
		return s.scheduleRefresh(nil)
	}
	return s.read(false)
}

// isPaused reports whether refreshes are paused. In the background, only a list that follows the newest row continues.
func (s *Screen[R]) isPaused() bool {
	return s.load.paused || s.load.unfocused && !s.spec.FollowsNewest
}

func (s *Screen[R]) resume() tea.Cmd {
	switch l := &s.load; {
	case s.isPaused() || l.loads == 0 || l.task.Running() || s.spec.Every == 0:
		return nil
	case s.Box == nil && time.Since(l.arrivedAt) >= s.spec.Every:
		return s.read(false)
	}
	return s.scheduleRefresh(nil)
}

func (s *Screen[R]) setFocused(on bool) tea.Cmd {
	wasUnfocused := s.load.unfocused
	if s.load.unfocused = !on; wasUnfocused && on {
		return s.resume()
	}
	return nil
}

func (s *Screen[R]) completeRecord() tea.Cmd {
	record := s.load.record
	s.load.ctx, s.load.record = nil, nil
	if record == nil {
		return nil
	}
	if err := record(nil); err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	return nil
}

func (s *Screen[R]) readMoreAtEnd() tea.Cmd {
	if s.Box != nil || s.noMore() != "" || s.rows.filter != "" || s.rows.grid.Cursor() < s.rows.Len()-1 {
		return nil
	}
	return s.readMore()
}

func (s *Screen[R]) readMore() tea.Cmd {
	s.load.extraPages = s.load.includedPages + 1
	return s.read(false)
}

func (s *Screen[R]) noMore() string {
	switch l := &s.load; {
	case !l.last.More:
		return "no more rows"
	case l.task.Running() && l.reading.ExtraPages > l.includedPages:
		return "more rows are being read"
	}
	return ""
}

// rowDetails contains additional data about a row.
type rowDetails[R any] struct {
	add func(*R)
	err error
}

func (d *rowDetails[R]) addTo(r *R) {
	if d != nil && d.add != nil {
		d.add(r)
	}
}

// A detailReader reads more about the row under the cursor once the cursor rests.
type detailReader struct {
	row  rowRef       // row of the current read or the last one
	task *screen.Task // read, or the pause before it
}

// A rowRef identifies a row in one list.
type rowRef struct {
	id    string
	loads int
}

// cursorPause is how long the cursor must stay on a row before the screen reads more about it.
const cursorPause = 150 * time.Millisecond

func (s *Screen[R]) scheduleDetails() tea.Cmd {
	d, current := &s.detailReader, rowRef{s.rows.selectedID(), s.load.loads}
	if s.spec.Read == nil || current == d.row {
		return nil
	}
	isSameRow := current.id == d.row.id
	d.row = current
	d.task.End()
	if isSameRow {
		return s.readDetails()
	}
	var cmd tea.Cmd
	d.task, cmd = screen.After(cursorPause, s.readDetails)
	return cmd
}

func (s *Screen[R]) readDetails() (cmd tea.Cmd) {
	x := s.rows.selected()
	if x == nil {
		return nil
	}
	env, spec, id, r := s.Env, s.spec, x.id, x.value
	s.detailReader.task, cmd = screen.Run(s.ctx, func(ctx context.Context) func() tea.Cmd {
		add, err := spec.Read(ctx, env, r)
		return func() tea.Cmd { s.addDetails(id, &rowDetails[R]{add, err}); return nil }
	})
	return cmd
}

func (s *Screen[R]) addDetails(id string, details *rowDetails[R]) {
	if x := s.rows.selected(); x != nil && x.id == id {
		x.extra = details
		x.extra.addTo(&x.value)
		x.cells, x.text = nil, ""
		s.drawn.version++
	}
}

func (s *Screen[R]) noDetails() string {
	switch x := s.rows.selected(); {
	case x == nil || x.extra == nil:
		return "the " + s.spec.Noun + " is still loading"
	case x.extra.err != nil:
		return "the " + s.spec.Noun + " was not read: " + x.extra.err.Error()
	}
	return ""
}
