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
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// Three items are marked, and one of them changes in the meantime: two are approved, the third is
// a conflict, and nothing is written twice.
func TestQueueSweepsMarkedItems(t *testing.T) {
	inQueueFixture(t, 4, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		tt := w.enter(size, "Q", "4 waiting")
		tt.Golden("queue")
		tt.Press("space", "space", "space")
		w.put(2, "in_review", models.Item{"updatedAt": models.StringValue("2026-01-20T11:59:00Z")})
		tt.Press("a")
		tt.Golden("question")
		tt.Press("tab", "tab", "enter") // Too early: it was not meant for this.
		if !tt.Has("[ Approve 3 items ]") {
			t.Fatalf("a key typed ahead confirmed:\n%s", tt.Screen())
		}
		tt.Advance(queueGrace)
		tt.Press("enter")
		tt.WaitFor("done")
		if got := w.statuses(4); got != "approved in_review approved in_review" {
			t.Errorf("the states are %s", got)
		}
		if !tt.Has("2 committed · 1 conflict") {
			t.Errorf("the summary has wrong counts:\n%s", tt.Screen())
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
			t.Errorf("resolved items stay in the queue:\n%s", tt.Screen())
		}
	})
}

// After a decision the cursor stays on the resolved row: the next key says to select another one, and changes nothing.
func TestResolvedRowTakesNoAction(t *testing.T) {
	w := newQueueFixture(t, 2)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "Q", "2 waiting")
		tt.Press("a", "enter")
		tt.Advance(queueGrace)
		tt.Press("tab", "enter")
		tt.WaitFor("✓ Done")
		tt.Press("esc")
		tt.WaitFor("1 waiting")
		tt.Press("r")
		tt.WaitFor("the selected row needs no decision; select another one")
		tt.Press("o")
		tt.WaitFor("╭ Actions ─")
		if got := w.statuses(2); got != "approved in_review" {
			t.Errorf("the states are %s", got)
		}
	})
}

// The outcomes can be exported to a file in the working directory with mode 0600.
func TestQueueExportsOutcomes(t *testing.T) {
	w := newQueueFixture(t, 2)
	dir := t.TempDir()
	t.Chdir(dir)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "Q", "2 waiting")
		tt.Press("*", "a")
		tt.Advance(queueGrace)
		tt.Press("tab", "tab", "enter")
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
				t.Errorf("the %s file has %q, %v", form, text, err)
			}
			if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the %s file has mode %v, %v", form, info.Mode(), err)
			}
		}
	})
}

// Esc stops after the current item, which is completed. The others are unchanged.
func TestQueueStopsASweep(t *testing.T) {
	inQueueFixture(t, 4, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		tt := w.enter(size, "Q", "4 waiting")
		w.line.slow = 3 * time.Second
		tt.Press("*", "a")
		tt.Advance(queueGrace)
		tt.Press("tab", "tab", "enter")
		tt.WaitFor("1 of 4")
		tt.Advance(time.Second)
		tt.Golden("running")
		tt.Press("esc")
		tt.WaitFor("stopping after the current item")
		tt.WaitFor("stopped; the remaining items")
		if !tt.Has("2 committed · 2 skipped") {
			t.Errorf("the summary has wrong counts:\n%s", tt.Screen())
		}
		if got := w.statuses(4); got != "approved approved in_review in_review" {
			t.Errorf("the states are %s", got)
		}
	})
}

// Quitting waits for the current item. The others are unchanged.
func TestQuittingStopsASweep(t *testing.T) {
	w := newQueueFixture(t, 3)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "Q", "3 waiting")
		w.line.slow = 3 * time.Second
		tt.Press("*", "a")
		tt.Advance(queueGrace)
		tt.Press("tab", "tab", "enter")
		tt.Advance(time.Second)
		tt.Press("ctrl+c", "ctrl+c")
		if _, gone := tt.Exited(); gone {
			t.Fatal("the program quit during a change")
		}
		tt.Advance(5 * time.Second)
		if _, gone := tt.Exited(); !gone {
			t.Errorf("the program did not quit:\n%s", tt.Screen())
		}
		if got := w.statuses(3); got != "approved in_review in_review" {
			t.Errorf("the states are %s", got)
		}
	})
}

