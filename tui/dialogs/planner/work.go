package planner

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// changePlannedMsg is the answer to a planning.
type changePlannedMsg struct {
	box  *Change
	id   uint64
	plan *accesspatterns.Plan
	err  error
}

// changeDoneMsg is the outcome of a commit.
type changeDoneMsg struct {
	box  *Change
	id   uint64
	done *session.Commitment
	err  error
}

// changeTickMsg moves the spinner.
type changeTickMsg struct {
	box *Change
	id  uint64
}

// changeGraceMsg ends the time in which enter is not taken.
type changeGraceMsg struct {
	box *Change
	id  uint64
}

// startPlan plans what was entered. Nothing is written.
func (c *Change) startPlan() tea.Cmd {
	if c.form.Validate() != nil {
		c.inForm = true
		c.form.SetFocused(true)
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	c.begin(changePlans)
	c.stop = stop
	ctx = c.watch.Watch(ctx)
	inputs, reason := c.inputs()
	s, a, plan, id := c.Env.Session, c.req.Action, c.req.Plan, c.id
	return tea.Batch(func() tea.Msg {
		if plan == nil {
			p, err := s.Plan(ctx, a, inputs, reason)
			return changePlannedMsg{c, id, p, err}
		}
		p, err := plan(ctx, inputs, reason)
		return changePlannedMsg{c, id, p, err}
	}, c.nextTick(widget.BusyAfter))
}

// begin starts something that is waited for.
func (c *Change) begin(w changeWork) {
	c.id++
	c.work, c.elapsed, c.watch = w, 0, &session.Progress{}
	c.made = 0
}

func (c *Change) nextTick(d time.Duration) tea.Cmd {
	msg := changeTickMsg{c, c.id}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// stopPlanning gives the planning up; its answer is dropped.
func (c *Change) stopPlanning() {
	c.stop()
	c.id++
	c.work = changeIdle
}

// startGrace keeps enter and space away for a moment.
func (c *Change) startGrace() tea.Cmd {
	c.id++
	c.grace = true
	msg := changeGraceMsg{c, c.id}
	return tea.Tick(overlay.GraceFor, func(time.Time) tea.Msg { return msg })
}

// commit writes the plan. From here on nothing stops it.
func (c *Change) commit() tea.Cmd {
	c.begin(changeCommits)
	w := &writing{done: make(chan struct{})}
	c.writing = w
	s, p, id := c.Env.Session, c.plan, c.id
	ctx := c.watch.Watch(context.Background())
	return tea.Batch(func() tea.Msg {
		if !w.Start() {
			return nil
		}
		defer close(w.done)
		done, err := s.Commit(ctx, p)
		return changeDoneMsg{c, id, done, err}
	}, c.nextTick(widget.BusyAfter))
}

// writing is a commit that was asked for. A program that ends may never run the
// command: whoever is first decides whether it is run, and the other obeys.
type writing struct {
	claimed atomic.Bool
	done    chan struct{}
}

func (w *writing) Start() bool { return w.claimed.CompareAndSwap(false, true) }

func (w *writing) wait() {
	if w.claimed.CompareAndSwap(false, true) {
		return // It will not be run any more.
	}
	<-w.done
}

// answered takes the answers of the dialog's commands; used is false for other
// messages.
func (c *Change) answered(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case changeTickMsg:
		if msg.box != c || msg.id != c.id || c.work == changeIdle {
			return nil, true
		}
		c.elapsed = max(c.elapsed+widget.BusyFrame, widget.BusyAfter)
		return c.nextTick(widget.BusyFrame), true
	case changeGraceMsg:
		if msg.box == c && msg.id == c.id {
			c.grace = false
		}
		return nil, true
	case changePlannedMsg:
		if msg.box != c || msg.id != c.id || c.work != changePlans {
			return nil, true
		}
		return c.planned(msg), true
	case changeDoneMsg:
		if msg.box != c || msg.id != c.id || c.work != changeCommits {
			return nil, true
		}
		return c.committed(msg), true
	}
	return nil, false
}

// planned shows the plan, or why there is none. An error about an input goes to
// its field.
func (c *Change) planned(msg changePlannedMsg) tea.Cmd {
	c.stop()
	c.work = changeIdle
	var bad *accesspatterns.ParamError
	switch _, asked := c.form.Values()[paramOf(msg.err)]; {
	case msg.err == nil:
		return c.show(msg.plan)
	case errors.As(msg.err, &bad) && asked:
		c.Ask()
		c.form.SetError(bad.Param, errors.New(bad.Param+": "+bad.Reason))
		c.form.FocusField(bad.Param)
		return nil
	}
	return c.differs(endOf(msg.err, false))
}

// differs goes to an outcome that is no success. Where the data is not, or may
// not be, as it was shown, it is read again.
func (c *Change) differs(e changeEnd) tea.Cmd {
	cmd := c.finish(e)
	if c.req.Done != nil && (e.kind == endConflict || e.kind == endUnknown) {
		cmd = tea.Batch(cmd, c.req.Done(nil))
	}
	return cmd
}

func paramOf(err error) string {
	var bad *accesspatterns.ParamError
	if errors.As(err, &bad) {
		return bad.Param
	}
	return ""
}

// committed shows the outcome.
func (c *Change) committed(msg changeDoneMsg) tea.Cmd {
	c.work = changeIdle
	if msg.err != nil {
		return c.differs(endOf(msg.err, true))
	}
	c.plan, c.shown = msg.done.Plan, nil
	cmd := c.finish(changeEnd{kind: endDone, done: msg.done})
	if c.req.Done != nil {
		cmd = tea.Batch(cmd, c.req.Done(msg.done))
	}
	return cmd
}
