package listing

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// about is what was read about a row.
type about[R any] struct {
	add func(*R)
	err error
}

func (a *about[R]) addTo(r *R) {
	if a != nil && a.add != nil {
		a.add(r)
	}
}

// A reader reads more about the row on which the cursor stays.
type reader struct {
	of    subject // what is read, or was
	task  *screen.Task
	rests int // number of the last pause, so that only this one counts
}

// A subject is a row of one list.
type subject struct {
	id    string
	loads int
}

// rest is how long the cursor stays on a row before more is read about it.
const rest = 150 * time.Millisecond

// restedMsg says that the cursor stayed on a row.
type restedMsg struct{ rests int }

type aboutMsg[R any] struct {
	task *screen.Task
	id   string
	about[R]
}

func (s *Screen[R]) consider() tea.Cmd {
	m, want := &s.more, subject{s.rows.selectedID(), s.load.loads}
	if s.spec.Read == nil || want == m.of {
		return nil
	}
	same := want.id == m.of.id
	m.of = want
	m.task.End()
	m.rests++
	msg := restedMsg{m.rests}
	if same {
		return s.rested(msg)
	}
	return tea.Tick(rest, func(time.Time) tea.Msg { return msg })
}

func (s *Screen[R]) rested(msg restedMsg) tea.Cmd {
	x := s.rows.selected()
	if msg.rests != s.more.rests || x == nil {
		return nil
	}
	task, ctx, tick := screen.StartTask(s.ctx)
	s.more.task = task
	env, spec, id, r := s.Env, s.spec, x.id, x.r
	return tea.Batch(tick, func() tea.Msg {
		add, err := spec.Read(ctx, env, r)
		return aboutMsg[R]{task, id, about[R]{add, err}}
	})
}

func (s *Screen[R]) learned(msg aboutMsg[R]) {
	if msg.task != s.more.task || !s.more.task.Running() {
		return
	}
	s.more.task.End()
	if x := s.rows.selected(); x != nil && x.id == msg.id {
		x.about = &msg.about
		x.about.addTo(&x.r)
		x.cells, x.text = nil, ""
		s.drawn.version++
	}
}

func (s *Screen[R]) unknown() string {
	switch x := s.rows.selected(); {
	case x == nil || x.about == nil:
		return "the " + s.spec.Noun + " is being read; one moment"
	case x.about.err != nil:
		return "the " + s.spec.Noun + " was not read: " + x.about.err.Error()
	}
	return ""
}
