package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// Home counts the items, no matter which key returns to it.
func TestHomeCountsAfterReturn(t *testing.T) {
	for _, key := range []string{"esc", "alt+home"} {
		t.Run(key, func(t *testing.T) {
			d := newOpenerFixture(t, "authbridge")
			synctest.Test(t, func(t *testing.T) {
				tt := tuitest.New(t, New(Options{Opener: d, Start: d.profile.Name}), wideSize)
				tt.WaitFor("Patterns")
				tt.Press(key)
				tt.Advance(3 * time.Second)
				if !tt.Has("counted ") {
					t.Errorf("home shows no counts:\n%s", tt.Screen())
				}
			})
		})
	}
}
