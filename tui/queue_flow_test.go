package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// Three are marked, one of them is changed meanwhile: two are approved, the
// third is a conflict, and nothing is written twice.
func TestQueueInBulk(t *testing.T) {
	inQueueFixture(t, 4, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		tt := w.enter(size, "Q", "4 waiting")
		tt.Golden("queue")
		tt.Press("space", "space", "space")
		w.put(2, "in_review", models.Item{"updatedAt": models.StringValue("2026-01-20T11:59:00Z")})
		tt.Press("a")
		tt.Golden("question")
		tt.Press("tab", "enter") // Too early: it was not meant for this.
		if !tt.Has("[ Cancel ]") && !tt.Has("Approve · 3 items") {
			t.Fatalf("a key in flight answered:\n%s", tt.Screen())
		}
		tt.Advance(queueGrace)
		tt.Press("enter")
		tt.WaitFor("done")
		if got := w.statuses(4); got != "approved in_review approved in_review" {
			t.Errorf("the states are %s", got)
		}
		if !tt.Has("2 committed · 1 conflict") {
			t.Errorf("the summary does not count:\n%s", tt.Screen())
		}
		tt.Golden("summary")
		tt.Press("y")
		tt.WaitFor("copied 3 outcomes")
		if got := w.clip.read(); strings.Count(got, "\n") != 4 || !strings.Contains(got, ",conflict,") {
			t.Errorf("copied %q", got)
		}
		tt.Advance(10 * time.Second)
		tt.Press("esc")
		tt.WaitFor("2 waiting")
		tt.Golden("left")
		tt.Advance(16 * time.Second)
		if tt.Has("left ") {
			t.Errorf("what left stays for ever:\n%s", tt.Screen())
		}
	})
}

// The outcomes can be kept: in a file of the working directory that only its
// owner reads.
func TestQueueExportsOutcomes(t *testing.T) {
	w := newQueueFixture(t, 2)
	dir := t.TempDir()
	t.Chdir(dir)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "Q", "2 waiting")
		tt.Press("*", "a")
		tt.Advance(queueGrace)
		tt.Press("tab", "enter")
		tt.WaitFor("2 committed")
		tt.Press("e", "E")
		tt.WaitFor("✓ " + dir)
		for _, form := range []string{"csv", "json"} {
			files, err := filepath.Glob(filepath.Join(dir, "ddbdesk-approve-*."+form))
			if err != nil || len(files) != 1 {
				t.Fatalf("the %s files are %v, %v", form, files, err)
			}
			text, err := os.ReadFile(files[0])
			if err != nil || strings.Count(string(text), w.id(2)) != 1 {
				t.Errorf("the %s holds %q, %v", form, text, err)
			}
			if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the %s has the mode %v, %v", form, info.Mode(), err)
			}
		}
	})
}

// Esc stops after the item under way: it is whole, and the rest is untouched.
func TestQueueStopsABulkChange(t *testing.T) {
	inQueueFixture(t, 4, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		tt := w.enter(size, "Q", "4 waiting")
		w.line.slow = 3 * time.Second
		tt.Press("*", "a")
		tt.Advance(queueGrace)
		tt.Press("tab", "enter")
		tt.WaitFor("1 of 4")
		tt.Advance(time.Second)
		tt.Golden("running")
		tt.Press("esc")
		tt.WaitFor("stopping after the item under way")
		tt.WaitFor("stopped: the rest is as it was")
		if !tt.Has("2 committed · 2 skipped") {
			t.Errorf("the summary does not count:\n%s", tt.Screen())
		}
		if got := w.statuses(4); got != "approved approved in_review in_review" {
			t.Errorf("the states are %s", got)
		}
	})
}

// Who leaves in the middle waits for the item under way; the rest is untouched.
func TestQuittingStopsABulk(t *testing.T) {
	w := newQueueFixture(t, 3)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "Q", "3 waiting")
		w.line.slow = 3 * time.Second
		tt.Press("*", "a")
		tt.Advance(queueGrace)
		tt.Press("tab", "enter")
		tt.Advance(time.Second)
		tt.Press("ctrl+c", "ctrl+c")
		if _, gone := tt.Exited(); gone {
			t.Fatal("the program left a change behind")
		}
		tt.Advance(5 * time.Second)
		if _, gone := tt.Exited(); !gone {
			t.Errorf("the program did not leave:\n%s", tt.Screen())
		}
		if got := w.statuses(3); got != "approved in_review in_review" {
			t.Errorf("the states are %s", got)
		}
	})
}