// A refresh marks new items and keeps the cursor on its item. A queue that is not visible is not
// refreshed.
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
			t.Error("a paused queue is refreshed")
		}
		tt.Press("t")
		tt.Advance(time.Second)
		if w.line.reads.Load() == reads {
			t.Error("a queue is not refreshed at once after a long pause")
		}
		tt.Press("enter")
		tt.WaitFor(", unchanged")
		tt.Advance(5 * time.Second) // The item counts what it leads to.
		reads = w.line.reads.Load()
		tt.Advance(time.Minute)
		if w.line.reads.Load() != reads {
			t.Error("a queue that is not visible is refreshed")
		}
		tt.Press("esc")
		tt.Advance(time.Second)
		if w.line.reads.Load() == reads {
			t.Error("a queue that becomes visible is not refreshed")
		}
		tt.Send(tea.BlurMsg{})
		reads = w.line.reads.Load()
		tt.Advance(time.Minute)
		if w.line.reads.Load() != reads {
			t.Error("a queue is refreshed while another window has the focus")
		}
		tt.Press(":")
		tt.Send(tea.FocusMsg{})
		tt.Press("esc")
		tt.Advance(time.Second)
		if w.line.reads.Load() == reads {
			t.Error("a queue is not refreshed when its window gets the focus")
		}
		tt.Press("a")
		reads = w.line.reads.Load()
		tt.Advance(time.Minute)
		if w.line.reads.Load() != reads {
			t.Error("a queue is refreshed behind a dialog")
		}
	})
}

// The home screen shows the counts of the last visit, reads them once, and not again while nothing happens. The palette lists the
// queue there, too.
func TestHomeShowsTheLastQueueCounts(t *testing.T) {
	w := newQueueFixture(t, 3)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 80, H: 24}, "Q", "3 waiting")
		tt.Press("alt+home")
		tt.WaitFor("● 3")
		tt.WaitFor("counted just now")
		reads := w.line.reads.Load()
		tt.Advance(time.Minute)
		if w.line.reads.Load() != reads {
			t.Error("the home screen reads again without being asked")
		}
		tt.Press("ctrl+o", "Q")
		tt.WaitFor("3 waiting ·")
		tt.Press("esc")
		tt.WaitFor("Needs attention")
		tt.Press(":")
		tt.Type("waiting for review")
		tt.Press("enter")
		tt.WaitFor("3 waiting ·")
	})
}

// Without marks, an action opens the same dialog for the current item as on the item screen.
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

// Items that will be conflicts are reported before the change.
func TestQueueReportsConflictsBeforeTheChange(t *testing.T) {
	w := newQueueFixture(t, 2)
	w.put(3, "pending_review", nil)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "Q", "3 waiting")
		tt.Press("*", "c")
		tt.WaitFor("2 of 3 cannot be changed")
		tt.Golden("question")
	})
}

// In production, the number of items must be typed.
func TestQueueOnProduction(t *testing.T) {
	w := newQueueFixture(t, 3)
	w.named = "prod"
	fixture.EnableRecovery(t, w.line, w.p.Tables[0].Name)
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
			t.Fatalf("a wrong number was accepted: %s", got)
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

// A user who cannot change items sees the queue, and why its actions are disabled.
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

// A broken connection keeps the rows on the screen.
func TestQueueSurvivesABrokenConnection(t *testing.T) {
	w := newQueueFixture(t, 2)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 80, H: 24}, "Q", "2 waiting")
		w.line.cut = true
		tt.Press("ctrl+r")
		tt.WaitFor("not refreshed")
		if !tt.Has("ver_00000001") {
			t.Errorf("the rows disappeared:\n%s", tt.Screen())
		}
		w.line.cut = false
		tt.WaitGone("not refreshed")
	})
}
