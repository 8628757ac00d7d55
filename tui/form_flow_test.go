package tui

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

func TestPasteAKeyIntoTheForm(t *testing.T) {
	flow(t, "authbridge", func(t *testing.T, d *desk, size tuitest.Size) {
		tt, _ := open(t, d, size)
		pick(tt, "Verifications by client + status")
		tt.Press("enter")
		tt.Paste("CLIENT#client_xyz789 / pending_review#2026-01-20T08:01:00Z\n")
		tt.WaitFor("From the key of")
		for _, want := range []string{`"CLIENT#client_xyz789"`, `begins_with(GSI1SK, "pending_review#")`} {
			if !strings.Contains(strings.ReplaceAll(tt.Screen(), "\n", " "), want) {
				t.Errorf("%s is missing in\n%s", want, tt.Screen())
			}
		}
	})
}

func TestFormRemembers(t *testing.T) {
	flow(t, "authbridge", func(t *testing.T, d *desk, size tuitest.Size) {
		tt, _ := open(t, d, size)
		pick(tt, "Verification by ID")
		tt.Press("enter")
		tt.Type("8f2c")
		if !tt.Has("adds prefix ver_") {
			t.Fatalf("the prefix is not offered:\n%s", tt.Screen())
		}
		tt.Reach("No items", "right", "enter")
		tt.Reach("space: suggestions", "e", "ctrl+u")
		tt.Reach("╭ suggestions", "space")
		tt.Golden("last")
		tt.Press("enter")
		if !tt.Has("CASE#ver_8f2c") {
			t.Errorf("the last value is not entered:\n%s", tt.Screen())
		}
	})
}

func TestFormNamesMissingParameters(t *testing.T) {
	flow(t, "authbridge", func(t *testing.T, d *desk, size tuitest.Size) {
		d.role = session.Support
		tt, _ := open(t, d, size)
		pick(tt, "Verifications by client + status")
		tt.Reach("… needs clientId", "enter")
		if tt.Has("asks for all") {
			t.Errorf("what needs a parameter asks for everything:\n%s", tt.Screen())
		}
		tt.Type("client_xyz789")
		tt.Reach("status created", "tab", "right")
		if tt.Has("QUERY") || !tt.Has("→ clientId client_xyz789") {
			t.Errorf("support is shown the request of DynamoDB:\n%s", tt.Screen())
		}
		tt.Golden("words")
	})
}
