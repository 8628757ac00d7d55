package planner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func manyOf(env *screen.Env, a *change.Action, t *models.Table, list ...models.Item) *Change {
	r := ChangeRequest{Action: a, Title: a.Title}
	for _, it := range list {
		r.Items = append(r.Items, changes.Item{Table: t, Item: it})
	}
	c, _ := NewManyItems(env, r)
	return c
}

func manyText(t *testing.T, c *Change, w, h int) string {
	t.Helper()
	view := c.Over(c.Env.Styles, widget.Place("", w, h), w, h)
	tuitest.RendersExactly(t, view, w, h)
	return strings.Join(tuitest.Draw(view, w, h), "\n")
}

// Every step of the dialog fits its frame at every size.
func TestManyItemsDialogKeepsItsFrame(t *testing.T) {
	for _, name := range profiles.Names() {
		env := screentest.BenchEnv(t, name)
		for _, q := range env.Session.Profile().Queues {
			for _, a := range q.Actions {
				for _, size := range []tuitest.Size{{W: 60, H: 14}, {W: 80, H: 22}, {W: 200, H: 58}} {
					c := manyOf(env, a, q.Pattern.Table, make([]models.Item, 12)...)
					manyText(t, c, size.W, size.H)
					c.many.total = 12
					c.enter(changeStepRunning)
					manyText(t, c, size.W, size.H)
					for i := range 12 {
						c.many.addReport(report{name: fmt.Sprintf("\x1b[31m%d ✋🏽", i), outcome: changes.Outcome{
							Index: i, Status: changes.Statuses()[i%6], Reason: strings.Repeat("because ", i*i),
						}})
					}
					c.enter(changeStepEnded)
					manyText(t, c, size.W, size.H)
				}
			}
		}
	}
}

// The box shows the whole reason of the selected outcome, which may be the only advice after an unknown outcome.
func TestManyItemsDialogShowsWholeReason(t *testing.T) {
	env := screentest.BenchEnv(t, "ebay-sniper")
	p := env.Session.Profile()
	c := manyOf(env, p.Action("deactivate-user"), p.Entity("User").Table, make([]models.Item, 2)...)
	c.many.total = 1
	c.enter(changeStepRunning)
	c.many.addReport(report{name: "u1", outcome: changes.Outcome{
		Status: changes.Unknown, Reason: strings.Repeat("the server did not answer in time, ", 7) + "check the journal",
	}})
	c.enter(changeStepEnded)
	if text := manyText(t, c, 80, 22); !strings.Contains(text, "check the journal") || !strings.Contains(text, "? unknown") {
		t.Errorf("the reason is cut:\n%s", text)
	}
}

// After a sweep has deactivated users, one key on a user's row opens the queue of the user's pending bids. It has no
// effect on unchanged rows.
func TestManyItemsDialogOpensEachItemsQueue(t *testing.T) {
	env := screentest.BenchEnv(t, "ebay-sniper")
	p := env.Session.Profile()
	deactivate := p.Action("deactivate-user")
	var items []models.Item
	for _, id := range []string{"u1", "u2", "u3"} {
		items = append(items, models.Item{"userId": models.StringValue(id)})
	}
	c := manyOf(env, deactivate, p.Entity("User").Table, items...)
	c.enter(changeStepRunning)
	for i, it := range items {
		o := changes.Outcome{Index: i, Key: "u", Status: changes.Conflict}
		if i != 1 {
			o.Status = changes.Committed
			o.Commitment = &changes.Commitment{Plan: &change.Plan{Action: deactivate, Writes: []change.Write{{After: it}}}}
		}
		c.many.addReport(report{outcome: o})
	}
	c.finishMany(nil)
	c.grace.End()
	for row, user := range []string{"u1", "", "u3"} {
		c.many.grid.SetCursor(row)
		c.dialog.Focus("queue")
		if _, done := c.Update(tea.KeyPressMsg{Code: tea.KeyEnter}); done != (user != "") {
			t.Errorf("enter on row %d opens a queue: %v", row, done)
		}
	}
}

