package tui

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
)

// The command log lists what was sent, without any key or value, and why a request failed.
func TestCommandLogListsRequests(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		w.role = session.Support
		tt := w.enter(wide, "Q", "2 waiting")
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
