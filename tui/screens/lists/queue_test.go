package lists

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// rowsAfterRead returns the rows after a read of the items with these letters. The first read has no earlier rows.
func rowsAfterRead(before []*queuedItem, letters string, limit, times int, byUser bool) []*queuedItem {
	ids := strings.Split(letters, "")
	if letters == "" {
		ids = nil
	}
	return newQueued(ids, make([]models.Item, len(ids)), limit, &listing.Reading[*queuedItem]{Before: before, ExtraPages: times, ByUser: byUser})
}

// rowLetters returns the letters of the rows. A plus precedes each new row.
func rowLetters(list []*queuedItem) string {
	text := ""
	for _, r := range list {
		text += map[bool]string{true: "+"}[r.isNew] + r.id
	}
	return text
}

func TestQueueMarksNewRows(t *testing.T) {
	var rows []*queuedItem
	for _, step := range []struct {
		letters string
		byUser  bool
		want    string
	}{
		{"abcd", true, "abcd"},
		{"abcd", false, "abcd"},
		{"xacd", false, "+xacd"},     // New items stay new until the user opens them.
		{"xacdec", false, "+xacd+e"}, // The item moved during the read of the pages.
		{"xacdef", true, "xacde+f"},  // After the user reads again, only items of this read are new.
		{"def", false, "de+f"},       //
		{"adef", false, "+ade+f"},    // An item that returns is new.
		{"", false, ""},              //
		{"a", false, "+a"},           // The first item of an empty queue is also new.
	} {
		if rows = rowsAfterRead(rows, step.letters, queuePage, 0, step.byUser); rowLetters(rows) != step.want {
			t.Errorf("after %q, the rows are %q, want %q", step.letters, rowLetters(rows), step.want)
		}
	}
}

// Rows of a page that the user adds are not new. Rows that appear on it later are.
func TestAddedPageRowsAreNotNew(t *testing.T) {
	letters := func(from, to int) (ids []string) {
		for i := from; i < to; i++ {
			ids = append(ids, strconv.Itoa(i))
		}
		return ids
	}
	read := func(before []*queuedItem, ids []string) []*queuedItem {
		return newQueued(ids, make([]models.Item, len(ids)), 2*queuePage, &listing.Reading[*queuedItem]{Before: before, ExtraPages: 1})
	}
	first := newQueued(letters(0, queuePage), make([]models.Item, queuePage), queuePage, &listing.Reading[*queuedItem]{})
	second := read(first, append([]string{"x"}, letters(0, queuePage+50)...))
	if got := rowLetters(second); !strings.HasPrefix(got, "+x0") || strings.Count(got, "+") != 1 {
		t.Errorf("got rows %s", got)
	}
	if got := rowLetters(read(second, letters(0, queuePage+52))); strings.Count(got, "+") != 2 || !strings.HasSuffix(got, "+250+251") {
		t.Errorf("got rows %s", got)
	}
}

// A letter has the same meaning in every queue: a is always Approve.
func TestLettersMeanTheSameInEveryQueue(t *testing.T) {
	for _, name := range profiles.Names() {
		p := schemas.Open(t, name)
		for _, q := range p.Queues {
			for a, letter := range queueLetters(q, present.ActionKeys(nil, p)) {
				if letter == "a" && !strings.HasPrefix(a.ID, "a") || letter == "r" && !strings.HasPrefix(a.ID, "r") {
					t.Errorf("%s.%s: the key %s runs %s", name, q.ID, letter, a.ID)
				}
			}
		}
	}
}

// cases returns an item of the review queue for each letter.
func cases(letters string) []models.Item {
	items := []models.Item{}
	for _, r := range letters {
		items = append(items, models.Item{
			"PK": models.StringValue("CASE#ver_" + string(r)), "SK": models.StringValue("META"),
			"verificationId": models.StringValue("ver_" + string(r)), "status": models.StringValue("in_review"),
		})
	}
	return items
}

func reviewQueue(t testing.TB, db *screentest.Memory) *queue {
	t.Helper()
	env := screentest.NewItemEnv(t, schemas.Open(t, "authbridge"), db, session.Admin)
	s := newQueue(env, screen.Queue{ID: "review-queue"}).(*queue)
	s.SetSize(120, 40)
	t.Cleanup(s.Close)
	return s
}

