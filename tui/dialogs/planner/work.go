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
			list = append(list, screen.Committed{Table: w.Table, Key: w.Key, Item: done.Items[i], Before: w.Before})
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

func (rn *changeRun) startPlan() tea.Cmd {
	if rn.c.form.Validate() != nil {
		rn.c.inForm = true
		rn.c.form.SetFocused(true)
		return nil
	}
	ctx, stop := context.WithCancel(rn.c.Env.Context)
	rn.begin(changePlans)
	rn.stop = stop
	ctx = rn.watch.Watch(ctx)
	inputs, reason := rn.c.inputs()
	s, a, plan, id := rn.c.Env.Workspace, rn.c.req.Action, rn.c.req.Plan, rn.id
	return tea.Batch(func() tea.Msg {
		if plan == nil {
			p, err := s.Planner.Plan(ctx, a, inputs, reason)
			return changePlannedMsg{rn.c, id, p, err}
		}
		p, err := plan(ctx, inputs, reason)
		return changePlannedMsg{rn.c, id, p, err}
	}, rn.nextTick(widget.BusyAfter))
}

func (rn *changeRun) begin(w changeWork) {
	rn.id++
	rn.work, rn.elapsed, rn.watch = w, 0, &reading.Progress{}
	rn.c.made = 0
}

func (rn *changeRun) nextTick(d time.Duration) tea.Cmd {
	msg := changeTickMsg{rn.c, rn.id}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// stopPlanning drops the answer of the running plan.
func (rn *changeRun) stopPlanning() {
	rn.stop()
	rn.id++
	rn.work = changeIdle
}

// startGrace ignores enter and space for a moment.
func (rn *changeRun) startGrace() tea.Cmd {
	rn.id++
	rn.c.grace = true
	msg := changeGraceMsg{rn.c, rn.id}
	return tea.Tick(overlay.GraceFor, func(time.Time) tea.Msg { return msg })
}

// commit cannot be stopped.
func (rn *changeRun) commit() tea.Cmd {
	rn.begin(changeCommits)
	w := screen.NewWriting()
	rn.writing = w
	s, p, id, commit := rn.c.Env.Workspace, rn.c.plan, rn.id, rn.c.req.Commit
	if commit == nil {
		commit = s.Committer.Commit
	}
	ctx := rn.watch.Watch(context.WithoutCancel(rn.c.Env.Context))
	return tea.Batch(func() tea.Msg {
		if !w.Start() {
			return nil
		}
		defer w.End()
		done, err := commit(ctx, p)
		msg := changeDoneMsg{box: rn.c, id: id, done: done, err: err}
		if conflict := (*change.Conflict)(nil); errors.As(err, &conflict) {
			msg.who = whoChanged(ctx, s, p)
		}
		return msg
	}, rn.nextTick(widget.BusyAfter))
}

func (rn *changeRun) answered(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case changeTickMsg:
		if msg.box != rn.c || msg.id != rn.id || rn.work == changeIdle {
			return nil, true
		}
		rn.elapsed = max(rn.elapsed+widget.BusyFrame, widget.BusyAfter)
		return rn.nextTick(widget.BusyFrame), true
	case changeGraceMsg:
		if msg.box == rn.c && msg.id == rn.id {
			rn.c.grace = false
		}
		return nil, true
	case changePlannedMsg:
		if msg.box != rn.c || msg.id != rn.id || rn.work != changePlans {
			return nil, true
		}
		return rn.planned(msg), true
	case requestedMsg:
		if msg.box != rn.c || msg.id != rn.id || rn.work != changeRequests {
			return nil, true
		}
		return rn.c.ending.requested(msg), true
	case changeDoneMsg:
		if msg.box != rn.c || msg.id != rn.id || rn.work != changeCommits {
			return nil, true
		}
		return rn.c.ending.committed(msg), true
	}
	return nil, false
}

// planned puts an error about an input at its field.
func (rn *changeRun) planned(msg changePlannedMsg) tea.Cmd {
	rn.stop()
	rn.work = changeIdle
	var bad *accesspatterns.ParamError
	switch _, asked := rn.c.form.Values()[paramOf(msg.err)]; {
	case msg.err == nil:
		return rn.c.show(msg.plan)
	case errors.As(msg.err, &bad) && asked:
		rn.c.Ask()
		rn.c.form.SetError(bad.Param, errors.New(bad.Param+": "+bad.Reason))
		rn.c.form.FocusField(bad.Param)
		return nil
	}
	return rn.differs(endOf(msg.err, false))
}

func (rn *changeRun) differs(e changeEnd) tea.Cmd {
	cmd := rn.c.ending.finish(e)
	if rn.c.req.Done != nil && (e.kind == endConflict || e.kind == endUnknown) {
		cmd = tea.Batch(cmd, rn.c.req.Done(nil))
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

func (en *changeEnding) committed(msg changeDoneMsg) tea.Cmd {
	en.c.run.work = changeIdle
	if msg.err != nil {
		e := endOf(msg.err, true)
		e.who = msg.who
		return en.c.run.differs(e)
	}
	en.c.plan, en.c.shown = msg.done.Plan, nil
	cmd := en.finish(changeEnd{kind: endDone, done: msg.done})
	if en.c.req.Done != nil {
		cmd = tea.Batch(cmd, en.c.req.Done(msg.done))
	}
	return cmd
}
