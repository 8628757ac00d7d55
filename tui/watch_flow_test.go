package tui

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A watched query marks what came, changed and left, and ends when its budget is spent.
func TestWatchMarksChanges(t *testing.T) {
	d := newDesk(t, "authbridge")
	inner, shown := d.store, 2
	var reads int
	d.store = stub{inner, func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
		page, err := inner.Fetch(ctx, leg, start, limit)
		page.Items = page.Items[:min(len(page.Items), shown)]
		if reads++; reads > 2 && len(page.Items) > 1 {
			page.Items = slices.Clone(page.Items)
			page.Items[1] = page.Items[1].Clone()
			page.Items[1]["status"] = models.StringValue("expired")
		}
		return page, err
	}}
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wide)
		pick(tt, "Verifications by date")
		tt.Reach("1 page", "enter")
		tt.Reach("watching every 10 s · +0 ~0 -0", "w")
		shown = 3
		tt.Advance(11 * time.Second)
		tt.WaitFor("+1 ~1 -0")
		tt.Golden("changed")
		shown = 2
		tt.Advance(10 * time.Second)
		tt.WaitFor("+0 ~0 -1")
		tt.Reach("The watch ended", "w")
		before := reads
		tt.Advance(time.Minute)
		if reads != before {
			t.Errorf("an ended watch reads %d times", reads-before)
		}
	})
}
