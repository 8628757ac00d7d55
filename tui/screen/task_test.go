package screen

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func TestTaskEndsOnce(t *testing.T) {
	for name, c := range map[string]struct {
		do               func(*Task)
		running, stopped bool
		canceled         bool
	}{
		"started":           {func(*Task) {}, true, false, false},
		"stopped":           {func(task *Task) { task.Stop() }, true, true, true},
		"ended":             {func(task *Task) { task.End() }, false, false, true},
		"stopped, ended":    {func(task *Task) { task.Stop(); task.End() }, false, true, true},
		"ended, stopped":    {func(task *Task) { task.End(); task.Stop() }, false, false, true},
		"ended twice":       {func(task *Task) { task.End(); task.End() }, false, false, true},
		"stopped after end": {func(task *Task) { task.End(); task.Stop(); task.End() }, false, false, true},
	} {
		task, ctx, _ := StartTask(t.Context())
		c.do(task)
		if task.Running() != c.running || task.Stopped != c.stopped || (ctx.Err() != nil) != c.canceled {
			t.Errorf("%s: got running %v, stopped %v, canceled %v", name, task.Running(), task.Stopped, ctx.Err() != nil)
		}
		task.End()
	}
}

func TestTaskEndsWithItsScreen(t *testing.T) {
	parent, end := context.WithCancel(t.Context())
	task, ctx, _ := StartTask(parent)
	defer task.End()
	end()
	if ctx.Err() == nil {
		t.Error("closing the screen did not end the task")
	}
}

// A screen's task is nil until it starts one.
func TestNilTaskIsNotRunning(t *testing.T) {
	var task *Task
	task.Stop()
	task.End()
	if task.Running() || task.Ticked() != nil {
		t.Error("a nil task is running")
	}
}

func TestTaskCountsTimeWhileItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		task, _, tick := StartTask(t.Context())
		for range 3 {
			msg, ok := tick().(TickMsg)
			if !ok || msg.Task != task {
				t.Fatalf("the tick is %v", msg)
			}
			tick = msg.Task.Ticked()
		}
		if task.Elapsed != 3*widget.BusyFrame || time.Since(start) != task.Elapsed {
			t.Errorf("Elapsed = %s after %s", task.Elapsed, time.Since(start))
		}
		task.End()
		if task.Ticked() != nil || task.Elapsed != 3*widget.BusyFrame {
			t.Error("Elapsed increases after the end")
		}
	})
}

// If the program ends, it may not run the command that writes. Nothing must wait for that command or write later.
func TestExitDoesNotWaitForUnstartedWrite(t *testing.T) {
	w := NewWriting()
	w.Wait()
	w.Do(func() { t.Error("the write started after Wait") })
}

func TestEndedTaskAnswerIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		taken := 0
		visit := func() tea.Cmd { taken++; return tea.Quit }
		run, work := Run(t.Context(), func(context.Context) func() tea.Cmd { return visit })
		pause, later := After(time.Second, visit)
		batch := work().(tea.BatchMsg)
		for _, c := range []struct {
			task *Task
			cmd  tea.Cmd
		}{{run, batch[0]}, {pause, later}} {
			answer := c.cmd().(Answer)
			answer()
			if answer(); taken != 1 || c.task.Running() {
				t.Errorf("the answer was handled %d times; the task is running: %v", taken, c.task.Running())
			}
			taken = 0
		}
	})
}

// Parts arrive in order, the end last. After the task ends, the work does not block and its parts are ignored.
func TestPartsAreReadInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, ended := range []bool{false, true} {
			var taken []int
			part := func(n int) Commit { return Commit{Answer: func() tea.Cmd { taken = append(taken, n); return nil }} }
			task, cmd := Stream(t.Context(), 0, func(_ context.Context, give func(Commit)) Commit {
				for n := range 3 {
					give(part(n))
				}
				return part(3)
			})
			batch := cmd().(tea.BatchMsg)
			go batch[0]()
			for next := batch[1]; next != nil; {
				answer := next().(Commit).Answer
				if ended {
					task.End()
				}
				next = answer()
			}
			synctest.Wait()
			if want := map[bool][]int{false: {0, 1, 2, 3}, true: nil}[ended]; !slices.Equal(taken, want) || task.Running() {
				t.Errorf("ended %v: got parts %v, running %v", ended, taken, task.Running())
			}
		}
	})
}
