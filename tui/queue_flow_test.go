package tui

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// Another user changes one of three marked items. The console approves the other two, reports a conflict, and writes
// nothing twice.
func TestQueueSweepsMarkedItems(t *testing.T) {
	inQueueFixture(t, 4, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		tt := w.enter(size, "i", "4 waiting")
		tt.WaitFor("space mark, next")
		tt.Golden("queue")
		tt.Press("space", "space", "space")
		w.put(2, "in_review", models.Item{"updatedAt": models.StringValue("2026-01-20T11:59:00Z")})
		tt.Reach("Approve · 3 items", "o", "a")
		tt.Press("right", "enter") // The dialog ignores these early keys.
		if !tt.Has("[ Approve 3 ]") {
			t.Fatalf("a key typed ahead confirmed the changes:\n%s", tt.Screen())
		}
		tt.Advance(queueGrace)
		tt.Reach("done", "enter")
		tt.Advance(queueGrace)
		if got := w.statuses(4); got != "approved in_review approved in_review" {
			t.Errorf("statuses = %s", got)
		}
		if !tt.Has("2 done · 1 changed by others") {
			t.Errorf("the summary has wrong counts:\n%s", tt.Screen())
		}
		tt.WaitFor("2 waiting") // The queue behind the dialog.
		tt.WaitFor("Waiting for review 2")
		tt.Golden("summary")
		tt.Reach("copied 3 outcomes", "left", "enter")
		if got := w.clip.read(); strings.Count(got, "\n") != 4 || !strings.Contains(got, ",conflict,") {
			t.Errorf("got copied text %q", got)
		}
		tt.Advance(10 * time.Second)
		tt.Reach("2 waiting", "esc")
		if !tt.Has("1 marked") {
			t.Errorf("the unchanged item is no longer marked:\n%s", tt.Screen())
		}
		tt.Advance(16 * time.Second)
		if tt.Has("left ") {
			t.Errorf("the queue still shows resolved items:\n%s", tt.Screen())
		}
	})
}

// Every read of a queue without an index scans its table, so the console asks first and never reads it by itself.
func TestQueueWithoutIndexAsksFirst(t *testing.T) {
	w := newEmptyQueueFixture(t, "ebay-sniper")
	w.putBid("u1", 1, "PENDING")
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 80, H: 24}, "i", "This queue reads the whole table")
		reads := w.transport.reads.Load()
		tt.Advance(time.Minute)
		tt.Reach("Read the whole table?", "ctrl+r")
		tt.Press("enter") // Cancel has the focus.
		if w.transport.reads.Load() != reads {
			t.Fatal("the queue scanned a table without consent")
		}
		tt.Reach("Read the whole table?", "enter")
		tt.Reach("0 waiting", "tab", "enter")
		tt.WaitFor("No items need a decision")
		reads = w.transport.reads.Load()
		tt.Advance(time.Minute)
		if w.transport.reads.Load() != reads {
			t.Error("the queue refreshed a scan automatically")
		}
		tt.Press("ctrl+r")
		tt.Advance(time.Second)
		if w.transport.reads.Load() == reads {
			t.Error("the queue did not scan the table on request")
		}
	})
}

// After a change, the cursor stays on its row. The next key asks the user to select another row, and changes nothing.
func TestResolvedRowRejectsActions(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		tt := w.enter(wideSize, "i", "2 waiting")
		tt.Press("o", "a", "enter")
		tt.Advance(queueGrace)
		tt.Reach("✓ Done", "tab", "enter")
		tt.Reach("1 waiting", "esc")
		tt.Reach("this row is resolved; select another", "o", "r")
		tt.Reach("╭ Actions ─", "esc", "o")
		if got := w.statuses(2); got != "approved in_review" {
			t.Errorf("statuses = %s, want approved in_review", got)
		}
	})
}

// Enter before the first rows opens the first row, unless the user opens a menu in the meantime.
func TestEarlyEnterOpensNothingBelowMenu(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		w.transport.queryDelay = 2 * time.Second
		tt := w.enter(wideSize, "i", "Reading the items")
		tt.Press("enter")
		tt.Advance(time.Second)
		tt.Reach("Approve", "o")
		tt.WaitFor("Actions · Verification case")
		if tt.Press("esc"); tt.Has("1 Overview") {
			t.Errorf("an item opened below the menu:\n%s", tt.Screen())
		}
	})
}