// A refresh marks what is new and keeps the cursor on its item; nobody reads
// what nobody looks at.
func TestQueueRefreshesItself(t *testing.T) {
	w := newQueueFixture(t, 3)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "Q", "3 waiting")
		tt.Press("down", "space")
		w.put(0, "in_review", nil) // Older than the others: it comes first.
		tt.WaitFor("1 new")
		tt.Golden("new")
		if _, y, _ := tt.Find("ver_00000003"); !strings.HasPrefix(tt.Line(y), "│▌") {
			t.Errorf("the cursor left its item:\n%s", tt.Screen())
		}
		reads := w.line.reads.Load()
		tt.Press("t")
		tt.WaitFor("paused")
		tt.Advance(time.Minute)
		if w.line.reads.Load() != reads {
			t.Error("a paused queue is read")
		}
		tt.Press("t")
		tt.Advance(time.Second)
		if w.line.reads.Load() == reads {
			t.Error("a queue that was paused for long is not read at once")
		}
		tt.Press("enter")
		tt.WaitFor("as in the list")
		tt.Advance(5 * time.Second) // The item counts what it leads to.
		reads = w.line.reads.Load()
		tt.Advance(time.Minute)
		if w.line.reads.Load() != reads {
			t.Error("a queue that is out of view is read")
		}
		tt.Press("esc")
		tt.Advance(time.Second)
		if w.line.reads.Load() == reads {
			t.Error("a queue that comes back is not read")
		}
		tt.Send(tea.BlurMsg{})
		reads = w.line.reads.Load()
		tt.Advance(time.Minute)
		if w.line.reads.Load() != reads {
			t.Error("a queue is read while another window has the keyboard")
		}
		tt.Press(":")
		tt.Send(tea.FocusMsg{})
		tt.Press("esc")
		tt.Advance(time.Second)
		if w.line.reads.Load() == reads {
			t.Error("a queue is not read again when its window has the keyboard")
		}
		tt.Press("a")
		reads = w.line.reads.Load()
		tt.Advance(time.Minute)
		if w.line.reads.Load() != reads {
			t.Error("a queue is read under a dialog")
		}
	})
}

// Home says how much waited when it was last looked at, and asks nothing for
// it; the palette finds the queue there too.
func TestHomeShowsTheLastQueueCounts(t *testing.T) {
	w := newQueueFixture(t, 3)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 80, H: 24}, "Q", "3 waiting")
		tt.Press("alt+home")
		tt.WaitFor("3 waiting as of 12:00 UTC")
		reads := w.line.reads.Load()
		tt.Advance(time.Minute)
		if w.line.reads.Load() != reads {
			t.Error("home reads")
		}
		tt.Press("Q")
		tt.WaitFor("3 waiting ·")
		tt.Press("esc")
		tt.WaitFor("Queues")
		tt.Press(":")
		tt.Type("waiting for review")
		tt.Press("enter")
		tt.WaitFor("3 waiting ·")
	})
}

// One item without a mark goes through the dialog that every change goes
// through.
func TestQueueChangesOneItemWithTheDialog(t *testing.T) {
	w := newQueueFixture(t, 2)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "Q", "2 waiting")
		tt.Press("a")
		tt.WaitFor("enter shows the plan")
		tt.Press("enter")
		tt.WaitFor("only if")
		tt.Advance(queueGrace)
		tt.Press("tab", "enter")
		tt.WaitFor("✓ Done")
		tt.Advance(queueGrace)
		tt.Press("enter")
		tt.WaitFor("1 waiting")
		if got := w.statuses(2); got != "approved in_review" {
			t.Errorf("the states are %s", got)
		}
	})
}

// What will be a conflict is said before.
func TestQueueReportsConflictsBeforeTheChange(t *testing.T) {
	w := newQueueFixture(t, 2)
	w.put(3, "pending_review", nil)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "Q", "3 waiting")
		tt.Press("*", "c")
		tt.WaitFor("2 of 3 do not allow it and will stay as they are")
		tt.Golden("question")
	})
}

// On production the number of items has to be typed.
func TestQueueOnProduction(t *testing.T) {
	w := newQueueFixture(t, 3)
	w.named = "prod"
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 80, H: 24}, "Q", "3 waiting")
		tt.Press("*", "r")
		tt.Advance(queueGrace)
		tt.Type("the papers are forged")
		tt.Press("tab")
		tt.Type("2")
		tt.Golden("number")
		tt.Press("tab", "tab", "enter")
		tt.Advance(time.Second)
		if got := w.statuses(3); got != "in_review in_review in_review" {
			t.Fatalf("a wrong number was enough: %s", got)
		}
		tt.Press("up", "backspace")
		tt.Type("3")
		tt.Press("enter", "tab", "enter")
		tt.WaitFor("3 committed")
		if got := w.statuses(3); got != "rejected rejected rejected" {
			t.Errorf("the states are %s", got)
		}
	})
}

// Who may not change anything sees what waits, and why nothing can be done.
func TestQueueOfSupport(t *testing.T) {
	w := newQueueFixture(t, 2)
	w.role = session.Support
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "Q", "2 waiting")
		tt.Press("a")
		tt.WaitFor("role support cannot change items")
		tt.Press("o")
		tt.Golden("menu")
	})
}

// A line that breaks takes nothing off the screen.
func TestQueueSurvivesABrokenConnection(t *testing.T) {
	w := newQueueFixture(t, 2)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 80, H: 24}, "Q", "2 waiting")
		w.line.cut = true
		tt.Press("ctrl+r")
		tt.WaitFor("not refreshed")
		if !tt.Has("ver_00000001") {
			t.Errorf("the rows went:\n%s", tt.Screen())
		}
		w.line.cut = false
		tt.WaitGone("not refreshed")
	})
}
