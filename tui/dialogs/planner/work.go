package planner

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// changeDoneMsg is the outcome of a commit.
type changeDoneMsg struct {
	task *screen.Task
	done *changes.Commitment
	err  error
	who  string // changed the item before, "" if unknown
}

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
			c := screen.Committed{Table: w.Table, Key: w.Key, Item: done.Items[i], Before: w.Before, By: by}
			if done.Plan.Action.Kind == change.Moves && i < 2 && w.Operation == change.Delete {
				c.Moved = done.Items[1-i] // A move is a put and a delete; its undo has them the other way round.
			}
			list = append(list, c)
		}
	}
	return list
}

func (c *Change) startPlan() tea.Cmd {
	if c.form.Validate() != nil {
		c.inForm = true
		c.form.SetFocused(true)
		return nil
	}
	task, ctx, tick := c.begin(c.Env.Context, changePlans)
	inputs, reason := c.inputs()
	s, a, plan := c.Env.Workspace, c.req.Action, c.req.Plan
	if c.steps == firstOnly || c.steps == firstOfTwo {
		a = c.first
		inputs = changes.ActionArgs(a, a.Entity, c.req.Item)
	}
	if plan == nil {
		seen := c.req.Item
		plan = func(ctx context.Context, inputs map[string]string, reason string) (*change.Plan, error) {
			p, err := s.Planner.Plan(ctx, a, inputs, reason)
			if err == nil && a.IsRaw() && seen != nil {
				err = p.Since(seen)
			}
			return p, err
		}
	}
	return tea.Batch(func() tea.Msg {
		p, err := plan(ctx, inputs, reason)
		return c.answers(task, func() tea.Cmd { return c.planned(p, err) })
	}, tick)
}

func (c *Change) begin(parent context.Context, w changeWork) (task *screen.Task, ctx context.Context, tick tea.Cmd) {
	task, ctx, tick = screen.StartTask(parent)
	c.task, c.work, c.made = task, w, 0
	return task, ctx, tick
}

func (c *Change) stopPlanning() {
	c.task.End()
	c.work = changeIdle
}

func (c *Change) startGrace() tea.Cmd {
	c.graces++
	c.grace = true
	turn := c.graces
	return tea.Tick(overlay.GraceFor, func(time.Time) tea.Msg {
		return screen.Answer(func() tea.Cmd {
			c.grace = c.grace && turn != c.graces
			return nil
		})
	})
}

// commit cannot be stopped.
func (c *Change) commit() tea.Cmd {
	task, ctx, tick := c.begin(context.WithoutCancel(c.Env.Context), changeCommits)
	w := screen.NewWriting()
	c.writing = w
	s, p, commit := c.Env.Workspace, c.plan, c.req.Commit
	if commit == nil {
		commit = s.Committer.Commit
	}
	return tea.Batch(func() tea.Msg {
		if !w.Start() {
			return nil
		}
		defer w.End()
		done, err := commit(ctx, p)
		msg := changeDoneMsg{task: task, done: done, err: err}
		if conflict := (*change.Conflict)(nil); errors.As(err, &conflict) {
			if by := whoChanged(ctx, s, p.Writes[0].Table, p.Old(), p.Basis.Now); by.Who != "" {
				msg.who = present.Join("Changed by "+by.Who, by.What, ": ") + ", " + present.Age(by.When, s.Session.Now()) + "."
			}
		}
		return msg
	}, tick)
}

func (c *Change) answered(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case manyMsg:
		return c.manyAnswered(msg), true
	case screen.TickMsg:
		return msg.Task.Ticked(), true
	case screen.Answer:
		return msg(), true
	case changeDoneMsg:
		if c.ended(msg.task) {
			cmd = c.committed(msg)
		}
		return cmd, true
	}
	return nil, false
}

// answers calls a function when the work of a task has ended, if the dialog still waits for it.
func (c *Change) answers(task *screen.Task, then func() tea.Cmd) screen.Answer {
	return func() tea.Cmd {
		if !c.ended(task) {
			return nil
		}
		return then()
	}
}

func (c *Change) ended(task *screen.Task) bool {
	if task != c.task || !task.Running() {
		return false
	}
	task.End()
	c.work = changeIdle
	return true
}

func (c *Change) planned(p *change.Plan, err error) tea.Cmd {
	bad, _ := errors.AsType[*accesspatterns.ParamError](err)
	asked := false
	if bad != nil {
		_, asked = c.form.Values()[bad.Param]
	}
	switch {
	case err == nil:
		return c.show(p)
	case asked:
		c.Ask()
		c.form.SetError(bad.Param, errors.New(bad.Param+": "+bad.Reason))
		c.form.FocusField(bad.Param)
		return nil
	}
	cmd := c.differs(endOf(err, false))
	if a := c.req.Action; a != nil && a.IsRaw() {
		c.req.Item = nil // The differences are shown, and another plan is one for the item as it is now.
	}
	return cmd
}

func (c *Change) differs(e changeEnd) tea.Cmd {
	cmd := c.finish(e)
	if c.req.Done != nil && (e.status == changes.Conflict || e.status == changes.Unknown) {
		cmd = tea.Batch(cmd, c.req.Done(nil))
	}
	return cmd
}

func (c *Change) committed(msg changeDoneMsg) tea.Cmd {
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
	return tea.Batch(c.finish(changeEnd{status: changes.Committed, done: msg.done}), told)
}