// The outcomes can be exported to a file in the working folder. Its mode is 0600.
func TestQueueExportsOutcomes(t *testing.T) {
	w := newQueueFixture(t, 2)
	dir := t.TempDir()
	t.Chdir(dir)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(wideSize, "i", "2 waiting")
		tt.Press("o", "M", "o", "a")
		tt.Advance(queueGrace)
		tt.Reach("2 done", "right", "enter")
		tt.Advance(queueGrace)
		tt.Reach("✓ "+dir, "left", "left", "enter")
		files, err := filepath.Glob(filepath.Join(dir, "ddbdesk-approve-*.csv"))
		if err != nil || len(files) != 1 {
			t.Fatalf("got files %v, %v, want 1", files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil || strings.Count(string(text), w.id(2)) != 1 {
			t.Errorf("the file contains %q, %v", text, err)
		}
		if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
		}
	})
}

// Esc completes the current item and leaves the others unchanged.
func TestQueueStopsSweep(t *testing.T) {
	inQueueFixture(t, 4, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		tt := w.enter(size, "i", "4 waiting")
		w.transport.writeDelay = 3 * time.Second
		tt.Press("o", "M", "o", "a")
		tt.Advance(queueGrace)
		tt.Reach("1 of 4", "right", "enter")
		tt.Advance(time.Second)
		tt.Golden("running")
		tt.Reach("stopping after the current item", "esc")
		tt.WaitFor("stopped; the remaining items")
		if !tt.Has("2 done · 2 skipped") {
			t.Errorf("the summary has wrong counts:\n%s", tt.Screen())
		}
		if got := w.statuses(4); got != "approved approved in_review in_review" {
			t.Errorf("statuses = %s", got)
		}
	})
}

// Quitting waits for the current item and leaves the others unchanged.
func TestQuittingStopsSweep(t *testing.T) {
	withCases(t, 3, func(t *testing.T, w *queueFixture) {
		tt := w.enter(wideSize, "i", "3 waiting")
		w.transport.writeDelay = 3 * time.Second
		tt.Press("o", "M", "o", "a")
		tt.Advance(queueGrace)
		tt.Press("right", "enter")
		tt.Advance(time.Second)
		tt.Press("ctrl+c", "ctrl+c")
		if _, exited := tt.Exited(); exited {
			t.Fatal("the program quit during a change")
		}
		tt.Advance(5 * time.Second)
		if _, exited := tt.Exited(); !exited {
			t.Errorf("the program did not quit:\n%s", tt.Screen())
		}
		if got := w.statuses(3); got != "approved in_review in_review" {
			t.Errorf("statuses = %s", got)
		}
	})
}

// Home shows the counts of the last visit. It reads them once, and again only after a change. The palette lists the
// queue too.
func TestHomeShowsTheLastQueueCounts(t *testing.T) {
	withCases(t, 3, func(t *testing.T, w *queueFixture) {
		tt := w.enter(tuitest.Size{W: 80, H: 24}, "i", "3 waiting")
		tt.Reach("● 3", "alt+home")
		tt.Advance(time.Second)
		tt.WaitFor("counted just now")
		reads := w.transport.reads.Load()
		tt.Advance(time.Minute)
		if w.transport.reads.Load() != reads {
			t.Error("home read the counts again without a request")
		}
		tt.Reach("3 waiting ·", "ctrl+o", "i")
		tt.Reach("Needs attention", "esc")
		tt.Press(":")
		tt.Enter("waiting for review")
		tt.WaitFor("3 waiting ·")
	})
}

// Before the change, the dialog reports items that will be conflicts.
func TestQueueReportsConflictsBeforeChange(t *testing.T) {
	withCases(t, 2, func(_ *testing.T, w *queueFixture) {
		w.put(3, "pending_review", nil)
		tt := w.enter(wideSize, "i", "3 waiting")
		tt.Reach("⊘ 2 excluded: in review", "o", "M", "o", "c")
		tt.Golden("question")
	})
}

// In production, the user must type the number of items.
func TestQueueOnProduction(t *testing.T) {
	w := newQueueFixture(t, 3)
	w.named = "prod"
	fixture.EnableRecovery(t, w.transport, w.p.Tables[0].Name)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 80, H: 24}, "i", "3 waiting")
		tt.Press("o", "M", "o", "r")
		tt.Advance(queueGrace)
		tt.Type("the papers are forged")
		tt.Press("tab")
		tt.Type("2")
		tt.Golden("number")
		tt.Press("tab", "tab", "enter")
		tt.Advance(time.Second)
		if got := w.statuses(3); got != "in_review in_review in_review" {
			t.Fatalf("a wrong number changed the statuses to %s", got)
		}
		tt.Press("up", "backspace")
		tt.Type("3")
		tt.Reach("3 done", "enter", "tab", "enter")
		if got := w.statuses(3); got != "rejected rejected rejected" {
			t.Errorf("statuses = %s, want rejected", got)
		}
	})
}

