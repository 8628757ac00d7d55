package queue

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// queueItem is a case by one letter.
func queueItem(letter string) models.Item {
	return models.Item{
		"PK": models.StringValue("CASE#ver_" + letter), "SK": models.StringValue("META"),
		"verificationId": models.StringValue("ver_" + letter), "status": models.StringValue("in_review"),
	}
}

func queueItems(letters string) []models.Item {
	var items []models.Item
	for _, r := range letters {
		items = append(items, queueItem(string(r)))
	}
	return items
}

// spelled are the rows by their letters: new ones with +, those that left
// with -.
func (r *queueRows) spelled() string {
	var b strings.Builder
	for _, row := range r.list {
		id, _ := row.item.Text("verificationId")
		b.WriteString(map[bool]string{true: "-"}[row.gone] + map[bool]string{true: "+"}[row.isNew] + strings.TrimPrefix(id, "ver_"))
	}
	return b.String()
}

func reviewQueue(env *screen.Env) *queueJob {
	j := newQueueJob(env, env.Session.Profile().Queue("review-queue"), nil)
	j.rows.Grid.SetSize(80, 20)
	return j
}

func TestQueueTakesARefresh(t *testing.T) {
	j := reviewQueue(screentest.BenchEnv(t, "authbridge"))
	for _, step := range []struct{ asked, want string }{
		{"abcd", "abcd"},
		{"abcd", "abcd"},
		{"acd", "a-bcd"},     // What left stays in its place,
		{"acd", "acd"},       // until the next refresh.
		{"xacd", "+xacd"},    // What is new stays new until somebody looks.
		{"xacde", "+xacd+e"}, //
		{"de", "-x-a-cd+e"},
		{"ade", "+ad+e"}, // What comes back is new.
		{"", "-a-d-e"},
		{"", ""},
	} {
		j.rows.take(queueItems(step.asked))
		if got := j.rows.spelled(); got != step.want {
			t.Errorf("after %q the rows are %q, want %q", step.asked, got, step.want)
		}
		if j.rows.waiting() != len(step.asked) {
			t.Errorf("after %q there wait %d", step.asked, j.rows.waiting())
		}
	}
}

// Whatever comes and goes, the rows that wait are those of the refresh in its
// order, and the cursor and the marks stay on their items.
func TestQueueKeepsItsPlace(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	rapid.Check(t, func(rt *rapid.T) {
		j := reviewQueue(env)
		letters := rapid.Custom(func(rt *rapid.T) string {
			return string(rapid.SliceOfNDistinct(rapid.RuneFrom([]rune("abcdefgh")), 0, 8, rapid.ID).Draw(rt, "letters"))
		})
		j.rows.take(queueItems(letters.Draw(rt, "first")))
		for range 5 {
			if n := j.rows.Len(); n > 0 {
				j.rows.Grid.SetCursor(rapid.IntRange(0, n-1).Draw(rt, "cursor"))
				j.rows.Grid.ToggleMark(rapid.IntRange(0, n-1).Draw(rt, "mark"))
			}
			key, marked := "", map[string]bool{}
			if r := j.selected(); r != nil {
				key = r.key
			}
			for _, it := range j.targets().Items.Items() {
				marked[results.Key(j.queue.Pattern.Table, it)] = j.rows.Marks.Len() > 0
			}
			asked := letters.Draw(rt, "next")
			j.rows.take(queueItems(asked))
			var want, got []string
			for _, it := range queueItems(asked) {
				want = append(want, results.Key(j.queue.Pattern.Table, it))
			}
			for _, r := range j.rows.list {
				if !r.gone {
					got = append(got, r.key)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatal(diff)
			}
			if at := j.rows.index(key); at >= 0 && j.rows.Grid.Cursor() != at {
				rt.Fatalf("the cursor is on row %d, its item on %d", j.rows.Grid.Cursor(), at)
			}
			for i := range j.rows.Marks.All() {
				if r := j.rows.list[i]; r.gone || !marked[r.key] {
					rt.Fatalf("%s is marked", r.key)
				}
			}
		}
	})
}

// Who learned that a approves must not do something else with it in the next
// queue.
func TestALetterMeansTheSameInEveryQueue(t *testing.T) {
	for _, name := range profiles.Names() {
		for _, q := range schemas.Open(t, name).Queues {
			for a, letter := range queueLetters(q, nil) {
				if letter == "a" && !strings.HasPrefix(a.ID, "a") || letter == "r" && !strings.HasPrefix(a.ID, "r") {
					t.Errorf("%s.%s: %s does %s", name, q.ID, letter, a.ID)
				}
			}
		}
	}
}

// An item that was decided leaves the queue as it became.
func TestQueueShowsWhatAChangeMade(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	j := reviewQueue(env)
	j.rows.take(queueItems("abc"))
	table := j.queue.Pattern.Table
	after := queueItem("b")
	after["status"] = models.StringValue("approved")
	key, _ := table.PrimaryKey(after)
	j.rows.learn([]screen.Committed{
		{Table: table, Key: key, Item: after},
		{Table: table, Key: models.Item{"PK": models.StringValue("AUDIT#1"), "SK": models.StringValue("1")}, Item: queueItem("z")},
	})
	j.rows.take(queueItems("ac"))
	if got := j.rows.spelled(); got != "a-bc" {
		t.Errorf("the rows are %q", got)
	}
	if now, _ := j.rows.Row(1).Item.Text("status"); now != "approved" {
		t.Errorf("it left as %s", now)
	}
}
