package planner

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func committedBy(done *changes.Commitment) []screen.CommittedChange {
	if done == nil {
		return nil
	}
	var list []screen.CommittedChange
	for i, w := range done.Plan.Writes {
		if w.Operation != change.Check {
			undoTitle := done.Plan.Action.Title
			if w.Entry || done.Plan.Undoes != nil || done.Unrecorded != nil || done.Plan.Action.NoUndo != "" {
				undoTitle = ""
			}
			c := screen.CommittedChange{Table: w.Table, Key: w.Key, Item: done.Items[i], Before: w.Before, UndoTitle: undoTitle}
			c.IsUndo = !w.Entry && done.Plan.Undoes != nil
			if done.Plan.Action.Kind == change.KindMove && i < 2 && w.Operation == change.Delete {
				c.Moved = done.Items[1-i] // A move consists of a put and a delete, in reverse order when undone.
			}
			list = append(list, c)
		}
	}
	return list
}

func (c *Change) startSequence(s planSequence) tea.Cmd {
	c.sequence = s
	return c.startPlan()
}

func (c *Change) startPlan() tea.Cmd {
	if c.form.Validate() != nil {
		c.inForm = true
		c.form.SetFocused(true)
		return nil
	}
	inputs, reason := c.inputs()
	s, a, plan := c.Env.Workspace, c.req.Action, c.req.Plan
	if c.sequence == firstOnly || c.sequence == firstOfTwo {
		a = c.firstAction
		inputs = changes.ActionArgs(a, a.Entity, c.req.Item)
	}
	if plan == nil {
		shownItem := c.req.Item
		plan = func(ctx context.Context, inputs map[string]string, reason string) (*change.Plan, error) {
			p, err := s.Planner.Plan(ctx, a, inputs, reason)
			if err == nil && a.IsRaw() && shownItem != nil {
				err = p.CheckUnchanged(shownItem)
			}
			return p, err
		}
	}
	c.work, c.builtWidth = changePlanning, 0
	var cmd tea.Cmd
	c.task, cmd = screen.Run(c.Env.Context, func(ctx context.Context) func() tea.Cmd {
		p, err := plan(ctx, inputs, reason)
		return func() tea.Cmd { return c.finishPlan(p, err) }
	})
	return cmd
}

// write runs send, which cannot be stopped. Update receives the result.
func (c *Change) write(w changeWork, send func(ctx context.Context) screen.Commit) tea.Cmd {
	task, ctx, tick := screen.StartTask(context.WithoutCancel(c.Env.Context))
	writing := screen.NewWriting()
	c.task, c.work, c.builtWidth, c.writing = task, w, 0, writing
	return tea.Batch(func() (msg tea.Msg) {
		writing.Do(func() {
			result := send(ctx)
			msg = screen.Commit{Changes: result.Changes, Answer: func() tea.Cmd {
				task.End()
				c.work = changeIdle
				return result.Answer()
			}}
		})
		return msg
	}, tick)
}

func (c *Change) stopPlanning() {
	c.task.End()
	c.work = changeIdle
}

func (c *Change) startGrace() (cmd tea.Cmd) {
	c.grace.End()
	c.grace, cmd = screen.After(overlay.GracePeriod, func() tea.Cmd { return nil })
	return cmd
}

func (c *Change) commit() tea.Cmd {
	s, p, commit := c.Env.Workspace, c.plan, c.req.Commit
	if commit == nil {
		commit = s.Committer.Commit
	}
	return c.write(changeCommitting, func(ctx context.Context) screen.Commit {
		done, err := commit(ctx, p)
		user := ""
		if conflict := (*change.Conflict)(nil); errors.As(err, &conflict) {
			if last := lastChange(ctx, s, p.Writes[0].Table, p.SubjectBefore(), p.Basis.Now); last.Who != "" {
				user = present.Join("Changed by "+last.Who, last.What, ": ") + ", " + present.Age(last.When, s.Session.Now()) + "."
			}
		}
		return screen.Commit{Changes: committedBy(done), Answer: func() tea.Cmd { return c.finishCommit(done, err, user) }}
	})
}

func (c *Change) finishPlan(p *change.Plan, err error) tea.Cmd {
	c.work = changeIdle
	paramErr, _ := errors.AsType[*accesspatterns.ParamError](err)
	wasPrompted := false
	if paramErr != nil {
		_, wasPrompted = c.form.Values()[paramErr.Param]
	}
	switch {
	case err == nil:
		return c.showPlan(p)
	case wasPrompted:
		c.ShowInputs()
		c.form.SetError(paramErr.Param, errors.New(paramErr.Param+": "+paramErr.Reason))
		c.form.FocusField(paramErr.Param)
		return nil
	}
	cmd := c.finishUnapplied(outcomeOf(err, false))
	if a := c.req.Action; a != nil && a.IsRaw() {
		c.req.Item = nil // The dialog shows the differences, so the next plan starts from the current item.
	}
	return cmd
}

func (c *Change) finishUnapplied(e changeOutcome) tea.Cmd {
	cmd := c.finish(e)
	if c.req.Done != nil && (e.status == changes.Conflict || e.status == changes.Unknown) {
		cmd = tea.Batch(cmd, c.req.Done(nil))
	}
	return cmd
}

// finishCommit shows the outcome. user is the user who changed the item in the meantime, "" if unknown.
func (c *Change) finishCommit(done *changes.Commitment, err error, user string) tea.Cmd {
	if err != nil {
		e := outcomeOf(err, true)
		e.user = user
		return c.finishUnapplied(e)
	}
	c.plan, c.shown = done.Plan, nil
	var notice tea.Cmd
	if c.req.Done != nil {
		notice = c.req.Done(done)
	}
	if c.sequence == firstOfTwo && done.Items[0] != nil {
		c.sequence, c.req.Item = secondOfTwo, done.Items[0]
		return tea.Batch(c.startPlan(), notice)
	}
	return tea.Batch(c.finish(changeOutcome{status: changes.Committed, done: done}), notice)
}
