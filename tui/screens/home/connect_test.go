package home

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A schema that opens during a requested count leaves home ready for the next one.
func TestHomeOpensSchemaDuringCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := newLoadedHome(t, twoProfiles(t), "")
		h.counter.count()
		if sent := run(h, h.OpenThen(nil)); len(sent) != 1 {
			t.Fatalf("home sent %v, want one message", sent)
		}
		if h.Status() != "authbridge" || h.cannotOpen() != "" {
			t.Errorf("status = %q, cannotOpen() = %q", h.Status(), h.cannotOpen())
		}
	})
}

// Enter on another result opens only that schema, even if the first one is still opening.
func TestHomeOpensTheLastChosenResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		h, _ := newLoadedHome(t, o, "")
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
			t.Errorf("opened %v and sent %v, want tazco last", o.opened, sent)
		}
	})
}

// Another connection does not receive a schema that was opening, even if esc ended something else first.
func TestReloadStopsOpeningSchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := newLoadedHome(t, twoProfiles(t), "")
		h.counter.count()
		open := h.OpenThen(nil)
		h.Cancel()
		if sent := run(h, open, h.Reload("")); len(sent) > 0 || h.cannotOpen() != "" {
			t.Errorf("home sent %v, cannotOpen() = %q", sent, h.cannotOpen())
		}
	})
}

// After a schema has opened, a sign-in for another request does not open one again.
func TestRetryOpensOnlyFailedSchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		h, _ := newLoadedHome(t, o, "")
		o.open = func(context.Context, *profiles.Profile) (*workspace.Workspace, error) {
			return nil, errors.New("expired")
		}
		run(h, h.OpenThen(nil))
		h.Update(screentest.Pressed("down"))
		o.open, o.opened = nil, nil
		run(h, h.Retry())
		if len(o.opened) != 1 || o.opened[0] != "authbridge" {
			t.Errorf("the sign-in opened %v, want the failed schema", o.opened)
		}
		o.opened = nil
		run(h, h.Retry())
		if len(o.opened) > 0 {
			t.Errorf("a later sign-in opened %v", o.opened)
		}
	})
}
