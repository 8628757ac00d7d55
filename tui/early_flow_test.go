package tui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// Enter that is pressed before the first rows arrive opens the first of them, and sends no second request.
func TestEnterBeforeTheFirstRowsIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		keys  []string
		opens bool
	}{
		"enter":        {[]string{"enter"}, true},
		"other key":    {[]string{"enter", "e"}, false},
		"canceled":     {[]string{"enter", "esc"}, false},
		"pressed once": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "authbridge")
			requests := 0
			d.store = pages(d.store, 30, func(ctx context.Context, _ int) error {
				requests++
				return after(2*time.Second)(ctx, 0)
			})
			synctest.Test(t, func(t *testing.T) {
				tt, _ := open(t, d, wide)
				pick(tt, "All verifications of a client")
				tt.Press("enter")
				tt.Enter("client_1")
				tt.Advance(time.Second)
				tt.Press(c.keys...)
				tt.Advance(3 * time.Second)
				if got := tt.Has("Overview"); got != c.opens {
					t.Errorf("the first row is open: %v\n%s", got, tt.Screen())
				}
				if !c.opens && requests != 1 {
					t.Errorf("%d requests", requests)
				}
			})
		})
	}
}

// Enter that is pressed before the program reads the terminal arrives as a line feed, and opens the profile as well.
func TestEnterBeforeTheStartIsKept(t *testing.T) {
	d := newEverySchema(t)
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), tuitest.Size{W: 80, H: 24})
		tt.Reach("Patterns", "ctrl+j")
		tt.Reach("Needs attention", "alt+home")
		tt.Advance(5 * time.Second)
		tt.Press("ctrl+j")
		if tt.Has("Patterns") {
			t.Errorf("a line feed opens the profile later:\n%s", tt.Screen())
		}
	})
}