// The support role sees the queue, and the reason why it cannot change items.
func TestSupportQueue(t *testing.T) {
	withCases(t, 2, func(_ *testing.T, w *queueFixture) {
		w.role = session.Support
		tt := w.enter(wideSize, "i", "2 waiting")
		tt.Reach("role support cannot change items", "o", "a")
		tt.Press("o")
		tt.Golden("menu")
	})
}

// The queue copies the same summary as the item, with the last events.
func TestQueueCopiesSummary(t *testing.T) {
	withCases(t, 1, func(t *testing.T, w *queueFixture) {
		w.put(2, "pending_review", nil)
		tt := w.enter(wideSize, "i", "2 waiting")
		tt.Press("down")
		tt.Reach("Claim for review ·", "o", "c")
		tt.Reach("only if", "enter")
		tt.Advance(queueGrace)
		tt.Reach("✓ Done", "tab", "enter")
		tt.Press("esc")
		tt.Advance(90 * time.Second)
		tt.Reach("copied the summary", "y", "enter")
		inList := w.clip.read()
		tt.Reach("20 Jan 12:00 Claimed for review", "enter")
		tt.Reach("copied the summary", "y", "enter")
		if got := w.clip.read(); got != inList || !strings.Contains(got, "2nd of 2") || !strings.Contains(got, "Last: Claimed for review") {
			t.Errorf("the list copied %q, but the item %q", inList, got)
		}
	})
}

// A case needs a claim before its approval. The dialog offers both steps, for one case and for several, as two separate
// changes.
func TestQueueOffersPrerequisites(t *testing.T) {
	withCases(t, 0, func(t *testing.T, w *queueFixture) {
		w.put(1, "pending_review", nil)
		tt := w.enter(tuitest.Size{W: 80, H: 24}, "i", "1 waiting")
		tt.Reach("after Claim for review", "o")
		tt.Reach("Claim for review comes first", "a")
		tt.Press("tab")
		tt.Enter("papers match")
		tt.WaitFor("1 of 2 · Claim for review")
		tt.Advance(queueGrace)
		tt.Reach("2 of 2 · Approve", "tab", "enter")
		tt.Advance(queueGrace)
		tt.Reach("✓ Done", "tab", "enter")
		if got := w.statuses(1); got != "approved" {
			t.Errorf("statuses = %s, want approved", got)
		}
	})
	withCases(t, 0, func(_ *testing.T, w *queueFixture) {
		w.put(1, "in_review", nil)
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "i", "1 waiting")
		tt.Reach("only when Waiting for review", "o")
	})
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		w.put(3, "pending_review", nil)
		w.put(4, "pending_review", models.Item{
			"ttl": &types.AttributeValueMemberN{Value: strconv.FormatInt(queueTime().Add(-time.Hour).Unix(), 10)},
		})
		tt := w.enter(wideSize, "i", "4 waiting")
		tt.WaitFor("! 1 of 4 expired")
		tt.Reach("2 of 4 possible", "o", "M", "o")
		tt.Reach("Claim 2, then approve 4", "a")
		tt.Press("tab")
		tt.Type("papers match")
		tt.Advance(queueGrace)
		tt.Reach("4 of 4   done", "enter", "tab", "tab", "enter")
		if got := w.statuses(4); got != "approved approved approved approved" {
			t.Errorf("statuses = %s, want approved", got)
		}
		tt.Advance(queueGrace)
		tt.Reach("Undo Approve · 4 items", "tab", "enter")
		tt.WaitFor("Undoes 6 changes of 4 items")
		tt.Advance(queueGrace)
		tt.Reach("6 of 6   done", "tab", "tab", "enter")
		if got := w.statuses(4); got != "in_review in_review pending_review pending_review" {
			t.Errorf("statuses after the undo = %s", got)
		}
		tt.Advance(queueGrace)
		if tt.Press("esc"); tt.Has("o U undo") {
			t.Errorf("the console offers to undo undone changes:\n%s", tt.Screen())
		}
	})
}

// After the prompt of a production change closes, the console ignores letters until the user stops typing.
func TestKeysAfterClosedPromptAreIgnored(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		w.named = "prod"
		tt := w.enter(wideSize, "i", "2 waiting")
		tt.Press("o", "M", "o", "r")
		tt.Advance(queueGrace)
		tt.Type("the papers are forged")
		tt.Press("tab")
		tt.Type("2")
		tt.Press("enter", "enter") // Cancel has the focus.
		tt.Type("approve q")
		if !tt.Has("Text  approve q") || tt.Has("Approve · ") || !tt.Has("waiting") {
			t.Fatalf("the queue read the prompt's text as keys:\n%s", tt.Screen())
		}
		tt.Press("esc")
		tt.Reach("Approve · ", "o", "a")
	})
}
