// Package requests is the screen that shows requested changes, and where they are decided.
package requests

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// requestsScreen shows the requests of the session's schema in a grid under tabs, and below it the selected one with what
// it would write now.
type requestsScreen struct {
	screen.Base
	overlay.Split
	env *screen.Env
	ctx context.Context // ends with the screen
	end context.CancelFunc

	list     list
	review   reviewer
	decide   decider
	grid     *widget.Grid
	shown    shown // what the details were made from
	tabRow   widget.Rect
	rowPanes func() widget.Panes // the entries and the details
}

var guide = screen.Guide{
	Purpose: "Changes that one user requested and another one applies. The details show what a request would write now.",
	First:   "select a request, read the plan below it, and press a to apply it or d to reject it. 1 to 3 choose the tab.",
	Signs: screen.Signs([]screen.Sign{
		{Glyph: "◐", Means: "can be applied: open, or approved by another user"},
		{Glyph: "✓", Means: "applied"},
		{Glyph: "✗", Means: "rejected, or damaged: its plan was edited and cannot be applied"},
		{Glyph: "■", Means: "withdrawn or expired"},
	}, screen.MaskSigns),
}

// New returns the screen of the requests: for a user who may decide them on those to review, otherwise on those that the
// user created.
func New(env *screen.Env, _ screen.Requests) screen.Screen {
	s := &requestsScreen{
		Base: screen.Base{Name: "Requests", Kind: "requests", About: guide}, env: env,
		grid: widget.NewGrid(env.Styles, columns...),
	}
	s.ctx, s.end = context.WithCancel(env.Context)
	s.list.s, s.review.s, s.decide.s = s, s, s
	s.decide.said = map[string]outcome{}
	if s.list.tabs.Active = created; env.Session.CanDecide() == nil {
		s.list.tabs.Active = toReview
	}
	s.list.titleTabs()
	s.grid.SetSource(&s.list)
	s.Begin(env, []overlay.Entries{s.grid}, func() overlay.Entries { return s.grid }, keyboard{s}.noItem, keyboard{s}.openItem)
	s.rowPanes, s.Panes, s.Left = s.Panes, s.panes, s.resume
	return s
}

// Init lists the requests and starts the clock.
func (s *requestsScreen) Init() tea.Cmd { return s.resume() }

// Watch lists the requests again when the screen comes back into view. Out of view it does not refresh.
func (s *requestsScreen) Watch(on bool) tea.Cmd {
	s.list.hidden = !on
	return s.resume()
}

// interval is the time between two automatic refreshes.
const interval = time.Minute

// intervalMsg says that the interval of a timer is over.
type intervalMsg struct{ beat int }

// resume lists the requests, and again after the interval. An earlier timer is ignored.
func (s *requestsScreen) resume() tea.Cmd {
	if s.list.hidden {
		return nil
	}
	s.list.beat++
	msg := intervalMsg{s.list.beat}
	return tea.Batch(s.list.load(), tea.Tick(interval, func(time.Time) tea.Msg { return msg }))
}

// intervalOver refreshes, unless a dialog is open or another screen is in view. The dialog refreshes when it is closed.
func (s *requestsScreen) intervalOver(msg intervalMsg) tea.Cmd {
	if msg.beat != s.list.beat || s.Box != nil {
		return nil
	}
	return s.resume()
}

// Retry lists the requests again after the user signed in.
func (s *requestsScreen) Retry() tea.Cmd { return s.resume() }

// Close cancels what is being read. A decision that is being written is not canceled.
func (s *requestsScreen) Close() {
	s.end()
	s.list.task.End()
	s.review.task.End()
	s.CloseBox()
}

// Typing reports whether a dialog has the keyboard.
func (s *requestsScreen) Typing() bool { return s.Box != nil || s.Listening() }

// Cancel closes the dialog, stops reading, or leaves the details.
func (s *requestsScreen) Cancel() bool {
	if s.Box == nil && s.list.task.Running() && !s.list.loaded {
		s.list.task.Stop()
		return true
	}
	return s.Split.Cancel()
}

// Holds says what must not be cut off: a decision, or the change of a request.
func (s *requestsScreen) Holds() string {
	if d := s.decide; d.writing != nil {
		return d.doing + " " + d.id
	}
	return s.Host.Holds()
}

// Wait returns once what is being written has its outcome.
func (s *requestsScreen) Wait() {
	if s.decide.writing != nil {
		s.decide.writing.Wait()
	}
	s.Host.Wait()
}

// SetStyles changes the theme.
func (s *requestsScreen) SetStyles(st *widget.Styles) {
	s.Split.SetStyles(st)
	s.shown.room = 0 // the lines are styled
}

// Status returns the number of requests to review and the time of the list.
func (s *requestsScreen) Status() string {
	l := &s.list
	switch {
	case s.decide.writing != nil:
		return s.decide.doing
	case s.unconfigured() != nil:
		return "no requests table"
	case !l.loaded && l.err != nil:
		return "✗ no requests read"
	case !l.loaded:
		return "reading the requests"
	}
	text := present.Plural(l.count(toReview), "request") + " to review · as of " + l.at.UTC().Format("15:04:05") + " UTC"
	if l.more {
		text = "only the newest " + present.Plural(len(l.entries), "request") + " · " + text
	}
	if l.err != nil {
		text = "✗ not refreshed · " + text
	}
	return text
}

// unconfigured returns the refusal of a session without a requests table, nil with one.
func (s *requestsScreen) unconfigured() error {
	if s.env.Session.RequestsTable() == "" {
		return session.NoRequestsTable()
	}
	return nil
}
