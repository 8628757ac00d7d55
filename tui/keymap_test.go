package tui

import (
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Configured keys work, and appear in the hints, the help and the palette. They replace the default keys.
func TestConfiguredKeysWork(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		keys := widget.NewKeymap(map[string]map[string][]string{
			"everywhere": {"palette": {"ctrl+k", "G"}, "help": {"f1"}, "quit": {"f9"}, "mouse": {"V"}},
			"home":       {"open-profile": {"f3", "enter"}},
			"workbench":  {"explain": {"X"}, "view": {}},
			"item":       {"copy": {"c"}},
		})
		tt := tuitest.New(t, New(Options{Opener: d, Keys: keys}), size)
		tt.WaitFor("AuthBridge identity")
		tt.Reach("Patterns", "f3")
		selectPattern(tt, "Verifications by date")
		tt.Press("/")
		tt.Type("V")
		if !tt.Has("/ V") {
			t.Errorf("the text field lacks the letter:\n%s", tt.Screen())
		}
		tt.Press("esc")
		selectPattern(tt, "Verifications by date")
		tt.Reach("1 page", "enter")
		tt.Press("x")
		tt.Advance(time.Second)
		if tt.Has("TableName") || tt.Has("A16 gap ─") {
			t.Errorf("a replaced key still runs its action:\n%s", tt.Screen())
		}
		tt.Reach("TableName", "X")
		tt.Press("esc", "ctrl+k")
		tt.Type("explain")
		tt.WaitFor(" X ")
		tt.Press("esc", "f1")
		tt.WaitFor("Show the request")
		tt.Reach("read at", "esc", "enter")
		tt.Reach("Copy", "c")
		tt.Reach("AuthBridge identity", "esc", "alt+home")
		tt.Press("f9")
		if _, exited := tt.Exited(); !exited {
			t.Errorf("the configured key did not quit the program:\n%s", tt.Screen())
		}
	})
}
