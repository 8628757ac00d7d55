package item

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
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

// The tab counts what is wrong with the item. The schema issues below it, the same for each item, are not counted.
func TestOnlyDefectsOfTheItemAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		ttl, title, text string
	}{
		"sound":     {"1797840060", "6 Issues  7 Raw", "✓ no defects of this item"},
		"wrong TTL": {"1739448000", "6 Issues ✗1  7 Raw", "Defects of this item"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				it := screentest.With(
					screentest.Verification(t, schemas.Open(t, "authbridge")),
					map[string]types.AttributeValue{"ttl": screentest.ItemNumber(c.ttl)},
				)
				tt, _ := showItem(t, screentest.EverySize["120x40"], session.Support, &screentest.Memory{Item: it}, it)
				tt.WaitFor(c.title)
				tt.Reach(c.text, "6")
				tt.WaitFor("Schema issues of Verification case")
			})
		})
	}
}

// firstOf is the first item of an entity in the sample data that is in a state.
func firstOf(
	t *testing.T, env *screen.Env, items func(func(*models.Table, models.Item)), entity, state string,
) (*models.Table, models.Item) {
	t.Helper()
	var found models.Item
	var of *models.Table
	items(func(table *models.Table, it models.Item) {
		if r, ok := env.Session.Recognize(table, it); ok && found == nil && r.Entity.Name == entity {
			if now, _ := it.Text(r.Entity.Lifecycles[0].Attribute); now == state {
				of, found = table, it
			}
		}
	})
	if found == nil {
		t.Fatalf("no %s is %s", entity, state)
	}
	return of, found
}

// tabText draws a tab of the first item of an entity in a state.
func tabText(t *testing.T, profile, entity, state string, tab int, size tuitest.Size) (*itemScreen, string) {
	t.Helper()
	p := schemas.Open(t, profile)
	env, from := screentest.Seeded(t, p)
	table, it := firstOf(t, env, func(f func(*models.Table, models.Item)) { screentest.EveryItem(t, env, from, f) }, entity, state)
	s := opened(t, env, table, it, tab)
	s.SetSize(size.W, size.H)
	view := s.View()
	tuitest.Sound(t, view, size.W, size.H)
	return s, strings.Join(tuitest.Draw(view, size.W, size.H), "\n")
}

func TestTheFirstMoveThatCanBeMadeIsChosen(t *testing.T) {
	s, text := tabText(t, "ebay-sniper", "Bid", "PENDING", tabLifecycle, tuitest.Size{W: 120, H: 38})
	if m, ok := s.lifecycle.selected(); !ok || m.Why != "" {
		t.Errorf("the cursor is on a move that cannot be made:\n%s", text)
	}
}

func TestWordsThatAreCutSaySo(t *testing.T) {
	_, text := tabText(t, "form-bridge", "SiteCredentials", "suspended", tabLifecycle, tuitest.Size{W: 80, H: 22})
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, "put back, from the hash") && !strings.Contains(line, "…") {
			t.Errorf("a sentence ends in the middle:\n%s", text)
		}
	}
}

// An epoch is a time that nobody can read.
func TestTimelineSpellsEpochs(t *testing.T) {
	_, text := tabText(t, "ebay-sniper", "Bid", "CANCELLED", tabTimeline, tuitest.Size{W: 120, H: 38})
	if !strings.Contains(text, "Z) · ") {
		t.Errorf("the time of the entry is a number:\n%s", text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, " ago · 20") && strings.Contains(line, "…") && strings.Index(line, "…") < 40 {
			t.Errorf("the time is cut off:\n%s", text)
		}
	}
}

// An error that fits into no line has the whole tab.
func TestTimelineTellsTheWholeError(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Admin)
	s := New(env, screen.Item{Table: p.Entity("Verification").Table, Item: screentest.Verification(t, p)}).(*itemScreen)
	t.Cleanup(s.Close)
	s.bar.Active = tabTimeline
	s.SetSize(80, 22)
	s.timeline.line = timeline.New(env.Session.Viewer, env.Reading, s.facts.entity, s.item)
	s.timeline.trails = s.timeline.line.Trails()
	s.timeline.err = errors.New("the trail cannot be asked, for its partition has a name of characters that no request may " +
		"hold: see the last of them")
	text := strings.Join(tuitest.Draw(s.View(), 80, 22), "\n")
	if !strings.Contains(text, "see the last of them") || !strings.Contains(text, "n retries") {
		t.Errorf("the error is cut off:\n%s", text)
	}
}
