package planner

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// changePlannedMsg is the answer to a planning.
type changePlannedMsg struct {
	box  *Change
	id   uint64
	plan *change.Plan
	err  error
}

// changeDoneMsg is the outcome of a commit.
type changeDoneMsg struct {
	box  *Change
	id   uint64
	done *changes.Commitment
	err  error
	who  string // changed the item before, "" if unknown
}

// Committed returns the items of the change as they are now.
func (m changeDoneMsg) Committed() []screen.Committed { return committedBy(m.done) }

func committedBy(done *changes.Commitment) []screen.Committed {
	if done == nil {
		return nil
	}
	var list []screen.Committed
	for i, w := range done.Plan.Writes {
		if w.Operation != change.Check {
			by := done.Plan.Action.Title
			if w.Entry || done.Plan.Undoes != nil || done.Unrecorded != nil || done.Plan.Action.NoUndo != "" {
				by = ""
			}
			list = append(list, screen.Committed{Table: w.Table, Key: w.Key, Item: done.Items[i], Before: w.Before, By: by})
		}
	}
	return list
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

func (c *Change) startPlan() tea.Cmd {
	if c.form.Validate() != nil {
		c.inForm = true
		c.form.SetFocused(true)
		return nil
	}
	ctx, stop := context.WithCancel(c.Env.Context)
	c.begin(changePlans)
	c.run.stop = stop
	ctx = c.run.watch.Watch(ctx)
	inputs, reason := c.inputs()
	s, a, plan, id := c.Env.Workspace, c.req.Action, c.req.Plan, c.run.id
	if c.steps == firstOnly || c.steps == firstOfTwo {
		a = c.first
		inputs = changes.ActionArgs(a, a.Entity, c.req.Item)
	}
	return tea.Batch(func() tea.Msg {
		if plan == nil {
			p, err := s.Planner.Plan(ctx, a, inputs, reason)
			return changePlannedMsg{c, id, p, err}
		}
		p, err := plan(ctx, inputs, reason)
		return changePlannedMsg{c, id, p, err}
	}, c.nextTick(widget.BusyAfter))
}

func (c *Change) begin(w changeWork) {
	c.run.id++
	c.run.work, c.run.elapsed, c.run.watch = w, 0, &reading.Progress{}
	c.made = 0
}

func (c *Change) nextTick(d time.Duration) tea.Cmd {
	msg := changeTickMsg{c, c.run.id}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

func (c *Change) stopPlanning() {
	c.run.stop()
	c.run.id++
	c.run.work = changeIdle
}

// startGrace ignores enter and space for a moment.
func (c *Change) startGrace() tea.Cmd {
	c.run.id++
	c.grace = true
	msg := changeGraceMsg{c, c.run.id}
	return tea.Tick(overlay.GraceFor, func(time.Time) tea.Msg { return msg })
}

// commit cannot be stopped.
func (c *Change) commit() tea.Cmd {
	c.begin(changeCommits)
	w := screen.NewWriting()
	c.run.writing = w
	s, p, id, commit := c.Env.Workspace, c.plan, c.run.id, c.req.Commit
	if commit == nil {
		commit = s.Committer.Commit
	}
	ctx := c.run.watch.Watch(context.WithoutCancel(c.Env.Context))
	return tea.Batch(func() tea.Msg {
		if !w.Start() {
			return nil
		}
		defer w.End()
		done, err := commit(ctx, p)
		msg := changeDoneMsg{box: c, id: id, done: done, err: err}
		if conflict := (*change.Conflict)(nil); errors.As(err, &conflict) {
			msg.who = changedBy(whoChanged(ctx, s, p.Writes[0].Table, p.Writes[0].Before, p.Basis.Now), s.Session.Now())
		}
		return msg
	}, c.nextTick(widget.BusyAfter))
}

func (c *Change) answered(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case manyMsg, exportedMsg:
		return c.manyAnswered(msg), true
	case changeTickMsg:
		if msg.box != c || msg.id != c.run.id || c.run.work == changeIdle && c.step != changeRuns {
			return nil, true
		}
		c.run.elapsed = max(c.run.elapsed+widget.BusyFrame, widget.BusyAfter)
		return c.nextTick(widget.BusyFrame), true
	case changeGraceMsg:
		if msg.box == c && msg.id == c.run.id {
			c.grace = false
		}
		return nil, true
	case changePlannedMsg:
		if msg.box != c || msg.id != c.run.id || c.run.work != changePlans {
			return nil, true
		}
		return c.planned(msg), true
	case requestedMsg:
		if msg.box != c || msg.id != c.run.id || c.run.work != changeRequests {
			return nil, true
		}
		return c.requested(msg), true
	case changeDoneMsg:
		if msg.box != c || msg.id != c.run.id || c.run.work != changeCommits {
			return nil, true
		}
		return c.committed(msg), true
	}
	return nil, false
}

func (c *Change) planned(msg changePlannedMsg) tea.Cmd {
	c.run.stop()
	c.run.work = changeIdle
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

func (c *Change) committed(msg changeDoneMsg) tea.Cmd {
	c.run.work = changeIdle
	if msg.err != nil {
		e := endOf(msg.err, true)
		e.who = msg.who
		return c.differs(e)
	}
	c.plan, c.shown = msg.done.Plan, nil
	var told tea.Cmd
	if c.req.Done != nil {
		told = c.req.Done(msg.done)
	}
	if c.steps == firstOfTwo && msg.done.Items[0] != nil {
		c.steps, c.req.Item = secondOfTwo, msg.done.Items[0]
		return tea.Batch(c.startPlan(), told)
	}
	return tea.Batch(c.finish(changeEnd{kind: endDone, done: msg.done}), told)
}
