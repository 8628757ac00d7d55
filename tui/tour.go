// This file is the tour: a card in a corner that says what to press next, and
// moves on when that was done. It takes no key but esc, and that only where esc
// would leave the screen.

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
			return fmt.Sprintf("%s, then k, copies its key. Now press %s and paste it: any key, id or item is taken apart.", m.keyOf("copy", "y"), m.keyOf("decode", "p"))
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
			return fmt.Sprintf("Every change stands in the journal, and can be taken back there. Press %s to see it.", m.keyOf("journal", "J"))
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Place == "journal" },
	},
	{
		text: func(m *Model) string {
			return fmt.Sprintf("Lost somewhere? Press %s: what a screen is for, its keys and its signs.", m.keyOf("help", "?"))
		},
		done: func(m *Model, _ screen.Stage) bool { return m.help != nil },
	},
}

// tourRun is how to run a pattern, best one that needs nothing to be known.
func (m *Model) tourRun() string {
	const general = "At the left are the questions that can be asked. Choose one and press enter, fill in what it asks for, and press enter again."
	if m.detached() {
		return general
	}
	easy := screens.EasyPattern(m.env)
	if easy == "" {
		return general
	}
	return "At the left are the questions that can be asked. Press /, type “" + easy + "”, press enter to choose it and enter to run it."
}

// tourChange is how to look at a change without making it.
func (m *Model) tourChange() string {
	switch at := m.stage(); {
	case at.Planning:
		return "Enter shows the plan: all that would be written. Nothing is before you confirm; esc leaves."
	case at.Choosing:
		return "⊘ says why something is not possible now. Enter on another shows what it would write; esc leaves."
	case at.Place == "item":
		return fmt.Sprintf("Press %s for the changes that are possible, and enter to see what one would write. It is only a plan.", m.keyOf("actions", "a"))
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
func (m *Model) keyOf(name, otherwise string) string {
	for _, as := range []widget.Actions{m.top().screen.Actions(), m.actions} {
		if a, ok := as.Named(name); ok && a.Keys() != "" {
			return a.Keys()
		}
	}
	return otherwise
}

// startTour begins the tour, from the first step that is still to be done.
func (m *Model) startTour() tea.Cmd {
	m.tour = tour{on: true}
	return nil
}

// endTour puts the card away for good.
func (m *Model) endTour() {
	m.tour.on = false
	if m.o.TourSeen != nil {
		m.o.TourSeen()
	}
}

// advance moves the tour on when what it asked for was done.
func (m *Model) advance() tea.Cmd {
	if !m.tour.on || !tourSteps[m.tour.step].done(m, m.stage()) {
		return nil
	}
	m.tour.step++
	if m.tour.step < len(tourSteps) {
		return nil
	}
	m.endTour()
	return m.say(widget.RoleGood, fmt.Sprintf("that was the tour. %s draws the schema, %s finds everything", m.keyOf("map", "M"), m.keyOf("palette", ":")))
}

// leavesTour reports whether esc ends the tour here.
func (m *Model) leavesTour(key string) bool {
	return m.tour.on && key == "esc" && !tourSteps[m.tour.step].back
}

// tourCommands offer the tour in the palette, or its end.
func (m *Model) tourCommands() []screen.Command {
	c := screen.Command{
		ID: "tour", Section: "Everywhere", Kind: "help", Title: "the tour: eight things to try, on the real screens", Words: "tour tutorial introduction learn",
		Run: m.startTour,
	}
	if m.tour.on {
		c.Title = "end the tour"
		c.Run = func() tea.Cmd {
			m.endTour()
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
func (m *Model) overTour(body string, w, h int) string {
	if !m.tour.on {
		return body
	}
	cw := min(cardWidth, w-4)
	lines := widget.Wrap(m.styles, widget.RoleText, tourSteps[m.tour.step].text(m), cw-cardFrame)
	for i, line := range lines {
		lines[i] = " " + line
	}
	ends := "esc ends it"
	if tourSteps[m.tour.step].back {
		ends = ": ends it"
	}
	card := widget.Panel{
		Title: fmt.Sprintf("Tour %d of %d", m.tour.step+1, len(tourSteps)), Note: ends, Role: widget.RoleGood,
	}.Render(m.styles, widget.Rows(lines...), cw, len(lines)+2)
	return widget.Overlay(body, card, 1, h-len(lines)-3)
}

// stage is how far a person has come on the screen in view.
func (m *Model) stage() screen.Stage {
	if s, ok := m.top().screen.(screen.Staged); ok {
		return s.Stage()
	}
	return screen.Stage{}
}
