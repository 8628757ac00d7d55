package lists

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// The cursor stays on its visit even if masking makes several titles equal.
func TestVisitsWithEqualTitlesAreDistinct(t *testing.T) {
	env, from := screentest.Seeded(t, schemas.Open(t, "authbridge"))
	screentest.EveryItem(t, env, from, func(table *models.Table, it models.Item) {
		if r, ok := env.Session.Recognize(table, it); ok && r.Entity.Name == "APIKey" {
			env.History.RecordVisit(table, it)
		}
	})
	s := Visited.Open(env, screen.Visited{}).(*listing.Screen[*present.Recent])
	s.SetSize(100, 30)
	answer(s, s.Init())
	first, _, _ := s.Selected()
	s.Update(screentest.Pressed("down"))
	want, _, ok := s.Selected()
	if !ok || sameKey(first, want) || first.Title != want.Title {
		t.Fatalf("got visits %v and %v", first, want)
	}
	s.Update(screentest.Pressed("space"))
	s.Update(screentest.Pressed("up"))
	answer(s, s.ReadAgain())
	now, _, _ := s.Selected()
	if marked := s.Chosen(); len(marked) != 1 || !sameKey(marked[0], want) || !sameKey(now, want) {
		t.Errorf("marked %v, and the cursor is on %v", marked, now)
	}
}

func sameKey(a, b *present.Recent) bool {
	return models.EqualItems(a.To.(screen.Item).Item, b.To.(screen.Item).Item)
}
