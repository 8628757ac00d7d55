package planner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// The dialog for many items holds its frame in every phase at every size.
func TestSweepHoldsItsFrame(t *testing.T) {
	for _, name := range profiles.Names() {
		env := screentest.BenchEnv(t, name)
		for _, q := range env.Session.Profile().Queues {
			for _, a := range q.Actions {
				for _, size := range []tuitest.Size{{W: 60, H: 14}, {W: 80, H: 22}, {W: 200, H: 58}} {
					x := NewSweepDialog(env, Sweep{Set: changes.Set{Action: a}, Items: SweepItems(q.Pattern.Table, make([]models.Item, 12))})
					background := widget.Place("", size.W, size.H)
					tuitest.Sound(t, x.Over(env.Styles, background, size.W, size.H), size.W, size.H)
					x.Phase = SweepRuns
					tuitest.Sound(t, x.Over(env.Styles, background, size.W, size.H), size.W, size.H)
					for i := range 12 {
						x.heardOf(changes.Outcome{
							Index: i, Key: fmt.Sprintf("\x1b[31m%d ✋🏽", i), Status: changes.Statuses()[i%6],
							Why: strings.Repeat("because ", i*i),
						})
					}
					x.Phase = SweepDone
					tuitest.Sound(t, x.Over(env.Styles, background, size.W, size.H), size.W, size.H)
				}
			}
		}
	}
}

// After several users were deactivated at once, the pending bids of each are one key away, on the row of the user. Rows
// that were not changed lead nowhere.
func TestSweepLeadsToTheQueueOfEachItem(t *testing.T) {
	env := screentest.BenchEnv(t, "ebay-sniper")
	p := env.Session.Profile()
	users := p.Entity("User").Table
	deactivate := p.Action("deactivate-user")
	var items []models.Item
	for _, id := range []string{"u1", "u2", "u3"} {
		items = append(items, models.Item{"userId": models.StringValue(id)})
	}
	x := NewSweepDialog(env, Sweep{Set: changes.Set{Action: deactivate}, Items: SweepItems(users, items)})
	x.Phase = SweepRuns
	for i, it := range items {
		o := changes.Outcome{Index: i, Key: "u", Status: changes.Conflict}
		if i != 1 {
			o.Status = changes.Committed
			o.Done = &changes.Commitment{Plan: &change.Plan{Action: deactivate, Writes: []change.Write{{After: it}}}}
		}
		x.heardOf(o)
	}
	x.Phase, x.ready = SweepDone, true
	view := func() string {
		return strings.Join(tuitest.Draw(x.Over(env.Styles, widget.Place("", 120, 40), 120, 40), 120, 40), "\n")
	}
	for row, user := range []string{"u1", "", "u3"} {
		x.grid.SetCursor(row)
		if offered := strings.Contains(view(), "o opens Pending bids to cancel"); offered != (user != "") {
			t.Errorf("row %d offers its queue: %v\n%s", row, offered, view())
		}
		cmd, done := x.Update(tea.KeyPressMsg{Code: 'o', Text: "o"})
		if user == "" {
			if cmd != nil || done {
				t.Errorf("row %d leads somewhere", row)
			}
			continue
		}
		if !done || cmd == nil {
			t.Fatalf("row %d: the key does nothing", row)
		}
		opened, ok := cmd().(screen.OpenMsg)
		if !ok {
			t.Fatalf("row %d: %T", row, cmd())
		}
		if queue, ok := opened.To.(screen.Queue); !ok || queue.ID != "cancel-all-pending-of-user" || queue.Given["userId"] != user {
			t.Errorf("row %d opens %+v", row, opened.To)
		}
	}
}

// The items of a sweep are named by their IDs; where they are of several entities, by these too.
func TestSweepNamesItems(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	p := env.Session.Profile()
	item := func(pairs ...string) changes.Item {
		it := models.Item{}
		for i := 0; i < len(pairs); i += 2 {
			it[pairs[i]] = models.StringValue(pairs[i+1])
		}
		return changes.Item{Table: p.Entity("Verification").Table, Item: it}
	}
	verification := item("PK", "CASE#ver_1", "SK", "META", "verificationId", "ver_1", "status", "created")
	document := item("PK", "CASE#ver_1", "SK", "DOC#doc_7", "documentId", "doc_7", "verificationId", "ver_1", "status", "uploaded")
	for _, tt := range []struct {
		items []changes.Item
		want  []string
	}{
		{[]changes.Item{verification}, []string{"created  ver_1 "}},
		{[]changes.Item{verification, document}, []string{"created   Verification case ver_1 ", "uploaded  Uploaded document doc_7 "}},
	} {
		x := NewSweepDialog(env, Sweep{Set: changes.Set{Action: p.Action("approve")}, Items: tt.items})
		view := strings.Join(tuitest.Draw(x.Over(env.Styles, widget.Place("", 120, 40), 120, 40), 120, 40), "\n")
		for _, want := range tt.want {
			if !strings.Contains(view, want) {
				t.Errorf("%q is missing:\n%s", want, view)
			}
		}
	}
}

// A person who waits for a sweep sees its rate, what it consumed, and how long the rest takes.
func TestSweepShowsRateAndRest(t *testing.T) {
	env := screentest.BenchEnv(t, "ebay-sniper")
	items := make([]models.Item, 100)
	for i := range items {
		items[i] = models.Item{"userId": models.StringValue(fmt.Sprint("u", i))}
	}
	p := env.Session.Profile()
	x := NewSweepDialog(env, Sweep{Set: changes.Set{Action: p.Action("deactivate-user")}, Items: SweepItems(p.Entity("User").Table, items)})
	x.Phase = SweepRuns
	for i := range 10 {
		x.heardOf(changes.Outcome{Index: i, Key: "u", Status: changes.Committed, Done: &changes.Commitment{Capacity: 2.5}})
	}
	for elapsed, want := range map[time.Duration]string{
		500 * time.Millisecond: "10 of 100   under way",
		5 * time.Second:        "10 of 100   2.0 items/s · about 45 s left · 25 WCU",
		20 * time.Minute:       "10 of 100   0.5 items/min · about 3 h left · 25 WCU",
	} {
		x.run.elapsed = elapsed
		view := strings.Join(tuitest.Draw(x.Over(env.Styles, widget.Place("", 120, 40), 120, 40), 120, 40), "\n")
		if !strings.Contains(view, want) {
			t.Errorf("after %s, %q is missing:\n%s", elapsed, want, view)
		}
	}
}

// An outcome that arrives after the dialog began another run, such as the undo of the first, is not an outcome of that
// run, and nothing waits for further ones.
func TestSweepDropsOutcomesOfAnEarlierRun(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	q := env.Session.Profile().Queues[0]
	s := Sweep{Set: changes.Set{Action: q.Actions[0]}, Items: SweepItems(q.Pattern.Table, make([]models.Item, 3))}
	x := NewSweepDialog(env, s)
	late := sweepSteppedMsg{x.run, changes.Outcome{Status: changes.Committed}}
	x.begin(s)
	for _, phase := range []sweepPhase{sweepAsks, SweepRuns} {
		x.Phase = phase
		if cmd, _ := x.Update(late); cmd != nil || x.run.outcomes.Len() > 0 {
			t.Errorf("in phase %d the outcome counts: %d outcomes, waits for more: %v", phase, x.run.outcomes.Len(), cmd != nil)
		}
	}
}
