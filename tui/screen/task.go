package screen

import (
	"context"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Task is slow work, or a pause, that a screen waits for. Only Update uses it; the work itself is a command with the
// task's context. A nil Task has ended.
type Task struct {
	Elapsed  time.Duration     // time since the start, in steps of widget.BusyFrame
	Progress *reading.Progress // progress of the requests that use the context
	Stopped  bool              // stopped by the user
	done     <-chan struct{}
	gone     <-chan struct{}    // closed when the screen no longer waits for any part
	stop     context.CancelFunc // closes done
	end      context.CancelFunc // closes both
	running  bool
}

// TickMsg advances the spinner of a task.
type TickMsg struct{ Task *Task }

// StartTask starts a task. ctx ends with parent and with the task. The caller must run tick.
func StartTask(parent context.Context) (t *Task, ctx context.Context, tick tea.Cmd) {
	t = &Task{Progress: &reading.Progress{}, running: true}
	awaited, end := context.WithCancel(parent)
	ctx, stop := context.WithCancel(awaited)
	t.done, t.gone, t.stop, t.end = ctx.Done(), awaited.Done(), stop, end
	return t, t.Progress.Watch(ctx), t.tick()
}

// Run starts a task. It calls work outside of Update and its result inside, unless the task has ended by then.
func Run(parent context.Context, work func(ctx context.Context) (then func() tea.Cmd)) (*Task, tea.Cmd) {
	t, ctx, tick := StartTask(parent)
	return t, tea.Batch(func() tea.Msg { return t.answer(work(ctx)) }, tick)
}

// Stream starts a task that delivers its result in parts. It calls work outside of Update, and the Answers of the parts
// inside, one after the other. give blocks while more than ahead parts are waiting; after the end of the task it does
// nothing. The Commit that work returns is the last part.
func Stream(parent context.Context, ahead int, work func(ctx context.Context, give func(Commit)) Commit) (*Task, tea.Cmd) {
	t, ctx, tick := StartTask(parent)
	parts, last := make(chan Commit, ahead), make(chan Commit, 1)
	var next tea.Cmd
	next = func() tea.Msg {
		part, more := <-parts
		if !more {
			part = <-last
			return Commit{t.answer(part.Answer), part.Made}
		}
		return Commit{func() tea.Cmd {
			if !t.Running() {
				return nil
			}
			return tea.Batch(part.Answer(), next)
		}, part.Made}
	}
	return t, tea.Batch(func() tea.Msg {
		last <- work(ctx, func(part Commit) {
			select {
			case parts <- part:
			case <-t.gone:
			}
		})
		close(parts)
		return nil
	}, next, tick)
}

// After starts a pause, and then calls then unless the task has ended.
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

// Done returns a channel that is closed when the work has completed or was cancelled.
func (t *Task) Done() <-chan struct{} { return t.done }

// Running reports whether the screen still waits for the task.
func (t *Task) Running() bool { return t != nil && t.running }

// Stop cancels the work for the user. The screen still waits for its result.
func (t *Task) Stop() {
	if t.Running() {
		t.Stopped = true
		t.stop()
	}
}

// End ends the task, and cancels the work if it is still running. The screen no longer waits for its result.
func (t *Task) End() {
	if t.Running() {
		t.running = false
		t.end()
	}
}

// A Writing is a requested write. A program that ends may never run its command: the command or the end of the program,
// whichever is first, decides whether the write runs.
type Writing struct {
	claimed atomic.Bool
	done    chan struct{}
}

// NewWriting returns a write that has not started.
func NewWriting() *Writing { return &Writing{done: make(chan struct{})} }

// Do calls write, which returns after the outcome, unless Wait has prevented it.
func (w *Writing) Do(write func()) {
	if w.claimed.CompareAndSwap(false, true) {
		defer close(w.done)
		write()
	}
}

// Wait returns when the write has an outcome. It prevents a write that has not started.
func (w *Writing) Wait() {
	if w.claimed.CompareAndSwap(false, true) {
		return
	}
	<-w.done
}
