package home

import (
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A schema that opens during a requested count leaves home ready for the next one.
func TestHomeOpensASchemaDuringACount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := loaded(t, twoProfiles(t), "")
		h.counter.count()
		if sent := run(h, h.OpenThen(nil)); len(sent) != 1 {
			t.Fatalf("the root receives %v", sent)
		}
		if h.Status() != "authbridge" || h.cannotOpen() != "" {
			t.Errorf("status %q, cannot open: %q", h.Status(), h.cannotOpen())
		}
	})
}

// Enter on another result opens only that schema, even if the first one is still opening.
func TestHomeOpensTheLastChosenResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		h, _ := loaded(t, o, "")
		enter := screentest.Pressed("enter")
		var cmds []tea.Cmd
		for _, name := range []string{"authbridge", "tazco"} {
			h.find.clear()
			h.find.field.Update(tea.PasteMsg{Content: name})
			h.find.refresh()
			cmds = append(cmds, h.find.press(enter))
		}
		sent := run(h, cmds...)
		if len(sent) != 1 || sent[0].(screen.SessionMsg).Workspace.Session.Profile().Name != "tazco" {
			t.Errorf("opened %v, sent %v", o.opened, sent)
		}
	})
}

// Another connection does not receive a schema that was opening, even if esc ended something else first.
func TestReloadStopsOpeningASchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := loaded(t, twoProfiles(t), "")
		h.counter.count()
		open := h.OpenThen(nil)
		h.Cancel()
		if sent := run(h, open, h.Reload("")); len(sent) > 0 || h.cannotOpen() != "" {
			t.Errorf("the root receives %v, cannot open: %q", sent, h.cannotOpen())
		}
	})
}
