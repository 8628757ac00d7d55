// Package queue is the screen that shows the review queues.
package queue

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// queueInterval is how often a queue that is looked at is read again.
const queueInterval = 15 * time.Second

// queueScreen shows the queues of a profile, one at a time.
type queueScreen struct {
	overlay.Host
	env *screen.Env
	ctx context.Context // ends with the screen
	end context.CancelFunc

	jobs []*queueJob
	tabs widget.Tabs // of several queues

	w, h int
	lay  queueLayout

	clock  queueClock
	loader queueLoader
	draw   queueDrawing
	does   queueActions
}

// queueJob is one queue, and what was found waiting in it.
type queueJob struct {
	queue   *change.Queue
	rows    *queueRows
	grid    *widget.Grid
	letters map[*change.Action]string

	req       int // the load that is waited for, 0 for none
	cancel    context.CancelFunc
	elapsed   time.Duration
	figures   loadFigures
	scan      bool // it reads a whole table
	limit     int  // rows that are read at most
	more      bool // there are more than that
	ran       bool
	stopped   bool // by a person
	consented bool // to read a whole table
	err       error
}

// New returns the screen of the profile's queues, with the one asked for in
// view.
func New(env *screen.Env, to screen.Queue) screen.Screen {
	s := &queueScreen{env: env}
	s.clock = queueClock{s: s, auto: true}
	s.loader.s, s.draw.s, s.does.s = s, s, s
	s.ctx, s.end = context.WithCancel(env.Context)
	s.Left = s.clock.resume // The clock goes on when a box is done.
	for i, q := range env.Session.Profile().Queues {
		s.jobs = append(s.jobs, newQueueJob(env, q))
		s.tabs.Titles = append(s.tabs.Titles, q.Title)
		if q.ID == to.ID {
			s.tabs.Active = i
		}
	}
	return s
}

func newQueueJob(env *screen.Env, q *change.Queue) *queueJob {
	j := &queueJob{queue: q, rows: newQueueRows(env, q.Pattern), letters: queueLetters(q, env.Keys), limit: queuePage}
	j.grid = widget.NewGrid(env.Styles, j.rows.Columns()...)
	j.grid.SetSource(j.rows)
	j.grid.SetMarkable(true)
	request, err := env.Reading.Bind(q.Pattern, q.Args)
	j.scan = err == nil && request.IsScan()
	return j
}

// job is the queue in view, nil when the profile has none.
func (s *queueScreen) job() *queueJob {
	if len(s.jobs) == 0 {
		return nil
	}
	return s.jobs[s.tabs.Active]
}

// Title is the queue's.
func (s *queueScreen) Title() string {
	if j := s.job(); j != nil {
		return j.queue.Title
	}
	return "Queues"
}

// Init reads the queue and starts the clock.
func (s *queueScreen) Init() tea.Cmd {
	if s.job() == nil {
		return nil
	}
	return tea.Batch(s.loader.refresh(), s.clock.startClock())
}

// Close stops everything but the change under way.
func (s *queueScreen) Close() {
	s.end()
	s.clock.beat++
	for _, j := range s.jobs {
		j.abandon()
	}
	s.CloseBox()
}

// Typing reports whether a box takes the keys.
func (s *queueScreen) Typing() bool { return s.Box != nil || s.Listening() }

// Cancel stops the reading, else closes the box.
func (s *queueScreen) Cancel() bool {
	if s.Box != nil {
		s.CancelBox()
		return true
	}
	j := s.job()
	if j == nil || !j.loading() {
		return false
	}
	j.abandon()
	j.stopped = true
	return true
}

// Place is the kind of the screen.
func (s *queueScreen) Place() string { return "queues" }

// SetStyles changes the theme.
func (s *queueScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	for _, j := range s.jobs {
		j.grid.SetStyles(st)
	}
	s.StyleBox(st)
	s.draw.preview.Forget()
}

