package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// tour is where somebody is on it.
type tour struct {
	m *Model

	on     bool
	step   int
	looked bool // the changes of an item were looked at
}

// A tourStep is one thing to do.
type tourStep struct {
	text func(m *Model) string
	done func(m *Model, at screen.Stage) bool
	back bool // esc is part of it, and does not end the tour
}

// tourSteps lead through a day: find, read, understand, change, take back.
var tourSteps = []tourStep{
	{
		text: func(*Model) string {
			return "Each entry is a schema, with sample data of its own. Press enter to open the one under the cursor."
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Place == "workbench" },
	},
	{
		text: (*Model).tourRun,
		done: func(_ *Model, at screen.Stage) bool { return at.Place == "item" || at.Rows > 0 },
	},
	{
		text: func(*Model) string {
			return "These are the items that it found. Choose one with ◐, which is still open, and press enter to see all of it."
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Place == "item" },
	},
	{
		text: func(*Model) string {
			return "The tabs tell all about the item. Press 2: how each of its keys was made, piece by piece."
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Keys },
	},
	{
		text: func(m *Model) string {
			return fmt.Sprintf(
				"%s, then k, copies its key. Now press %s and paste it: any key, id or item is taken apart.",
				m.tour.keyOf("copy", "y"), m.tour.keyOf("decode", "p"),
			)
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Decoded },
		back: true,
	},
	{
		text: (*Model).tourChange,
		done: (*Model).tourLooked,
		back: true,
	},
	{
		text: func(m *Model) string {
			return fmt.Sprintf(
				"Every change stands in the journal, and can be taken back there. Press %s to see it.",
				m.tour.keyOf("journal", "J"),
			)
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Place == "journal" },
	},
	{
		text: func(m *Model) string {
			return fmt.Sprintf("Lost somewhere? Press %s: what a screen is for, its keys and its signs.", m.tour.keyOf("help", "?"))
		},
		done: func(m *Model, _ screen.Stage) bool { return m.help != nil },
	},
}

// tourRun is how to run a pattern, best one that needs nothing to be known.
func (m *Model) tourRun() string {
	const general = "The patterns are on the left. Choose one and press enter, fill in its parameters, and press enter " +
		"again."
	if m.detached() {
		return general
	}
	easy := screens.EasyPattern(m.env)
	if easy == "" {
		return general
	}
	return "The patterns are on the left. Press /, type “" + easy + "”, press enter to choose it and enter to run it."
}

// tourChange is how to look at a change without making it.
func (m *Model) tourChange() string {
	switch at := m.stage(); {
	case at.Planning:
		return "Enter shows the plan: all that would be written. Nothing is before you confirm; esc leaves."
	case at.Choosing:
		return "⊘ says why something is not possible now. Enter on another shows what it would write; esc leaves."
	case at.Place == "item":
		return fmt.Sprintf(
			"Press %s for the changes that are possible, and enter to see what one would write. It is only a plan.",
			m.tour.keyOf("actions", "a"),
		)
	case at.Place == "workbench":
		return "Open an item with enter. There you can look at a change before it is made."
	}
	return "Go back to the item with esc. There you can look at a change before it is made."
}

// tourLooked reports that changes were looked at and left again.
func (m *Model) tourLooked(at screen.Stage) bool {
	m.tour.looked = m.tour.looked || at.Choosing || at.Planning
	return m.tour.looked && !at.Covered
}

// keyOf is the key of an action here, or everywhere.
func (t *tour) keyOf(name, otherwise string) string {
	for _, as := range []widget.Actions{t.m.screens.top().screen.Actions(), t.m.actions} {
		if a, ok := as.Named(name); ok && a.Keys() != "" {
			return a.Keys()
		}
	}
	return otherwise
}

// startTour begins the tour, from the first step that is still to be done.
func (t *tour) startTour() tea.Cmd {
	*t = tour{m: t.m, on: true}
	return nil
}

// endTour puts the card away for good.
func (t *tour) endTour() {
	t.on = false
	if t.m.o.TourSeen != nil {
		t.m.o.TourSeen()
	}
}

// advance moves the tour on when what it asked for was done.
func (t *tour) advance() tea.Cmd {
	if !t.on || !tourSteps[t.step].done(t.m, t.m.stage()) {
		return nil
	}
	t.step++
	if t.step < len(tourSteps) {
		return nil
	}
	t.endTour()
	return t.m.say(
		widget.RoleGood,
		fmt.Sprintf("that was the tour. %s draws the schema, %s finds everything", t.keyOf("map", "M"), t.keyOf("palette", ":")),
	)
}

// leavesTour reports whether esc ends the tour here.
func (t *tour) leavesTour(key string) bool {
	return t.on && key == "esc" && !tourSteps[t.step].back
}

// tourCommands offer the tour in the palette, or its end.
func (f *finder) tourCommands() []screen.Command {
	c := screen.Command{
		ID: "tour", Section: "Everywhere", Kind: "help", Title: "the tour: eight things to try, on the real screens",
		Words: "tour tutorial introduction learn",
		Run:   f.m.tour.startTour,
	}
	if f.m.tour.on {
		c.Title = "end the tour"
		c.Run = func() tea.Cmd {
			f.m.tour.endTour()
			return nil
		}
	}
	return []screen.Command{c}
}

// The width of the card, and how much of it is frame.
const (
	cardWidth = 36
	cardFrame = 4
)

// overTour lays the card over a screen of w by h cells, in the lower left corner:
// notices come at the right.
func (t *tour) overTour(body string, w, h int) string {
	if !t.on {
		return body
	}
	cw := min(cardWidth, w-4)
	lines := widget.Wrap(t.m.styles, widget.RoleText, tourSteps[t.step].text(t.m), cw-cardFrame)
	for i, line := range lines {
		lines[i] = " " + line
	}
	ends := "esc ends it"
	if tourSteps[t.step].back {
		ends = ": ends it"
	}
	card := widget.Panel{
		Title: fmt.Sprintf("Tour %d of %d", t.step+1, len(tourSteps)), Note: ends, Role: widget.RoleGood,
	}.Render(t.m.styles, widget.Rows(lines...), cw, len(lines)+2)
	return widget.Overlay(body, card, 1, h-len(lines)-3)
}

// stage is how far a person has come on the screen in view.
func (m *Model) stage() screen.Stage {
	if s, ok := m.screens.top().screen.(screen.Staged); ok {
		return s.Stage()
	}
	return screen.Stage{}
}
