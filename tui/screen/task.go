package screen

import (
	"context"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Task is slow work, or a pause, that a screen waits for. Only Update may use it. The work itself is a command that
// uses the task's context. A nil Task counts as ended.
type Task struct {
	Elapsed   time.Duration     // time since the start, in steps of widget.BusyFrame
	Progress  *reading.Progress // progress of the requests that use the context
	Stopped   bool              // the user stopped the task
	done      <-chan struct{}
	abandoned <-chan struct{}    // closed when the screen no longer waits for any part
	stop      context.CancelFunc // closes done
	end       context.CancelFunc // closes both
	running   bool
}

// TickMsg advances the spinner of a task.
type TickMsg struct{ Task *Task }

// StartTask starts a task. ctx ends with parent and with the task. The caller must return tick to Bubble Tea.
func StartTask(parent context.Context) (t *Task, ctx context.Context, tick tea.Cmd) {
	t = &Task{Progress: &reading.Progress{}, running: true}
	outerCtx, end := context.WithCancel(parent)
	ctx, stop := context.WithCancel(outerCtx)
	t.done, t.abandoned, t.stop, t.end = ctx.Done(), outerCtx.Done(), stop, end
	return t, t.Progress.Watch(ctx), t.tick()
}

// Run starts a task. It calls work outside of Update. It calls then inside Update, unless the task has ended.
func Run(parent context.Context, work func(ctx context.Context) (then func() tea.Cmd)) (*Task, tea.Cmd) {
	t, ctx, tick := StartTask(parent)
	return t, tea.Batch(func() tea.Msg { return t.answer(work(ctx)) }, tick)
}

// Stream starts a task that delivers its result in parts. It calls work outside of Update, and the Answers of the parts
// inside Update, one by one. emit blocks while more than ahead parts are waiting, and does nothing after the task ends.
// The Commit that work returns is the last part.
func Stream(parent context.Context, ahead int, work func(ctx context.Context, emit func(Commit)) Commit) (*Task, tea.Cmd) {
	t, ctx, tick := StartTask(parent)
	parts, final := make(chan Commit, ahead), make(chan Commit, 1)
	var next tea.Cmd
	next = func() tea.Msg {
		part, more := <-parts
		if !more {
			part = <-final
			return Commit{t.answer(part.Answer), part.Changes}
		}
		return Commit{func() tea.Cmd {
			if !t.Running() {
				return nil
			}
			return tea.Batch(part.Answer(), next)
		}, part.Changes}
	}
	return t, tea.Batch(func() tea.Msg {
		final <- work(ctx, func(part Commit) {
			select {
			case parts <- part:
			case <-t.abandoned:
			}
		})
		close(parts)
		return nil
	}, next, tick)
}

// After starts a pause. After the pause it calls then, unless the task has ended.
func After(d time.Duration, then func() tea.Cmd) (*Task, tea.Cmd) {
	t := &Task{running: true, stop: func() {}, end: func() {}}
	return t, tea.Tick(d, func(time.Time) tea.Msg { return t.answer(then) })
}

func (t *Task) answer(then func() tea.Cmd) Answer {
	return func() tea.Cmd {
		if !t.Running() {
			return nil
		}
		t.End()
		return then()
	}
}

func (t *Task) tick() tea.Cmd {
	return tea.Tick(widget.BusyFrame, func(time.Time) tea.Msg { return TickMsg{t} })
}

// Ticked advances the spinner and returns the next tick.
func (t *Task) Ticked() tea.Cmd {
	if !t.Running() {
		return nil
	}
	t.Elapsed += widget.BusyFrame
	return t.tick()
}

// Done returns a channel that is closed when the work completes or is canceled.
func (t *Task) Done() <-chan struct{} { return t.done }

// Running reports whether the screen is still waiting for the task.
func (t *Task) Running() bool { return t != nil && t.running }

// Stop cancels the work at the user's request. The screen still waits for the result.
func (t *Task) Stop() {
	if t.Running() {
		t.Stopped = true
		t.stop()
	}
}

// End ends the task and cancels running work. The screen no longer waits for the result.
func (t *Task) End() {
	if t.Running() {
		t.running = false
		t.end()
	}
}

// A Writing is a requested write. A program that ends may never run the command for the write, so Do and Wait compete:
// the first one decides whether the write runs.
type Writing struct {
	claimed atomic.Bool
	done    chan struct{}
}

// NewWriting returns a write that has not started.
func NewWriting() *Writing { return &Writing{done: make(chan struct{})} }

// Do calls write and blocks until it returns. It does nothing if Wait came first.
func (w *Writing) Do(write func()) {
	if w.claimed.CompareAndSwap(false, true) {
		defer close(w.done)
		write()
	}
}

// Wait blocks until the write has an outcome. It prevents a write that has not started.
func (w *Writing) Wait() {
	if w.claimed.CompareAndSwap(false, true) {
		return
	}
	<-w.done
}
