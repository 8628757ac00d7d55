package listing

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A load is the reading of the list that runs or ended.
type load[R any] struct {
	task    *screen.Task
	reading *Reading[R]
	shown   *Rows[R] // of what was found so far
	last    Rows[R]  // without its list
	err     error
	stopped bool
	at      time.Time // when the list arrived
	loads   int       // lists that arrived
	times   int       // how often more was asked for
	beat    int       // number of the clock that runs
	goTo    string    // the ID of the row to go to when the list arrives, "" for none
	hidden  bool      // another screen is in view

	paused bool
	held   *loadedMsg[R] // arrived while it was paused

	ctx    context.Context   // of what is read while the screen is in view, nil while nothing is
	record func(error) error // ends its entry in the journal
}

// stoppable reports whether the user waits for the reading.
func (l *load[R]) stoppable() bool {
	return l.task.Running() && !l.task.Stopped && (l.loads == 0 || l.reading.Asked)
}

// waits reports whether there is nothing to show yet.
func (l *load[R]) waits() bool { return l.loads == 0 && l.shown == nil && l.err == nil && !l.stopped }

// loadedMsg is the list as it was read.
type loadedMsg[R any] struct {
	task *screen.Task
	rows Rows[R]
	err  error
}

// beatMsg says that the interval of a clock is over.
type beatMsg struct{ beat int }

// afterError is how long a list that could not be read is not read by the clock.
const afterError = time.Minute

// Reload reads the list again for the user.
func (s *Screen[R]) Reload() tea.Cmd { return s.read(true) }

// refresh reads the list again, unless that costs so much that only the user asks for it.
func (s *Screen[R]) refresh() tea.Cmd {
	if s.spec.Costly && s.load.loads > 0 {
		return nil
	}
	return s.read(false)
}

// read reads the list. A reading that runs is given up: it may be older than a change.
func (s *Screen[R]) read(asked bool) tea.Cmd {
	l := &s.load
	if l.hidden || s.missing() != nil {
		return nil
	}
	l.beat++
	l.task.End()
	if l.ctx == nil {
		l.ctx = s.ctx
		if s.spec.Lookup != nil {
			l.ctx, l.record = s.Env.Session.Look(s.ctx, &session.Lookup{Subject: s.spec.Lookup(s.Env)})
		}
	}
	task, ctx, tick := screen.StartTask(l.ctx)
	l.task, l.stopped, l.shown = task, false, nil
	l.reading = &Reading[R]{Times: l.times, Asked: asked}
	env, spec, reading := s.Env, s.spec, l.reading
	return tea.Batch(tick, func() tea.Msg {
		rows, err := spec.Load(ctx, env, reading)
		return loadedMsg[R]{task, rows, err}
	})
}

// take shows what was found so far. A report without a list is about the progress alone.
func (s *Screen[R]) take() {
	l := &s.load
	so := l.reading.so.Load()
	if so == nil || so == l.shown {
		return
	}
	if l.shown = so; so.List != nil {
		s.rows.set(so.List, true)
	}
}

// loaded shows the list. After an error it stays as it was.
func (s *Screen[R]) loaded(msg loadedMsg[R]) tea.Cmd {
	l := &s.load
	if msg.task != l.task || !l.task.Running() {
		return nil
	}
	s.take()
	l.task.End()
	var ended tea.Cmd
	if l.hidden || msg.err != nil {
		ended = s.recorded()
	}
	again := l.err != nil
	if l.stopped = l.task.Stopped && msg.err != nil; l.stopped {
		return ended
	}
	next := tea.Batch(ended, s.later(msg.err))
	if l.err = msg.err; l.err != nil {
		if again || l.hidden { // What the clock reads does not offer it again.
			return next
		}
		return tea.Batch(next, connection.OfferSignIn(l.err))
	}
	if l.paused {
		l.held = &msg
		return next
	}
	s.arrive(msg.rows)
	return next
}

// arrive shows rows.
func (s *Screen[R]) arrive(r Rows[R]) {
	l := &s.load
	l.at, l.held = s.Env.Session.Now(), nil
	if l.loads++; l.loads == 1 {
		s.rows.begin(r.List)
	}
	s.rows.set(r.List, !l.reading.Asked)
	l.last, l.last.List = r, nil
	if l.goTo != "" {
		s.Go(l.goTo)
		l.goTo = ""
	}
}

