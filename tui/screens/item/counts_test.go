package item

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func TestItemCountsStartAfterRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		m := &screentest.Memory{Item: it, Rows: []models.Item{it, it, it}, Delay: 2 * time.Second}
		tt, s := showItem(t, tuitest.Size{W: 120, H: 40}, session.Support, m, it)
		tt.Advance(time.Second)
		if m.Queries.Load() > 0 {
			t.Errorf("sent %d counts before the item was read:\n%s", m.Queries.Load(), tt.Screen())
		}
		tt.Press("3")
		tt.WaitFor("returns   3 items")
		tt.Advance(time.Second)
		if m.Queries.Load() != int64(len(s.Screen.(*itemScreen).counts.countOrder())+1) { // The history takes one request.
			t.Errorf("sent %d queries, want one for each pattern", m.Queries.Load())
		}
	})
}

func TestItemCountsOnlyWhileVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		m := &screentest.Memory{Item: it, Rows: []models.Item{it}}
		tt, _ := showItem(t, tuitest.Size{W: 120, H: 40}, session.Support, m, it)
		tt.WaitForRemoval("refreshing")
		tt.Send(screentest.WatchMsg(false))
		tt.Advance(5 * time.Second)
		if m.Queries.Load() > 0 {
			t.Errorf("sent %d queries while the screen was hidden", m.Queries.Load())
		}
	})
}

func TestItemCountsStopAtLimit(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	s := New(
		screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Support),
		screen.Item{Table: p.Entity("Verification").Table, Item: it},
	).(*itemScreen)
	s.SetSize(120, 40)
	s.state = readDone
	s.counts.start()
	first := s.counts.countOrder()[0]
	s.counts.countNext()
	s.counts.finishCount(relationKey(first.Related), reading.QuickCount{Count: reading.QuickCountLimit, More: true, Capacity: 200}, nil)
	if got := s.counts.countText(first) + ", " + s.counts.countDescription(first); got != "50+, more than 50 items" {
		t.Errorf("the count is %q", got)
	}
	for _, r := range s.counts.countOrder()[1:] {
		if got := s.counts.countText(r) + ", " + s.counts.countDescription(r); got != "–, not counted: the limit of 64 RCU for this item is reached" {
			t.Errorf("%s: got %q after the budget was used", r.Pattern.ID, got)
		}
	}
	s.Close()
}

// After all counts, role support sees no related lists without items, unless all of them are empty.
func TestSupportSeesNoEmptyRelatedLists(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	for _, c := range []struct {
		role        session.Role
		first, rest int
		want        int // number of lists that disappear
	}{{session.Support, 0, 2, 1}, {session.Developer, 0, 2, 0}, {session.Support, 0, 0, 0}, {session.Support, 3, 2, 0}} {
		s := New(screentest.NewItemEnv(t, p, &screentest.Memory{}, c.role), screen.Item{Table: p.Entity("Verification").Table, Item: it}).(*itemScreen)
		s.counts.done = map[string]bool{}
		all := s.counts.countOrder()
		for i, r := range all {
			n := c.rest
			if i == 0 {
				n = c.first
			}
			s.counts.setCount(relationKey(r.Related), itemCount{count: reading.QuickCount{Count: n}})
			if s.counts.onChange(); i < len(all)-1 && len(s.related.runnable()) != len(all) {
				t.Error("a list disappears while others are counted")
			}
		}
		if got := len(all) - len(s.related.runnable()); got != c.want {
			t.Errorf("%s: %d lists disappear, want %d", c.role, got, c.want)
		}
		if !slices.Contains(s.bar.Titles, titleWithCount("Related", len(all)-c.want)) {
			t.Errorf("the tabs have other numbers: %v", s.bar.Titles)
		}
		s.Close()
	}
}
