package requests

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A reviewer reads the history of the selected request and plans its change again from the current items.
type reviewer struct {
	s *requestsScreen

	of    subject // what is shown, or being read
	task  *screen.Task
	due   int     // number of the last pause, so that only this one counts
	found *review // nil until it was read
}

// A subject is a request in one list.
type subject struct {
	id    string
	loads int
}

// A review is what is known about one request.
type review struct {
	requests.Review
	events []requests.Event
	err    error // why it could not be read
}

// pause is how long the cursor stays on a request before it is read.
const pause = 150 * time.Millisecond

// reviewDueMsg says that the cursor stayed on a request.
type reviewDueMsg struct{ due int }

// reviewedMsg is a request as it was read.
type reviewedMsg struct {
	task  *screen.Task
	found *review
}

// consider reads the selected request if that was not done since the requests were listed.
func (r *reviewer) consider() tea.Cmd {
	e := r.s.list.selected()
	want := subject{loads: r.s.list.loads}
	if e != nil {
		want.id = e.ID
	}
	if want == r.of {
		return nil
	}
	same := want.id == r.of.id
	r.of = want
	r.task.End()
	r.due++
	switch {
	case e == nil:
		r.found = nil
		return nil
	case same:
		return r.read()
	}
	r.found = nil
	msg := reviewDueMsg{r.due}
	return tea.Tick(pause, func(time.Time) tea.Msg { return msg })
}

// isDue reads the request on which the cursor stayed.
func (r *reviewer) isDue(msg reviewDueMsg) tea.Cmd {
	if msg.due != r.due {
		return nil
	}
	return r.read()
}

// read reads the selected request.
func (r *reviewer) read() tea.Cmd {
	e := r.s.list.selected()
	if e == nil {
		return nil
	}
	task, ctx, tick := screen.StartTask(r.s.ctx)
	r.task = task
	q, inbox := e.Request, r.s.env.Requests
	return tea.Batch(tick, func() tea.Msg { return reviewedMsg{task, look(ctx, inbox, q)} })
}

// look reads the history of a request and, if it can still be applied, what it would write now.
func look(ctx context.Context, inbox *requests.Inbox, q requests.Request) *review {
	found := &review{Review: requests.Review{Request: q, Moved: q.Fault}}
	register, err := inbox.Register()
	if err != nil {
		found.err = err
		return found
	}
	if found.events, found.err = register.Events(ctx, q.ID); found.err != nil {
		return found
	}
	if q.State.Pending() {
		found.Review, found.err = inbox.Review(ctx, q)
	}
	return found
}

func (r *reviewer) arrived(msg reviewedMsg) {
	if msg.task == r.task && r.task.Running() {
		r.task.End()
		r.found = msg.found
	}
}

// current returns what is known about the selected request, nil if it is being read.
func (r *reviewer) current() *review {
	if e := r.s.list.selected(); e != nil && r.found != nil && r.found.Request.ID == e.ID {
		return r.found
	}
	return nil
}
