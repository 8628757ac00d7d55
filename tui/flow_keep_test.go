package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// Esc on the rows goes to the patterns, and only from there to the profiles. Leaving says how to return. After a run
// all patterns are listed again.
func TestEscKeepsTheSchema(t *testing.T) {
	flow(t, "authbridge", func(t *testing.T, d *desk, size tuitest.Size) {
		tt, _ := open(t, d, size)
		pick(tt, "Verifications by date")
		tt.Reach("1 page", "enter")
		tt.Reach("Patterns ─", "esc")
		if !tt.Has("Verification by ID") || !tt.Has("▌ query Verifications by date") {
			t.Errorf("the list is still filtered, or the pattern is no longer selected:\n%s", tt.Screen())
		}
		tt.Reach("press alt+right to return to", "esc")
		tt.Reach("Patterns ─", "alt+right")
	})
}

// The list of patterns is folded away with z, and is there while it has the keys.
func TestPatternListIsFoldedAway(t *testing.T) {
	atDesk(t, "authbridge", func(_ *testing.T, tt *tuitest.Terminal) {
		pick(tt, "Verifications by date")
		tt.Reach("1 page", "enter")
		tt.Press("z")
		tt.WaitGone("Patterns ─")
		tt.Golden("folded")
		tt.Reach("Patterns ─", "esc")
		tt.Press("enter") // To the rows again.
		tt.WaitGone("Patterns ─")
		tt.Reach("Patterns ─", "z")
	})
}

// A notice ends with its screen, and is in the status bar while a dialog is open.
func TestNoticesEndWithTheirScreen(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		tt := w.enter(wide, "Q", "2 waiting")
		tt.Reach("no change was made here", "u")
		tt.Reach("Actions for", "o")
		if _, y, ok := tt.Find("no change was made here"); !ok || y != 39 {
			t.Errorf("the notice is in line %d, over a dialog:\n%s", y, tt.Screen())
		}
		tt.Reach("Overview", "esc", "enter")
		if tt.Has("no change of this screen") {
			t.Errorf("the notice is on another screen:\n%s", tt.Screen())
		}
	})
}

// A scan that costs less than the limit is not asked about; a larger one, and one in production, is.
func TestSmallScansNeedNoConsent(t *testing.T) {
	for name, c := range map[string]struct {
		limit   float64
		context string
		asks    bool
	}{
		"below the limit": {limit: 128},
		"no limit":        {asks: true},
		"above the limit": {limit: 0.1, asks: true},
		"production":      {limit: 128, context: "prod", asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "form-bridge")
			d.context = c.context
			synctest.Test(t, func(t *testing.T) {
				tt := tuitest.New(t, New(Options{Opener: d, Start: d.profile.Name, ScanLimit: c.limit}), wide)
				tt.WaitFor("Patterns")
				pick(tt, "Sites by status")
				tt.Press("enter")
				if tt.Has("leave form") {
					tt.Press("enter")
				}
				tt.Advance(time.Second)
				if asks := tt.Has("Read the whole table?"); asks != c.asks || !asks && !tt.Has(" RCU · ") {
					t.Errorf("asks: %v\n%s", asks, tt.Screen())
				}
				tt.Press("esc", "Q")
				tt.Advance(time.Second)
				if asks := tt.Has("This queue reads the whole table"); asks != c.asks || asks == tt.Has(" waiting · ") {
					t.Errorf("the queue asks: %v\n%s", asks, tt.Screen())
				}
			})
		})
	}
}
