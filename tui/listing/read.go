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
	task       *screen.Task
	reading    *Reading[R]
	partial    *Rows[R] // rows shown while the read continues; nil if there are none
	last       Rows[R]
	err        error
	stopped    bool
	at         time.Time // arrival time of the list by the session's clock
	arrivedAt  time.Time // arrival time of the list by the program's clock
	loads      int       // number of lists received
	extraPages int       // number of requests for more rows
	shown      int       // number of these requests that the last list answers
	goTo       string    // ID of the row to select when the list arrives
	openFirst  bool      // enter was pressed before the first rows arrived: open the first row
	hidden     bool      // another screen covers this one
	blurred    bool      // another window has the keyboard focus

	paused bool // the user paused the automatic refresh

	ctx    context.Context   // context of the reads while the screen is visible; nil before the first read
	record func(error) error // completes the read's journal entry; may be nil
}

func (l *load[R]) isStoppable() bool {
	return l.task.Running() && !l.task.Stopped && (l.loads == 0 || l.reading.ByUser)
}

// afterError is the minimum delay before an automatic refresh after an error.
const afterError = 15 * time.Second

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
	if l.hidden || s.missing() != nil {
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
		return func() tea.Cmd { return s.loaded(rows, err) }
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
		s.goTo()
	}
}

func (s *Screen[R]) loaded(rows Rows[R], err error) tea.Cmd {
	l := &s.load
	s.showProgress()
	var recordCmd tea.Cmd
	if l.hidden || err != nil {
		recordCmd = s.completeRecord()
	}
	if l.stopped = l.task.Stopped && err != nil; l.stopped {
		return recordCmd
	}
	repeated, next := l.err != nil, tea.Batch(recordCmd, s.scheduleRefresh(err))
	switch l.err = err; {
	case l.err != nil && (repeated || l.hidden): // An automatic refresh does not repeat the offer.
		return next
	case l.err != nil:
		return tea.Batch(next, connection.OfferSignIn(l.err))
	}
	return tea.Batch(next, s.arrive(rows))
}

func (s *Screen[R]) arrive(r Rows[R]) tea.Cmd {
	l, lost := &s.load, len(s.rows.lostNames)
	l.at, l.arrivedAt, l.last = s.Env.Session.Now(), time.Now(), r
	l.loads++
	l.shown = l.reading.ExtraPages
	first := l.loads == 1 && s.rows.grid.Cursor() <= 0
	if l.loads == 1 {
		s.rows.selectTab(r.List)
	}
	if s.rows.set(r.List, !l.reading.ByUser, false); first {
		s.rows.grid.SetCursor(0) // The rows found so far may have had a different order.
	}
	s.goTo()
	l.goTo = ""
	names := s.rows.lostNames[min(lost, len(s.rows.lostNames)):]
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

func (s *Screen[R]) goTo() {
	if i := s.rows.find(s.load.goTo); i >= 0 {
		s.rows.grid.SetCursor(i)
		s.load.goTo = ""
	}
}

func (s *Screen[R]) scheduleRefresh(err error) tea.Cmd {
	wait := s.spec.Every
	switch {
	case wait == 0 || s.load.hidden:
		return nil
	case err != nil:
		wait = max(wait, afterError)
	}
	after := s.load.task
	return tea.Tick(wait, func(time.Time) tea.Msg { return screen.Answer(func() tea.Cmd { return s.refreshDue(after) }) })
}

// refreshDue refreshes the list. It waits while a dialog is open.
func (s *Screen[R]) refreshDue(after *screen.Task) tea.Cmd {
	switch {
	case after != s.load.task || s.isPaused():
		return nil
	case s.Box != nil:
		return s.scheduleRefresh(nil)
	}
	return s.read(false)
}

// isPaused reports whether refreshes are paused. In the background, only a list that follows the newest row continues.
func (s *Screen[R]) isPaused() bool { return s.load.paused || s.load.blurred && !s.spec.FollowsNewest }

func (s *Screen[R]) resume() tea.Cmd {
	switch l := &s.load; {
	case s.isPaused() || l.loads == 0 || l.task.Running() || s.spec.Every == 0:
		return nil
	case s.Box == nil && time.Since(l.arrivedAt) >= s.spec.Every:
		return s.read(false)
	}
	return s.scheduleRefresh(nil)
}

func (s *Screen[R]) focus(on bool) tea.Cmd {
	wasBlurred := s.load.blurred
	if s.load.blurred = !on; wasBlurred && on {
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
	s.load.extraPages = s.load.shown + 1
	return s.read(false)
}

func (s *Screen[R]) noMore() string {
	switch l := &s.load; {
	case !l.last.More:
		return "no more rows"
	case l.task.Running() && l.reading.ExtraPages > l.shown:
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

// A reader reads more about the row under the cursor once the cursor rests.
type reader struct {
	row  rowRef       // row of the current read or the last one
	task *screen.Task // read, or the pause before it
}

// A rowRef identifies a row in one list.
type rowRef struct {
	id    string
	loads int
}

// cursorRest is how long the cursor must stay on a row before the screen reads more about it.
const cursorRest = 150 * time.Millisecond

func (s *Screen[R]) scheduleDetails() tea.Cmd {
	m, want := &s.detailReader, rowRef{s.rows.selectedID(), s.load.loads}
	if s.spec.Read == nil || want == m.row {
		return nil
	}
	same := want.id == m.row.id
	m.row = want
	m.task.End()
	if same {
		return s.readDetails()
	}
	var cmd tea.Cmd
	m.task, cmd = screen.After(cursorRest, s.readDetails)
	return cmd
}

func (s *Screen[R]) readDetails() (cmd tea.Cmd) {
	x := s.rows.selected()
	if x == nil {
		return nil
	}
	env, spec, id, r := s.Env, s.spec, x.id, x.r
	s.detailReader.task, cmd = screen.Run(s.ctx, func(ctx context.Context) func() tea.Cmd {
		add, err := spec.Read(ctx, env, r)
		return func() tea.Cmd { s.addDetails(id, &rowDetails[R]{add, err}); return nil }
	})
	return cmd
}

func (s *Screen[R]) addDetails(id string, details *rowDetails[R]) {
	if x := s.rows.selected(); x != nil && x.id == id {
		x.extra = details
		x.extra.addTo(&x.r)
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
