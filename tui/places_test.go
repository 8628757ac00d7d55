package tui

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// If a user follows many links, the console closes the oldest screens.
func TestOldScreensAreClosed(t *testing.T) {
	w := newQueueFixture(t, 1)
	s := newStage(t, w)
	toWorkbench(s)
	home, first := s.m.screens.stack[0], s.m.screens.stack[1]
	for range maxPlaces + 5 {
		s.send(screen.OpenMsg{To: screen.Item{Table: w.p.Entity("Verification").Table, Item: models.Item{
			"PK": models.StringValue("CASE#" + w.id(1)), "SK": models.StringValue("META"),
		}}})
	}
	if n := len(s.m.screens.stack); n != maxPlaces {
		t.Errorf("got %d screens, want %d", n, maxPlaces)
	}
	if s.m.screens.stack[0] != home || s.m.screens.stack[1] != first {
		t.Error("the console closed home or the workbench")
	}
	s.until("read at 12:00")
	for range maxPlaces {
		s.m.back()
	}
	if !s.m.isAtHome() {
		t.Errorf("%d screens remain after going back through all", len(s.m.screens.stack))
	}
}

// If a user switches between two screens with tabs, the path of screens does not grow.
func TestTabsDoNotLengthenPath(t *testing.T) {
	withCases(t, 2, func(_ *testing.T, w *queueFixture) {
		tt := w.enter(wideSize, "i", "2 waiting")
		for range 3 {
			for _, to := range [][2]string{{"S", "› Schema "}, {"a", "› Activity"}, {"i", "› Inbox"}} {
				tt.Advance(maxWordPause * 2)
				tt.Reach(to[1], to[0])
			}
		}
		tt.WaitFor("authbridge › Verification by ID › Inbox ")
	})
}
