package tui

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func TestTourFollowsUserThroughConsole(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.role = session.Admin
		count := 0
		tt := tuitest.New(t, New(Options{
			Opener: d, Tour: true, TourID: "client_xyz789", TourSeen: func() { count++ }, Clipboard: (&clip{}).write,
		}), size)
		tt.WaitFor("type client_xyz789")
		tt.Type("client_xyz789")
		tt.WaitFor("Tour 2 of 10")
		for range 20 { // The card asks for a row with ◐; enter unfolds a kind.
			if strings.Contains(hitLine(tt), "◐") {
				break
			}
			if strings.Contains(hitLine(tt), "items found by") {
				tt.Press("enter")
			} else {
				tt.Press("down")
			}
			tt.Settle()
		}
		tt.Reach("Tour 3 of 10", "enter")
		tt.Reach("Tour 4 of 10", "2")
		tt.Reach("Tour 5 of 10", "4")
		tt.Paste("CASE#ver_1 / META")
		tt.WaitFor("Tour 6 of 10")
		tt.Reach("Tour 7 of 10", "esc", "i")
		tt.Golden("queue")
		tt.Press("ctrl+p")
		tt.Enter("end the tour")
		tt.WaitForRemoval("of 10")
		if count != 1 {
			t.Errorf("the tour ended %d times, want 1", count)
		}
	})
}

// hitLine returns the line of the selected hit.
func hitLine(tt *tuitest.Terminal) string {
	for y := range tt.Size().H {
		if line := tt.Line(y); strings.Contains(line, "›") {
			return line
		}
	}
	return ""
}

// Esc ends the tour but keeps the screen. The palette starts the tour again.
func TestTourEnds(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		count := 0
		tt := tuitest.New(t, New(Options{Opener: d, Tour: true, TourSeen: func() { count++ }, Start: "authbridge"}), size)
		tt.WaitFor("Press alt+home, then paste an ID")
		tt.Press("esc")
		tt.WaitForRemoval("of 10")
		if count != 1 {
			t.Errorf("the tour ended %d times, want 1", count)
		}
		if !tt.Has("Patterns") {
			t.Errorf("esc also closed the screen:\n%s", tt.Screen())
		}
		tt.Press("ctrl+p")
		tt.Enter("the tour")
		tt.WaitFor("Tour 1 of 10")
		tt.Press("ctrl+p")
		tt.Enter("end the tour")
		tt.WaitForRemoval("of 10")
	})
}

// Neither the card nor a frame is larger than the smallest terminal.
func TestTourFitsEverywhere(t *testing.T) {
	d := newOpenerFixture(t, "tazco")
	m := New(Options{Opener: d, Tour: true})
	for _, size := range []tuitest.Size{{W: 60, H: 16}, {W: 80, H: 24}, {W: 240, H: 70}} {
		m.w, m.h = size.W, size.H
		m.arrange()
		for m.tour.step = range tourSteps {
			view := m.viewSafe()
			tuitest.RendersExactly(t, view, size.W, size.H)
			if !strings.Contains(view, "of 10") {
				t.Errorf("step %d is not visible at %v", m.tour.step, size)
			}
			if lines := widget.Wrap(m.styles, widget.RoleText, tourSteps[m.tour.step].text(m), size.W-4); len(lines) > m.tourHeight()-2 {
				t.Errorf("step %d has %d lines at %v", m.tour.step, len(lines), size)
			}
		}
	}
}
