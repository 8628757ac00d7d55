package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// wideSize is the terminal size in tests of selections.
var wideSize = tuitest.Size{W: 120, H: 40}

// inQueue opens a queue with n cases in review, and runs a test on it.
func inQueue(t *testing.T, n int, run func(t *testing.T, w *queueFixture, tt *tuitest.Terminal)) {
	t.Helper()
	withCases(t, n, func(t *testing.T, w *queueFixture) { run(t, w, w.enter(wideSize, "i", "waiting")) })
}

// requireStatuses fails unless the first cases have these states.
func (f *queueFixture) requireStatuses(want string) {
	f.t.Helper()
	if got := f.statuses(strings.Count(want, " ") + 1); got != want {
		f.t.Errorf("statuses = %s, want %s", got, want)
	}
}

// caseLine returns the screen line of a case.
func caseLine(tt *tuitest.Terminal, id string) string {
	_, y, ok := tt.Find(id[:12])
	if !ok {
		return ""
	}
	return tt.Line(y)
}

// A palette command applies to the item that it named when the palette opened, even if a refresh removes the row.
func TestPaletteActionIsBoundToItsItem(t *testing.T) {
	for _, typed := range []string{"approve", "clipboard"} {
		t.Run(typed, func(t *testing.T) {
			inQueue(t, 2, func(t *testing.T, w *queueFixture, tt *tuitest.Terminal) {
				tt.Press(":")
				tt.Type(typed)
				w.put(1, "approved", nil)
				tt.Advance(40 * time.Second) // The first refresh marks the row as resolved, the second removes it.
				tt.Reach("nothing was done", "enter")
				if tt.WaitFor("ver_00000001"); tt.Has("enter show the plan") {
					t.Errorf("the palette opened an action of a removed item:\n%s", tt.Screen())
				}
				w.requireStatuses("approved in_review")
			})
		})
	}
}

// A menu applies to the items that it named when it opened, even if an answer changes the rows.
func TestMenuIsBoundToItsItems(t *testing.T) {
	for name, mark := range map[string][]string{"cursor": nil, "marked row": {"space"}} {
		t.Run(name, func(t *testing.T) {
			inQueue(t, 3, func(t *testing.T, w *queueFixture, tt *tuitest.Terminal) {
				tt.Press(mark...)
				w.transport.queryDelay = 150 * time.Millisecond
				tt.Press("ctrl+r", "o")
				w.put(1, "approved", nil)
				tt.WaitFor("Actions · Verification case · ver_00000001")
				tt.Advance(time.Second)
				tt.Reach("nothing was done", "a")
				if tt.Has("enter show the plan") || tt.Has("Approve · ver_00000002") {
					t.Errorf("the menu acted on another item:\n%s", tt.Screen())
				}
				w.requireStatuses("approved in_review in_review")
			})
		})
	}
}

// approve confirms an approval in the open dialog.
func approve(tt *tuitest.Terminal) {
	tt.WaitFor("enter show the plan")
	tt.Reach("only if", "enter")
	tt.Advance(queueGrace)
	tt.Reach("✓ Done", "tab", "enter")
	tt.Advance(queueGrace)
}

// A commit cancels and restarts reads that started before it.
func TestCommitRestartsRunningReads(t *testing.T) {
	inQueue(t, 3, func(t *testing.T, w *queueFixture, tt *tuitest.Terminal) {
		w.transport.staleDelay = 3 * time.Second // The answer contains the state at the time of its request.
		tt.Press("ctrl+r", "o", "a")
		approve(tt)
		tt.Press("esc")
		for range 40 {
			tt.Advance(100 * time.Millisecond)
			if line := caseLine(tt, w.id(1)); strings.Contains(line, "review") {
				t.Fatalf("the screen shows a state from before the commit:\n%s", tt.Screen())
			}
		}
		w.requireStatuses("approved in_review in_review")
	})
}

// After a commit, every list shows the new state of the item before it is read again.
func TestListsIncludeCommittedChange(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		tt := w.enter(wideSize, "home", "Patterns")
		tt.Press(":")
		tt.Enter("All verifications of a")
		tt.WaitFor("clientId*")
		tt.Enter("client_xyz789")
		tt.WaitFor("2 items")
		if !strings.Contains(caseLine(tt, w.id(1)), "in_review") {
			tt.Press("home")
		}
		tt.Reach("2 waiting", "i")
		tt.Reach("read at", "enter")
		w.transport.queryDelay = time.Minute // The lists are read again much later.
		tt.Press("o", "enter")
		approve(tt)
		tt.Press("esc", "esc")
		if line := caseLine(tt, w.id(1)); !strings.Contains(line, "approved") {
			t.Errorf("the queue does not show the committed change:\n%s", tt.Screen())
		}
		tt.Press("esc")
		if line := caseLine(tt, w.id(1)); !strings.Contains(line, "approved") {
			t.Errorf("the rows do not show the committed change:\n%s", tt.Screen())
		}
	})
}

