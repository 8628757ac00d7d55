package item

import (
	"errors"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

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