// later starts the clock of the next reading.
func (s *Screen[R]) later(err error) tea.Cmd {
	wait := s.spec.Every
	switch {
	case wait == 0 || s.load.hidden:
		return nil
	case err != nil:
		wait = max(wait, afterError)
	}
	msg := beatMsg{s.load.beat}
	return tea.Tick(wait, func(time.Time) tea.Msg { return msg })
}

// due reads the list again, unless a dialog is open: the list is read when that is closed.
func (s *Screen[R]) due(msg beatMsg) tea.Cmd {
	if msg.beat != s.load.beat || s.Box != nil {
		return nil
	}
	return s.read(false)
}

// recorded ends the entry in the journal about what was read, and reports a journal that cannot be written.
func (s *Screen[R]) recorded() tea.Cmd {
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

// pause holds back what the clock reads, or shows it.
func (s *Screen[R]) pause() tea.Cmd {
	l := &s.load
	if l.paused = !l.paused; !l.paused && l.held != nil {
		s.arrive(l.held.rows)
	}
	return nil
}

// heldBack counts the rows that arrived while the list was paused.
func (s *Screen[R]) heldBack() int {
	if s.load.held == nil {
		return 0
	}
	known, n := map[string]bool{}, 0
	for _, r := range s.rows.all {
		known[s.spec.ID(r)] = true
	}
	for _, r := range s.load.held.rows.List {
		if !known[s.spec.ID(r)] {
			n++
		}
	}
	return n
}

// readOn reads more once the cursor is at the end of the list.
func (s *Screen[R]) readOn() tea.Cmd {
	if s.noMore() != "" || s.rows.filter != "" || s.rows.Len() == 0 || s.rows.at() < s.rows.Len()-1 {
		return nil
	}
	return s.readMore()
}

func (s *Screen[R]) readMore() tea.Cmd {
	s.load.times++
	s.load.last.More = false // until the answer
	return s.read(false)
}

func (s *Screen[R]) noMore() string {
	if !s.load.last.More {
		return "everything was read"
	}
	return ""
}

// A more has what was read about single rows.
type more[R any] struct {
	of    subject // what is read, or was
	task  *screen.Task
	rest  int // number of the last pause, so that only this one counts
	found map[string]found[R]
}

// A subject is a row of one list.
type subject struct {
	id    string
	loads int
}

// found is what was read about a row.
type found[R any] struct {
	loads int
	add   func(*R)
	err   error
}

// rest is how long the cursor stays on a row before more is read about it.
const rest = 150 * time.Millisecond

// restedMsg says that the cursor stayed on a row.
type restedMsg struct{ rest int }

// moreMsg is what was read about a row.
type moreMsg[R any] struct {
	task *screen.Task
	id   string
	found[R]
}

// addTo adds to a row what was read about it.
func (m *more[R]) addTo(r *R, id string) {
	if f := m.found[id]; f.add != nil {
		f.add(r)
	}
}

func (m *more[R]) arrived(msg moreMsg[R]) {
	if msg.task == m.task && m.task.Running() {
		m.task.End()
		m.found[msg.id] = msg.found
	}
}

// consider reads more about the selected row, unless that was done since the list was read.
func (s *Screen[R]) consider() tea.Cmd {
	m := &s.more
	want := subject{s.rows.selectedID(), s.load.loads}
	if s.spec.Read == nil || want == m.of {
		return nil
	}
	same := want.id == m.of.id
	m.of = want
	m.task.End()
	m.rest++
	f, known := m.found[want.id]
	switch {
	case want.id == "" || known && f.loads == want.loads:
		return nil
	case same:
		return s.rested(restedMsg{m.rest})
	}
	msg := restedMsg{m.rest}
	return tea.Tick(rest, func(time.Time) tea.Msg { return msg })
}

// rested reads more about the row on which the cursor stayed.
func (s *Screen[R]) rested(msg restedMsg) tea.Cmd {
	r, ok := s.rows.selected()
	if msg.rest != s.more.rest || !ok {
		return nil
	}
	task, ctx, tick := screen.StartTask(s.ctx)
	s.more.task = task
	env, spec, of := s.Env, s.spec, s.more.of
	return tea.Batch(tick, func() tea.Msg {
		add, err := spec.Read(ctx, env, r)
		return moreMsg[R]{task, of.id, found[R]{of.loads, add, err}}
	})
}