// The menu of an item applies to the state that the screen showed, even if a read changes it.
func TestMenuOfItemIsBoundToItsState(t *testing.T) {
	for name, keys := range map[string][]string{"menu": {"o"}, "palette": {":", "a", "p", "p", "r", "o", "v", "e"}} {
		t.Run(name, func(t *testing.T) {
			inQueue(t, 1, func(t *testing.T, w *queueFixture, tt *tuitest.Terminal) {
				w.put(1, "approved", nil)
				w.transport.getDelay = 2 * time.Second
				tt.Reach("from the list", "enter")
				tt.Reach("Approve", keys...)
				tt.Advance(3 * time.Second)
				tt.Reach("nothing was done; changed:", "enter")
				if tt.Has("enter show the plan") {
					t.Errorf("the menu planned a change for another state:\n%s", tt.Screen())
				}
			})
		})
	}
}

// A menu that was opened before the item arrived offers its edits afterwards.
func TestOpenMenuOffersEditsWhenItemArrives(t *testing.T) {
	inQueue(t, 1, func(t *testing.T, w *queueFixture, tt *tuitest.Terminal) {
		w.transport.getDelay = 2 * time.Second
		tt.Reach("from the list", "enter")
		tt.Reach("the item is being read", "o")
		tt.Advance(3 * time.Second)
		if !tt.Has("Edit an attribute") || tt.Has("being read") || tt.Has("not read") || !tt.Has("Approve") {
			t.Errorf("the menu lists the actions from before the read:\n%s", tt.Screen())
		}
	})
}

// inRows opens n cases as rows of a pattern, and runs a test on them.
func inRows(t *testing.T, n int, run func(t *testing.T, w *queueFixture, tt *tuitest.Terminal)) {
	t.Helper()
	withCases(t, n, func(t *testing.T, w *queueFixture) {
		tt := w.enter(wideSize, "home", "Patterns")
		tt.Press(":")
		tt.Enter("All verifications of a")
		tt.WaitFor("clientId*")
		tt.Enter("client_xyz789")
		tt.WaitFor("ver_00000001")
		run(t, w, tt)
	})
}

// After a reload, a notice names the marked rows that are missing.
func TestLostRowMarkIsAnnounced(t *testing.T) {
	inRows(t, 2, func(t *testing.T, w *queueFixture, tt *tuitest.Terminal) {
		tt.Reach("1 marked", "home", "space")
		w.remove(1)
		tt.Reach("1 mark removed", "r")
		if !tt.Has("ver_00000001") {
			t.Errorf("the notice lacks the row:\n%s", tt.Screen())
		}
	})
}

// An action in the results changes one row. If other rows are marked, the menu names them, so the action is unavailable.
func TestActionOfRowDoesNotApplyWhileOtherRowsAreMarked(t *testing.T) {
	withCases(t, 3, func(t *testing.T, w *queueFixture) {
		tt := w.enter(wideSize, "home", "Patterns")
		tt.Press(":")
		tt.Enter("All verifications of a")
		tt.WaitFor("clientId*")
		tt.Enter("client_xyz789")
		tt.WaitFor("3 items")
		tt.Reach("Actions · 1 marked row", "space", "o")
		tt.Reach("Approve: only for the row under the cursor; unmark the other rows", "a")
		if tt.Has("enter show the plan") {
			t.Errorf("the action changes an unmarked row:\n%s", tt.Screen())
		}
		tt.Press("esc")
		tt.Reach("enter show the plan", "up", "o", "a")
	})
}

// An action whose letters are all reserved has a digit in the menus of queues and results.
func TestActionWithoutLetterHasDigit(t *testing.T) {
	for _, open := range []func(w *queueFixture) *tuitest.Terminal{
		func(w *queueFixture) *tuitest.Terminal { return w.enter(wideSize, "i", "waiting") },
		func(w *queueFixture) *tuitest.Terminal {
			tt := w.enter(wideSize, "home", "Patterns")
			tt.Press(":")
			tt.Enter("All verifications of a")
			tt.WaitFor("clientId*")
			tt.Enter("client_xyz789")
			tt.WaitFor("1 item")
			return tt
		},
	} {
		withCases(t, 1, func(t *testing.T, w *queueFixture) {
			p, err := profiles.Open("authbridge", nil) // not the shared schema
			if err != nil {
				t.Fatal(err)
			}
			w.p = p
			a := p.Action("request-resubmission")
			a.ID = "note"
			tt := open(w)
			tt.Reach("1  "+a.Title, "o")
			tt.Reach(a.Title+" · ", "1")
		})
	}
}
