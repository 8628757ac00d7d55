// Package queue is the screen that shows the review queues.
package queue

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// queueScreen shows the queues of a profile, one at a time. The visible queue
// refreshes automatically.
type queueScreen struct {
	screen.Base
	overlay.Host
	env *screen.Env
	ctx context.Context // ends with the screen
	end context.CancelFunc

	jobs []*queueJob
	tabs widget.Tabs // one for each job

	// made are the last changes made from here, of one action, that u undoes together.
	made []*changes.Commitment

	w, h int
	lay  layout
	auto refresher
	does actions
}

// A clock says when the visible queue refreshes automatically.
type clock struct {
	off     bool // the user paused it
	hidden  bool // another screen is in view
	blurred bool // another window has the keyboard
	beat    int  // number of the timer that runs; others are ignored
}

// queueJob is one queue with its rows.
type queueJob struct {
	queue   *change.Queue
	given   map[string]string // values of the queue's parameters
	args    map[string]string // of its pattern
	ready   bool              // every parameter has a value
	rows    *queueRows
	letters map[*change.Action]string // the keys of the actions

	task      *screen.Task // the last load
	figures   loadFigures
	scan      bool // the queue reads a whole table
	sized     bool // whether that costs so little that nobody is asked was looked up
	consented bool // the user agreed to that, or need not be asked
	limit     int  // maximum number of rows to read
	more      bool // there are more rows than that
	ran       bool // rows arrived
	opens     bool // enter was pressed before the first rows: it opens the first of them
	outdated  bool // a change was committed after they were requested
	err       error
}

// New returns the screen of the profile's queues on the queue of a target.
func New(env *screen.Env, to screen.Queue) screen.Screen {
	s := &queueScreen{env: env, Base: screen.Base{Kind: "queues", About: screen.Guide{
		Purpose: "Items that need a decision, oldest first. The queue refreshes automatically and marks new items.",
		First:   "press enter to open an item, or the letter of an action to run it. Press space to mark several items.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "↻", Means: "refreshes automatically; t stops it"},
			{Glyph: "‖", Means: "does not refresh; t starts it"},
			{Glyph: "new", Means: "new since the last refresh; a gray row is resolved and has left the queue"},
		}, screen.GridSigns, screen.StateSigns, screen.MaskSigns),
	}}}
	s.ctx, s.end = context.WithCancel(env.Context)
	s.auto.s, s.does.s = s, s
	s.Left, s.Panes = s.auto.resume, s.mousePanes
	for i, q := range env.Session.Profile().Queues {
		given := map[string]string(nil)
		if q.ID == to.ID {
			s.tabs.Active, given = i, to.Given
		}
		s.jobs = append(s.jobs, newQueueJob(env, q, given))
		s.tabs.Titles = append(s.tabs.Titles, q.Title)
	}
	return s
}

func newQueueJob(env *screen.Env, q *change.Queue, given map[string]string) *queueJob {
	j := &queueJob{queue: q, given: given, rows: newQueueRows(env, q.Pattern), limit: pageRows}
	j.letters = queueLetters(q, present.ActionKeys(env.Keys, env.Session.Profile()))
	j.args, j.ready = q.Bind(given)
	request, err := env.Reading.Bind(q.Pattern, j.args)
	j.scan = err == nil && request.IsScan()
	return j
}

func (s *queueScreen) job() *queueJob {
	if len(s.jobs) == 0 {
		return nil
	}
	return s.jobs[s.tabs.Active]
}

// Title returns the title of the visible queue.
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
	return s.auto.refresh()
}

// Close cancels everything except a change that was sent.
func (s *queueScreen) Close() {
	s.end()
	s.auto.clock.beat++
	for _, j := range s.jobs {
		j.task.End()
	}
	s.CloseBox()
}

// Typing reports whether a box takes the keys.
func (s *queueScreen) Typing() bool { return s.Box != nil || s.Listening() }

// Cancel closes the box, or stops reading.
func (s *queueScreen) Cancel() bool {
	if s.Box != nil {
		s.CancelBox()
		return true
	}
	j := s.job()
	if j == nil || !j.task.Running() {
		return false
	}
	j.task.Stop()
	j.task.End()
	return true
}

// Retry reads the queue again after an error.
func (s *queueScreen) Retry() tea.Cmd { return s.auto.load() }

