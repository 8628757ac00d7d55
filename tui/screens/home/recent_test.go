package home

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// The cursor stays on its recent item even if masking makes several titles equal.
func TestRecentItemsWithEqualTitlesAreDistinct(t *testing.T) {
	env, from := screentest.Seeded(t, schemas.Open(t, "authbridge"))
	screentest.EveryItem(t, env, from, func(table *models.Table, it models.Item) {
		if r, ok := env.Session.Recognize(table, it); ok && r.Entity.Name == "APIKey" {
			env.History.RecordVisit(table, it)
		}
	})
	h, _ := newLoadedHome(t, &opener{list: []*profiles.Profile{env.Session.Profile()}}, "")
	h.sessions["authbridge"] = env.Workspace
	h.fillSections()
	if list := h.recent.rows; len(list) < 2 || list[0].title != list[1].title {
		t.Fatalf("the titles of %d recent items differ", len(list))
	}
	h.recent.lines.Go(1)
	h.fillSections()
	if at, _ := h.recent.lines.At(); at != 1 {
		t.Errorf("the cursor moved to row %d", at)
	}
}