// Before the sweep, the dialog shows how many items it can change now, after another step, or not at all, and offers
// the possible steps.
func TestManyItemsQuestionListsPossibleChanges(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	env, _ := screentest.Seeded(t, p)
	in := func(states ...string) *Change {
		var list []models.Item
		for i, state := range states {
			it := screentest.Verification(t, p).Clone()
			it["status"], it["verificationId"] = models.StringValue(state), models.StringValue(fmt.Sprint("ver_", i))
			list = append(list, it)
		}
		return manyOf(env, p.Action("approve"), p.Entity("Verification").Table, list...)
	}
	for _, tt := range []struct {
		states []string
		want   []string
		not    string
	}{
		{[]string{"in_review", "in_review"}, []string{"Each item is one transaction", "Approve 2 ]"}, "Claim"},
		{
			[]string{"in_review", "pending_review", "in_review", "pending_review", "pending_review"},
			[]string{"✓ 2 possible now", "○ 3 after Claim for review", "  Approve 2 ", "Claim 3, then approve 5"},
			"claim-review",
		},
		{[]string{"pending_review"}, []string{"✓ 0 possible now", "Approve 0", "Claim 1 ", "Claim 1, then approve 1"}, "not:"},
		{[]string{"approved", "in_review"}, []string{"✓ 1 possible now", "⊘ 1 excluded: approved", "Approve 1"}, "then"},
	} {
		c := in(tt.states...)
		text := manyText(t, c, 120, 40)
		for _, want := range tt.want {
			if !strings.Contains(text, strings.TrimSuffix(want, "]")) {
				t.Errorf("%v: %q is missing:\n%s", tt.states, want, text)
			}
		}
		if strings.Contains(text, tt.not) {
			t.Errorf("%v: %q is visible:\n%s", tt.states, tt.not, text)
		}
	}
	c := in("pending_review")
	c.grace.End()
	c.focusForm(false)
	c.dialog.Focus("many")
	if c.Update(tea.KeyPressMsg{Code: tea.KeyEnter}); c.step != changeStepInputs || !strings.Contains(c.buttonReason, "none of 1") {
		t.Errorf("a disabled button started the change: %q", c.buttonReason)
	}
}

// The question for several items and the plan for one show that an item has expired.
func TestDialogShowsExpiredItems(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	env, _ := screentest.Seeded(t, p)
	table := p.Entity("Verification").Table
	live, expired := screentest.Verification(t, p).Clone(), screentest.Verification(t, p).Clone()
	live[table.TTL] = &types.AttributeValueMemberN{Value: fmt.Sprint(env.Session.Now().Add(time.Hour).Unix())}
	expired[table.TTL] = &types.AttributeValueMemberN{Value: fmt.Sprint(env.Session.Now().Add(-2 * time.Hour).Unix())}
	for _, tt := range []struct {
		list []models.Item
		want int
	}{{[]models.Item{live, live}, 0}, {[]models.Item{live, expired}, 1}} {
		text := manyText(t, manyOf(env, p.Action("approve"), table, tt.list...), 120, 40)
		if strings.Count(text, "! expired 2 h ago") != tt.want || strings.Count(text, "! 1 of 2 expired.") != tt.want {
			t.Errorf("want %d expired items in:\n%s", tt.want, text)
		}
		lines := strings.Join(PlanLines(env, &change.Plan{
			Action: p.Action("approve"), Basis: &change.Basis{}, Writes: []change.Write{{
				Operation: change.Update, Table: table, Entity: p.Entity("Verification"), Before: tt.list[1], After: tt.list[1],
			}},
		}, 80), "\n")
		if strings.Count(lines, "The item expired 2 h ago.") != tt.want {
			t.Errorf("want %d expired items in:\n%s", tt.want, lines)
		}
	}
}

// During a sweep, the dialog shows the rate, the cost and the remaining time.
func TestManyItemsProgressShowsRateAndRemainder(t *testing.T) {
	env := screentest.BenchEnv(t, "ebay-sniper")
	p := env.Session.Profile()
	c := manyOf(env, p.Action("deactivate-user"), p.Entity("User").Table, make([]models.Item, 100)...)
	c.enter(changeStepRunning)
	c.many.total = 100
	for i := range 10 {
		c.many.addReport(report{outcome: changes.Outcome{Index: i, Key: "u", Status: changes.Committed}})
	}
	c.many.units = 25
	for elapsed, want := range map[time.Duration]string{
		500 * time.Millisecond: "10 of 100   under way",
		5 * time.Second:        "10 of 100   2.0 items/s · about 45 s left · 25 WCU",
		20 * time.Minute:       "10 of 100   0.5 items/min · about 3 h left · 25 WCU",
	} {
		c.task = &screen.Task{Elapsed: elapsed}
		if view := manyText(t, c, 120, 40); !strings.Contains(view, want) {
			t.Errorf("after %s, %q is missing:\n%s", elapsed, want, view)
		}
	}
}