// SetStyles changes the theme.
func (s *queueScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	for _, j := range s.jobs {
		j.rows.SetStyles(st)
	}
	s.StyleBox(st)
}

// Show goes to the queue with an ID.
func (s *queueScreen) Show(id string) tea.Cmd {
	for i, j := range s.jobs {
		if j.queue.ID == id && i != s.tabs.Active {
			return s.turnTo(i)
		}
	}
	return nil
}

func (s *queueScreen) turnTo(i int) tea.Cmd {
	s.tabs.Active = (i + len(s.jobs)) % len(s.jobs)
	s.arrange()
	if !s.job().ran {
		return s.auto.refresh()
	}
	return s.auto.resume()
}

// Watch says whether the screen is in view. Otherwise it does not refresh.
func (s *queueScreen) Watch(on bool) tea.Cmd {
	s.auto.clock.hidden = !on
	s.auto.clock.blurred = s.auto.clock.blurred && !on // A user who comes here has the keyboard.
	return s.auto.resume()
}

// interval is the time between two automatic refreshes.
const interval = 15 * time.Second

// intervalMsg says that the interval of a timer is over.
type intervalMsg struct{ beat int }

// startClock ignores a timer that runs, so that a refresh on request postpones the next one.
func (r *refresher) startClock() tea.Cmd {
	r.clock.beat++
	beat := r.clock.beat
	return tea.Tick(interval, func(time.Time) tea.Msg { return intervalMsg{beat} })
}

func (r *refresher) paused() bool {
	c, j := r.clock, r.s.job()
	return c.off || c.hidden || c.blurred || r.s.Box != nil || j == nil || j.scan || !j.ready
}

func (r *refresher) resume() tea.Cmd {
	j := r.s.job()
	switch {
	case r.paused():
		return nil
	case j.ran && !j.task.Running() && (j.outdated || r.s.env.Session.Now().Sub(j.figures.at) >= interval):
		return r.refresh()
	}
	return r.startClock()
}

func (r *refresher) intervalOver(msg intervalMsg) tea.Cmd {
	switch {
	case msg.beat != r.clock.beat || r.paused():
		return nil
	case r.s.job().task.Running():
		return r.startClock()
	}
	return r.refresh()
}

func (r *refresher) refresh() tea.Cmd {
	if j := r.s.job(); j != nil && j.ready && j.needsConsent() && !j.sized {
		return r.readSmall(j)
	}
	return tea.Batch(r.load(), r.startClock())
}

// Status returns the figures of the last load.
func (s *queueScreen) Status() string {
	j := s.job()
	switch {
	case j == nil:
		return "no queue"
	case !j.ran && j.task.Running():
		return "reading"
	case !j.ran && j.err != nil:
		return "✗ no rows read"
	case !j.ran:
		return "No query run yet"
	}
	text := j.waiting()
	if n := j.rows.count(func(r *queueRow) bool { return r.isNew }); n > 0 {
		text += fmt.Sprintf(" · %d new", n)
	}
	if j.err != nil {
		text = "✗ not refreshed · " + text
	}
	return text + " · " + j.figures.String()
}

func (j *queueJob) waiting() string {
	more := ""
	if j.more {
		more = "+"
	}
	return present.Thousands(j.rows.waiting()) + more + " waiting"
}

func (s *queueScreen) titleTabs() {
	for i, j := range s.jobs {
		s.tabs.Titles[i] = j.queue.Title
		if j.ran {
			n, _, _ := strings.Cut(j.waiting(), " ")
			s.tabs.Titles[i] += " " + n
		}
	}
}

func (j *queueJob) selected() *queueRow {
	i := j.rows.Grid.Cursor()
	if i < 0 || i >= j.rows.Len() {
		return nil
	}
	return j.rows.list[i]
}

func (j *queueJob) targets() results.Targets {
	if j == nil {
		return results.Targets{}
	}
	if r := j.selected(); j.rows.Marks.Len() == 0 && r != nil && r.gone {
		return results.Targets{}
	}
	return j.rows.Targets()
}

// A refresher reads the visible queue automatically while the user looks at it, and on request.
type refresher struct {
	s *queueScreen

	clock clock
}

// actions runs the actions of the queue, and copies and exports its rows.
type actions struct {
	s *queueScreen
}
