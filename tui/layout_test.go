package tui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// skeleton returns the borders on the screen without its text.
func skeleton(tt *tuitest.Terminal) string {
	lines := strings.Split(tt.Screen(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.Map(func(r rune) rune {
			if strings.ContainsRune("╭╮╰╯│├┤", r) {
				return r
			}
			return ' '
		}, line), " ")
	}
	return strings.Join(lines, "\n")
}

// requireStableLayout fails if a border moves before a text appears.
func requireStableLayout(t *testing.T, tt *tuitest.Terminal, want string) {
	t.Helper()
	old, first := skeleton(tt), tt.Screen()
	for range 50 {
		if skeleton(tt) != old {
			t.Fatalf("the layout changed from\n%s\nto\n%s", first, tt.Screen())
		}
		if tt.Has(want) {
			return
		}
		tt.Advance(200 * time.Millisecond)
	}
	t.Fatalf("%q did not appear:\n%s", want, tt.Screen())
}

// A slowReader is a reader on a slow connection.
type slowReader struct {
	store.Reader
	delay time.Duration
}

func (r slowReader) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	select {
	case <-time.After(r.delay):
	case <-ctx.Done():
		return accesspatterns.Page{}, ctx.Err()
	}
	return r.Reader.Fetch(ctx, leg, start, limit)
}

func TestLayoutIsStableWhileRowsAreRead(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.store = slowReader{d.store, 3 * time.Second}
		tt, _ := open(t, d, size)
		selectPattern(tt, "Verifications by date")
		tt.Press("enter")
		requireStableLayout(t, tt, "11 items")
	})
}

func TestLayoutIsStableWhileItemIsRead(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			o := newChangeFixture(t, session.Admin, "", "in_review")
			tt := o.enter(size)
			o.delay.Store(int64(3 * time.Second))
			tt.Press("ctrl+r")
			requireStableLayout(t, tt, "read at 12:00")
			tt.Press("2")
			requireStableLayout(t, tt, "No history is recorded")
			tt.Press("3")
			requireStableLayout(t, tt, "All verifications")
		})
	})
}