// Watch tells whether the screen is in view: what nobody looks at is not read.
func (s *queueScreen) Watch(on bool) tea.Cmd {
	s.clock.away = !on
	s.clock.blurred = s.clock.blurred && !on // Who comes here has the keyboard.
	return s.clock.resume()
}

// resume starts the clock again, and reads at once what grew old meanwhile.
func (ck *queueClock) resume() tea.Cmd {
	j := ck.s.job()
	if ck.paused() || j == nil || j.scan {
		return nil
	}
	if j.ran && !j.loading() && ck.s.env.Session.Now().Sub(j.figures.at) >= queueInterval {
		return tea.Batch(ck.s.loader.refresh(), ck.startClock())
	}
	return ck.startClock()
}

// queueBeatMsg says that the interval is over.
type queueBeatMsg struct{ beat int }

// startClock makes the queue be read again after the interval.
func (ck *queueClock) startClock() tea.Cmd {
	ck.beat++
	beat := ck.beat
	return tea.Tick(queueInterval, func(time.Time) tea.Msg { return queueBeatMsg{beat} })
}

// paused reports whether nothing is read by itself now.
func (ck *queueClock) paused() bool { return !ck.auto || ck.away || ck.blurred || ck.s.Box != nil }

// ticked reads the queue again, unless it is not the time.
func (ck *queueClock) ticked(msg queueBeatMsg) tea.Cmd {
	j := ck.s.job()
	if msg.beat != ck.beat || ck.paused() || j == nil || j.scan {
		return nil
	}
	if j.loading() {
		return ck.startClock()
	}
	return tea.Batch(ck.s.loader.refresh(), ck.startClock())
}

// Status is the figures of the last reading.
func (s *queueScreen) Status() string {
	j := s.job()
	switch {
	case j == nil:
		return "no queue"
	case !j.ran && j.loading():
		return "asking"
	case !j.ran && j.err != nil:
		return "✗ nothing was read"
	case !j.ran:
		return "No query run yet"
	}
	text := j.waiting()
	if n := j.rows.fresh(); n > 0 {
		text += fmt.Sprintf(" · %d new", n)
	}
	if j.err != nil {
		text = "✗ not read again · " + text
	}
	return text + " · " + j.figures.String()
}

// waiting spells how many items wait.
func (j *queueJob) waiting() string {
	n := j.rows.waiting()
	more := ""
	if j.more {
		more = "+"
	}
	return present.Thousands(n) + more + " waiting"
}

// selected is the row under the cursor, nil for none.
func (j *queueJob) selected() *queueRow {
	i := j.grid.Cursor()
	if i < 0 || i >= j.rows.Len() {
		return nil
	}
	return j.rows.list[i]
}

// targets are the items that an action is for: those that are marked, else the
// one under the cursor.
func (j *queueJob) targets() []models.Item {
	var list []models.Item
	for _, i := range j.grid.Marked() {
		if r := j.rows.list[i]; !r.gone {
			list = append(list, r.item)
		}
	}
	if len(list) > 0 {
		return list
	}
	if r := j.selected(); r != nil && !r.gone {
		return []models.Item{r.item}
	}
	return nil
}

// marked reports whether there are marks on rows that still wait.
func (j *queueJob) Marked() int {
	n := 0
	for _, i := range j.grid.Marked() {
		if !j.rows.list[i].gone {
			n++
		}
	}
	return n
}

// queueClock refreshes the queue in view by itself.
type queueClock struct {
	s *queueScreen

	auto    bool // it refreshes by itself
	away    bool // another screen is in view
	blurred bool // another window has the keyboard
	beat    int  // numbers the clocks: one runs
}

// queueLoader reads the rows of a queue.
type queueLoader struct {
	s *queueScreen

	loads int // numbers the loads
}

// queueDrawing draws the parts of the screen.
type queueDrawing struct {
	s *queueScreen

	preview results.Preview
}

// queueActions are the changes and outputs of the rows.
type queueActions struct {
	s *queueScreen
}
