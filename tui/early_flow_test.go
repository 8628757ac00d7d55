package tui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// Enter before the first rows arrive opens the first row as soon as it arrives, and sends no second request.
func TestEnterBeforeFirstRowsIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		keys  []string
		opens bool
	}{
		"enter":        {[]string{"enter"}, true},
		"other key":    {[]string{"enter", "e"}, false},
		"canceled":     {[]string{"enter", "esc"}, false},
		"no early key": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newOpenerFixture(t, "authbridge")
			requests := 0
			d.store = pages(d.store, 30, func(ctx context.Context, _ int) error {
				requests++
				return delayPage(2*time.Second)(ctx, 0)
			})
			synctest.Test(t, func(t *testing.T) {
				tt, _ := open(t, d, wideSize)
				selectPattern(tt, "All verifications of a client")
				tt.Press("enter")
				tt.Enter("client_1")
				tt.Advance(time.Second)
				tt.Press(c.keys...)
				tt.Advance(3 * time.Second)
				if got := tt.Has("Overview"); got != c.opens {
					t.Errorf("the first row is open: %v, want %v\n%s", got, c.opens, tt.Screen())
				}
				if !c.opens && requests != 1 {
					t.Errorf("got %d requests, want 1", requests)
				}
			})
		})
	}
}

// Before the program reads the terminal, enter arrives as a line feed. It must still open the schema.
func TestEnterBeforeStartIsKept(t *testing.T) {
	d := newEverySchema(t)
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), tuitest.Size{W: 80, H: 24})
		tt.Reach("Patterns", "ctrl+j")
		tt.Reach("Needs attention", "alt+home")
		tt.Advance(5 * time.Second)
		tt.Press("ctrl+j")
		if tt.Has("Patterns") {
			t.Errorf("a late line feed opened the profile:\n%s", tt.Screen())
		}
	})
}

// If the user opens a menu before its item arrives, the menu is rebuilt when the item arrives.
func TestMenuIsRebuiltWhenItemArrives(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	d.role = session.Admin
	rows := pages(d.store, 3, nil)
	d.store = stub{rows.Reader, func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
		page, err := rows.fetch(ctx, leg, start, limit)
		for _, it := range page.Items {
			delete(it, "status")
		}
		if leg.Get == nil || err != nil {
			return page, err
		}
		if err := delayPage(2*time.Second)(ctx, 0); err != nil {
			return page, err
		}
		page.Items = page.Items[:1]
		page.Items[0]["status"] = models.StringValue("in_review")
		return page, nil
	}}
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wideSize)
		selectPattern(tt, "All verifications of a client")
		tt.Press("enter")
		tt.Enter("client_1")
		tt.Advance(100 * time.Millisecond)
		tt.Press("enter", "o")
		tt.Advance(time.Second)
		if !tt.Has("reading the item") || tt.Has("a plan comes") {
			t.Errorf("before the item arrived:\n%s", tt.Screen())
		}
		tt.Advance(2 * time.Second)
		if tt.Has("reading the item") || !tt.Has("Approve") {
			t.Errorf("after the item arrived:\n%s", tt.Screen())
		}
	})
}

// If the user opens the menu of a queue before its rows arrive, the menu is rebuilt when they arrive.
func TestMenuIsRebuiltWhenQueueArrives(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	d.role = session.Admin
	d.store = pages(d.store, 3, func(ctx context.Context, page int) error {
		if page > 1 {
			return nil
		}
		return delayPage(2*time.Second)(ctx, 0)
	})
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wideSize)
		tt.Press("i")
		tt.Advance(time.Second)
		tt.Reach("the queue has not been read", "o")
		tt.Advance(30 * time.Second)
		if !tt.Has("Actions · ") || tt.Has("the queue has not been read") {
			t.Errorf("the menu lacks the actions of the rows:\n%s", tt.Screen())
		}
	})
}
