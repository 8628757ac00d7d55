package tui

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// The command log lists what was sent, without any key or value, and why a request failed.
func TestCommandLogListsRequests(t *testing.T) {
	w := newQueueFixture(t, 2)
	w.role = session.Support
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(tuitest.Size{W: 120, H: 40}, "Q", "2 waiting")
		w.line.cut = true
		tt.Reach("not refreshed", "ctrl+r")
		tt.Reach("Command log", "L")
		if !tt.Has("AuthBridgeTable GSI2") || !tt.Has("Query") || !tt.Has("RCU") || !tt.Has("✗ Query") {
			t.Errorf("the requests are not listed:\n%s", tt.Screen())
		}
		if strings.Contains(tt.Screen(), "ver_0") || strings.Contains(tt.Screen(), "DATE#") {
			t.Errorf("a key is shown:\n%s", tt.Screen())
		}
		tt.Press("/")
		tt.Enter("Describe")
		if tt.Has("GSI2") {
			t.Errorf("the filter keeps other requests:\n%s", tt.Screen())
		}
		tt.Reach("copied the request", "esc", "y")
		if got := w.clip.read(); !strings.Contains(got, "AuthBridgeTable") || strings.Contains(got, "ver_") {
			t.Errorf("copied %q", got)
		}
		tt.Reach("already open", "L")
		tt.Reach("Waiting for review ─", "esc")
	})
}
