package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// tour is the progress of the tour.
type tour struct {
	m *Model

	on     bool
	step   int
	looked bool // the user opened the changes of an item
}

// A tourStep is one task of the tour.
type tourStep struct {
	text func(m *Model) string
	done func(m *Model, at screen.Stage) bool
	back bool // esc is part of the step and does not end the tour
}

// tourSteps cover the main tasks: find, read, decode, change, undo.
var tourSteps = []tourStep{
	{
		text: func(*Model) string {
			return "Each entry is a schema with its own sample data. Press enter to open the selected one."
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Place == "workbench" },
	},
	{
		text: (*Model).tourRun,
		done: func(_ *Model, at screen.Stage) bool { return at.Place == "item" || at.Rows > 0 },
	},
	{
		text: func(*Model) string {
			return "These are the items that match. Select one with ◐, which is still open, and press enter to open it."
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Place == "item" },
	},
	{
		text: func(*Model) string {
			return "The tabs show everything about the item. Press 2 to see how each of its keys is composed."
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Keys },
	},
	{
		text: func(m *Model) string {
			return fmt.Sprintf(
				"%s, then k, copies its key. Now press %s and paste it: the decoder explains any key, ID or item.",
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
				"The journal records every change, and undoes it. Press %s to open it.",
				m.tour.keyOf("journal", "J"),
			)
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Place == "journal" },
	},
	{
		text: func(m *Model) string {
			return fmt.Sprintf("Press %s on any screen for help: its purpose, its keys and its signs.", m.tour.keyOf("help", "?"))
		},
		done: func(m *Model, _ screen.Stage) bool { return m.layers.help != nil },
	},
}

// tourRun explains how to run a pattern, if possible one without required parameters.
func (m *Model) tourRun() string {
	const general = "The patterns are on the left. Select one and press enter, fill in its parameters, and press enter " +
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

// tourChange explains how to preview a change without applying it.
func (m *Model) tourChange() string {
	switch at := m.stage(); {
	case at.Planning:
		return "Press enter to see the plan: everything that the change would write. Nothing is written until you confirm; esc closes it."
	case at.Choosing:
		return "⊘ marks a change that is not possible, with the reason. Press enter on another one to preview it; esc closes the menu."
	case at.Place == "item":
		return fmt.Sprintf(
			"Press %s for the possible changes, and enter to preview one. It is only a plan.",
			m.tour.keyOf("actions", "a"),
		)
	case at.Place == "workbench":
		return "Open an item with enter. There you can preview a change."
	}
	return "Go back to the item with esc. There you can preview a change."
}

// tourLooked reports whether the user opened and closed the changes of an item.
func (m *Model) tourLooked(at screen.Stage) bool {
	m.tour.looked = m.tour.looked || at.Choosing || at.Planning
	return m.tour.looked && !at.Covered
}

// keyOf is the key of an action of the visible screen or of a global action.
func (t *tour) keyOf(name, otherwise string) string {
	for _, as := range []widget.Actions{t.m.screens.top().screen.Actions(), t.m.actions} {
		if a, ok := as.Named(name); ok && a.Keys() != "" {
			return a.Keys()
		}
	}
	return otherwise
}

// startTour starts the tour at the first step that is not done.
func (t *tour) startTour() tea.Cmd {
	*t = tour{m: t.m, on: true}
	return nil
}

// endTour closes the card for good.
func (t *tour) endTour() {
	t.on = false
	if t.m.o.TourSeen != nil {
		t.m.o.TourSeen()
	}
}

// advance moves to the next step when the current one is done.
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
		fmt.Sprintf("Tour complete. Press %s for the schema map, %s to find anything", t.keyOf("map", "M"), t.keyOf("palette", ":")),
	)
}

// leavesTour reports whether a key ends the tour.
func (t *tour) leavesTour(key string) bool {
	return t.on && key == "esc" && !tourSteps[t.step].back
}

// tourCommands lists the tour, or its end, for the palette.
func (f *finder) tourCommands() []screen.Command {
	c := screen.Command{
		ID: "tour", Section: "Everywhere", Kind: "help", Title: "Start the tour: eight things to try on the real screens",
		Words: "tour tutorial introduction learn",
		Run:   f.m.tour.startTour,
	}
	if f.m.tour.on {
		c.Title = "End the tour"
		c.Run = func() tea.Cmd {
			f.m.tour.endTour()
			return nil
		}
	}
	return []screen.Command{c}
}

// The width of the card and of its frame, in cells.
const (
	cardWidth = 36
	cardFrame = 4
)

// overTour draws the card over a screen of w by h cells, in the lower left corner, because notices appear on the right.
func (t *tour) overTour(body string, w, h int) string {
	if !t.on {
		return body
	}
	cw := min(cardWidth, w-4)
	lines := widget.Wrap(t.m.styles, widget.RoleText, tourSteps[t.step].text(t.m), cw-cardFrame)
	for i, line := range lines {
		lines[i] = " " + line
	}
	ends := "esc ends the tour"
	if tourSteps[t.step].back {
		ends = "end it with :"
	}
	card := widget.Panel{
		Title: fmt.Sprintf("Tour %d of %d", t.step+1, len(tourSteps)), Note: ends, Role: widget.RoleGood,
	}.Render(t.m.styles, widget.Rows(lines...), cw, len(lines)+2)
	return widget.Overlay(body, card, 1, h-len(lines)-3)
}

// stage is what the visible screen shows of the tour's tasks.
func (m *Model) stage() screen.Stage {
	if s, ok := m.screens.top().screen.(screen.Staged); ok {
		return s.Stage()
	}
	return screen.Stage{}
}