// feed sends the screen all results of a command that arrive within a second.
func feed(s *queue, cmd tea.Cmd) {
	msgs := make(chan tea.Msg, 100)
	var run func(cmd tea.Cmd)
	run = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		msg := cmd()
		batch, ok := msg.(tea.BatchMsg)
		if !ok {
			msgs <- msg
		}
		for _, c := range batch {
			go run(c)
		}
	}
	go run(cmd)
	for after := time.After(time.Second); ; {
		select {
		case msg := <-msgs:
			s.Update(msg)
		case <-after:
			return
		}
	}
}

func TestQueueStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &screentest.Memory{}
		s := reviewQueue(t, db)
		for _, step := range []struct {
			rows []models.Item // nil if the read fails
			want string        // how the status begins
			text string        // text on the screen
		}{
			{nil, "✗ no items read", "only GetItem is answered"},
			{cases("ab"), "2 waiting · ", "1/2"},
			{cases("abc"), "3 waiting · 1 new · ", "+ver_c"},
			{nil, "✗ not refreshed · 3 waiting", "only GetItem is answered"},
			{cases("bc"), "2 waiting · 1 new", "No longer in the list."},
			{cases(""), "0 waiting", "No longer in the list."},
		} {
			db.Rows = step.rows
			feed(s, s.ReadAgain())
			if got := s.Status(); !strings.HasPrefix(got, step.want) {
				t.Errorf("after %d rows: Status() = %q, want %q", len(step.rows), got, step.want)
			}
			if view := ansi.Strip(s.View()); !strings.Contains(view, step.text) {
				t.Errorf("after %d rows, %q is missing in:\n%s", len(step.rows), step.text, view)
			}
		}
		feed(s, s.Reload())
		if view := s.View(); !strings.Contains(view, "No items need a decision") {
			t.Errorf("the view does not explain the empty queue:\n%s", view)
		}
	})
}

// Without scrolling, a narrow queue shows the attribute that orders it or that is due.
func TestNarrowQueueShowsWhyItemsNeedDecision(t *testing.T) {
	for schema, want := range map[string]struct{ id, header string }{
		"authbridge":  {"review-queue", "Verification State Created ↑"},
		"ebay-sniper": {"overdue-bids", "Item title State Auction ends"},
	} {
		synctest.Test(t, func(t *testing.T) {
			rows := cases("ab")
			for _, it := range rows {
				it["verificationId"] = models.StringValue("ver_0c00b581-8610-4f85-919d-e0c2c341adc5")
				it["PK"], it["status"] = models.StringValue("CASE#ver_0c00b581-8610-4f85-919d-e0c2c341adc5"), models.StringValue("pending_review")
				it["createdAt"], it["expiresAt"] = models.StringValue("2026-01-18T13:00:00Z"), models.StringValue("2026-01-20T12:03:00Z")
			}
			s := newQueue(screentest.NewItemEnv(t, schemas.Open(t, schema), &screentest.Memory{Rows: rows}, session.Support), screen.Queue{ID: want.id}).(*queue)
			t.Cleanup(s.Close)
			s.SetSize(80, 21)
			if schema == "authbridge" {
				feed(s, s.Reload())
			}
			view := ansi.Strip(s.View())
			if !strings.Contains(strings.Join(strings.Fields(view), " "), want.header) {
				t.Errorf("%s: %q is missing in:\n%s", schema, want.header, view)
			}
		})
	}
}

// A queue highlights a time of expiry in the last hour before it, and afterwards.
func TestQueueHighlightsExpiry(t *testing.T) {
	q := reviewQueue(t, &screentest.Memory{})
	for left, want := range map[time.Duration]widget.Role{
		-time.Minute: widget.RoleBad, time.Minute: widget.RoleWarn, 2 * time.Hour: widget.RoleText,
	} {
		at := screentest.ItemText(screentest.ItemNow.Add(left).Format(time.RFC3339))
		if got := q.expiryRole(&queuedItem{item: models.Item{"expiresAt": at}}, "expiresAt", widget.RoleText); got != want {
			t.Errorf("an item that expires in %s has role %v, want %v", left, got, want)
		}
	}
}

// Only an ordered queue gives its items a rank.
func TestScannedQueueHasNoRank(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := reviewQueue(t, &screentest.Memory{Rows: cases("ab")})
		feed(s, s.Reload())
		ordered := s.target(s.All()[1]).Rank
		s.isScan = true
		if scanned := s.target(s.All()[1]).Rank; ordered.At != 2 || scanned.At != 0 {
			t.Errorf("got ranks %d and %d, want 2 and 0", ordered.At, scanned.At)
		}
	})
}
