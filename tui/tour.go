package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// tour is the progress of the tour.
type tour struct {
	m *Model

	on        bool
	step      int
	disturbed bool   // another user has changed the item of the shown plan
	from      string // its state before
}

// A tourStep is one task of the tour.
type tourStep struct {
	text func(m *Model) string
	done func(m *Model, at screen.Stage) bool
	back bool // esc is part of the step and does not end the tour
	// decides says that the step needs a queue; a schema without one ends the tour before it.
	decides bool
}

// tourSteps cover the main tasks: find, read, decode, change, conflict, undo.
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
		text: func(*Model) string {
			return "Press 3 for its lifecycle: past states, current state and possible next states."
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Path },
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
		text: func(m *Model) string {
			first := ""
			if m.stage().Place == "decode" {
				first = "esc, then "
			}
			return fmt.Sprintf("Items that need a decision are in queues, the oldest first. Press %s%s to open them.",
				first, m.tour.keyOf("queues", "Q"))
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Queue },
		back: true, decides: true,
	},
	{
		text: (*Model).tourDecide,
		done: func(m *Model, at screen.Stage) bool { return at.Conflict || at.Changed && m.o.Interfere == nil },
		back: true, decides: true,
	},
	{
		text: (*Model).tourRepeat,
		done: func(_ *Model, at screen.Stage) bool { return at.Changed },
		back: true, decides: true,
	},
	{
		text: func(m *Model) string {
			switch at := m.stage(); {
			case at.Plan != nil:
				return "This plan undoes the change. Press tab and enter to apply it."
			case at.Planning && !at.Changed:
				return "Press enter to see the plan of the undo."
			}
			return fmt.Sprintf("Done, with an audit entry. Press %s to undo it. An undo is a change too, with a plan and checks.",
				m.tour.keyOf("undo", "u"))
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Undone },
		back: true, decides: true,
	},
}

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

func (m *Model) tourDecide() string {
	switch at := m.stage(); {
	case at.Plan != nil && m.o.Interfere != nil:
		return "This is all that would be written. Press tab and enter to apply it. In this demo, another user changes the item first."
	case at.Plan != nil:
		return "This is all that would be written. Press tab and enter to apply it."
	case at.Planning:
		return "Press enter to see the plan. Nothing is written yet."
	case at.Place != "queue":
		return "Go back to the queue."
	}
	return "The keys at the bottom apply to the selected row. Press a."
}

func (m *Model) tourRepeat() string {
	switch at := m.stage(); {
	case at.Conflict:
		return "Another user changed the item first. Nothing was written, and the dialog shows the changes. Press esc."
	case at.Plan != nil:
		return "Press tab and enter to apply it."
	case at.Planning:
		return "Press enter to see the plan."
	}
	return present.Join("Select another item", m.tour.from, " with status ") + ", and press a."
}

func (t *tour) keyOf(name, otherwise string) string {
	for _, as := range []widget.Actions{t.m.screens.top().screen.Actions(), t.m.actions} {
		if a, ok := as.Named(name); ok && a.Keys() != "" {
			return a.Keys()
		}
	}
	return otherwise
}

func (t *tour) startTour() tea.Cmd {
	*t = tour{m: t.m, on: true}
	t.m.arrange()
	return nil
}

func (t *tour) endTour() {
	t.on = false
	t.m.arrange()
	if t.m.o.TourSeen != nil {
		t.m.o.TourSeen()
	}
}

func (t *tour) advance() tea.Cmd {
	if !t.on {
		return nil
	}
	at := t.m.stage()
	if !tourSteps[t.step].done(t.m, at) {
		return t.disturb(at)
	}
	t.step++
	if t.step < len(tourSteps) && (!tourSteps[t.step].decides || !t.noQueue()) {
		return nil
	}
	t.endTour()
	return t.m.say(
		widget.RoleGood,
		fmt.Sprintf("Tour complete. Press %s for help, %s for the schema map, %s to find anything",
			t.keyOf("help", "?"), t.keyOf("map", "M"), t.keyOf("palette", ":")),
	)
}

func (t *tour) noQueue() bool {
	return t.m.detached() ||
		!slices.ContainsFunc(t.m.env.Session.Profile().Queues, func(q *change.Queue) bool { return len(q.Params) == 0 })
}

func (t *tour) disturb(at screen.Stage) tea.Cmd {
	if t.disturbed || at.Plan == nil || !tourSteps[t.step].decides || t.m.o.Interfere == nil {
		return nil
	}
	t.disturbed, t.from = true, at.Plan.From
	ctx, w, plan, interfere := t.m.o.Context, t.m.env.Workspace, at.Plan, t.m.o.Interfere
	return func() tea.Msg {
		if err := interfere(ctx, w, plan); err != nil {
			return screen.NoticeMsg{Text: "the tour cannot change the item: " + err.Error(), Bad: true}
		}
		return nil
	}
}

func (t *tour) leavesTour(key string) bool {
	return t.on && key == "esc" && !tourSteps[t.step].back
}

func (f *finder) tourCommands() []screen.Command {
	c := screen.Command{
		ID: "tour", Section: "Everywhere", Kind: "help", Title: "Start the tour: ten things to try on the real screens",
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

// wideCard is the width in cells from which every text of the tour has two lines, and three below.
const wideCard = 80

func (t *tour) height() int {
	switch {
	case !t.on:
		return 0
	case t.m.w < wideCard:
		return 5
	}
	return 4
}

func (t *tour) view(w int) string {
	lines := widget.Wrap(t.m.styles, widget.RoleText, tourSteps[t.step].text(t.m), max(w-4, 1))
	ends := "esc ends the tour"
	if tourSteps[t.step].back {
		ends = "end it with :"
	}
	card := widget.Panel{Title: fmt.Sprintf("Tour %d of %d", t.step+1, len(tourSteps)), Note: ends, Role: widget.RoleGood}
	return card.Render(t.m.styles, " "+strings.Join(lines, "\n "), w, t.height())
}

func (m *Model) stage() screen.Stage {
	if s, ok := m.screens.top().screen.(screen.Staged); ok {
		return s.Stage()
	}
	return screen.Stage{}
}
