package item

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func TestItemCountsAfterItWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		m := &screentest.Memory{Item: it, Rows: []models.Item{it, it, it}, Delay: 2 * time.Second}
		tt, s := showItem(t, tuitest.Size{W: 120, H: 40}, session.Support, m, it)
		tt.Advance(time.Second)
		if m.Asked > 0 || !tt.Has("Documents of a verification   … ›") {
			t.Errorf("%d counted before the item was read:\n%s", m.Asked, tt.Screen())
		}
		tt.WaitFor("Documents of a verification   3 ›")
		tt.Advance(time.Second)
		if m.Asked != s.Screen.(*itemScreen).facts.runnable() {
			t.Errorf("%d patterns were asked", m.Asked)
		}
		tt.ClickText("All verifications of")
		if msg := screentest.TargetOf[screen.Patterns](t, s); msg.Pattern.Title != "All verifications of a client" {
			t.Errorf("the strip leads to %s", msg.Pattern.ID)
		}
	})
}

func TestItemCountsNothingUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		m := &screentest.Memory{Item: it, Rows: []models.Item{it}}
		tt, _ := showItem(t, tuitest.Size{W: 120, H: 40}, session.Support, m, it)
		tt.WaitFor(", unchanged")
		tt.Send(screentest.WatchMsg(false))
		tt.Advance(5 * time.Second)
		if m.Asked > 0 {
			t.Errorf("%d patterns were counted although nobody looks", m.Asked)
		}
	})
}

func TestItemCountsGiveUp(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	s := New(
		screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Support),
		screen.Item{Table: p.Entity("Verification").Table, Item: it},
	).(*itemScreen)
	s.SetSize(120, 40)
	s.read.state = readDone
	s.counts.startCounts()
	first := s.counts.countOrder()[0]
	s.counts.countNext()
	s.counts.counted(itemCountedMsg{
		screen: s, req: s.counts.req, key: relationKey(first.Related),
		glance: reading.QuickCount{Count: reading.QuickCountLimit, More: true, Capacity: 200},
	})
	if got := s.counts.countText(first) + ", " + s.counts.countWords(first); got != "50+, more than 50 items" {
		t.Errorf("the count is told as %q", got)
	}
	for _, r := range s.counts.countOrder()[1:] {
		if got := s.counts.countText(r) + ", " + s.counts.countWords(r); got != "–, not counted: the limit of 64 read units for this item is reached" {
			t.Errorf("%s: %q after the budget was spent", r.Pattern.ID, got)
		}
	}
	s.Close()
}
