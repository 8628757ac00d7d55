package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

type tour struct {
	active      bool
	step        int
	itemChanged bool   // another user changed the item of the current plan
	oldState    string // state of the item before that change
}

// A tourStep is one task of the tour.
type tourStep struct {
	text    func(m *Model) string
	done    func(m *Model, at screen.Stage) bool
	usesEsc bool // esc belongs to the step and does not end the tour
	// needsQueue marks a step that needs a queue. The tour skips it if the schema has no queues.
	needsQueue bool
}

// tourSteps covers the main tasks: find, read, decode, change, resolve a conflict, undo, and open the user's own table.
var tourSteps = []tourStep{
	{
		text: (*Model).tourFind,
		done: func(_ *Model, at screen.Stage) bool { return at.Place == "item" || at.Place == "home" && at.Rows > 0 },
	},
	{
		text: func(*Model) string {
			return "Select an item with ◐, which is still open, and press enter. If a row represents several items, press enter to list them first."
		},
		done: func(_ *Model, at screen.Stage) bool { return at.Place == "item" },
	},
	{
		text: func(*Model) string {
			return "The first lines show its state and the next possible states. Press 2 for its history: events with their time and user."
		},
		done: func(_ *Model, at screen.Stage) bool { return at.ShowsPath },
	},
	{
		text: func(*Model) string { return "Press 4 to see how each of its keys is composed of its attributes." },
		done: func(_ *Model, at screen.Stage) bool { return at.ShowsKeys },
	},
	{
		text: func(m *Model) string {
			return fmt.Sprintf(
				"Press %s, then k, to copy its key. Then paste it: the decoder explains any key, ID or item.", m.keyOf("copy", "y"),
			)
		},
		done:    func(_ *Model, at screen.Stage) bool { return at.Decoded },
		usesEsc: true,
	},
	{
		text: func(m *Model) string {
			first := ""
			if m.tourStage().Place == "decode" {
				first = "esc, then "
			}
			return fmt.Sprintf("Items that need a decision are in queues, the oldest first. Press %s%s to open them.",
				first, m.keyOf("inbox", "i"))
		},
		done:    func(_ *Model, at screen.Stage) bool { return at.ShowsQueue },
		usesEsc: true, needsQueue: true,
	},
	{
		text:    (*Model).tourDecide,
		done:    func(m *Model, at screen.Stage) bool { return at.Conflict || at.Changed && m.o.ConflictingChange == nil },
		usesEsc: true, needsQueue: true,
	},
	{
		text:    (*Model).tourRetry,
		done:    func(_ *Model, at screen.Stage) bool { return at.Changed },
		usesEsc: true, needsQueue: true,
	},
	{
		text: func(m *Model) string {
			switch at := m.tourStage(); {
			case at.Plan != nil:
				return "This plan undoes the change. Press tab and enter to apply it."
			case at.Planning && !at.Changed:
				return "Press enter to see the plan of the undo."
			}
			return fmt.Sprintf("Done, with an audit entry. Choose Undo here, or press esc and %s. "+
				"An undo is a change too, with a plan and checks.",
				m.keyOf("undo-last", "o U"))
		},
		done:    func(_ *Model, at screen.Stage) bool { return at.Undone },
		usesEsc: true, needsQueue: true,
	},
	{
		text:    (*Model).tourOwnTable,
		done:    func(_ *Model, at screen.Stage) bool { return at.Place == "home" },
		usesEsc: true,
	},
}

func (m *Model) tourFind() string {
	text := "paste an ID, a key or an email address, and press enter."
	if m.o.TourID != "" {
		text = "type " + m.o.TourID + ", the ID of a client in a ticket, and press enter."
	}
	if m.tourStage().Place != "home" {
		return fmt.Sprintf("Find searches every schema. Press %s, then %s", m.keyOf("home", "alt+home"), text)
	}
	return "Find searches every schema: " + text
}

func (m *Model) tourOwnTable() string {
	first := ""
	if m.tourStage().Covered {
		first = "esc, then "
	}
	return fmt.Sprintf(
		"Your own table needs no schema: start ddbdesk with its name, or select it on home. Press %s%s; there, ctrl+o n drafts a schema.",
		first, m.keyOf("home", "alt+home"),
	)
}

func (m *Model) tourDecide() string {
	switch at := m.tourStage(); {
	case at.Plan != nil && m.o.ConflictingChange != nil:
		return "The plan shows every write. Press tab and enter to apply it. In this demo, another user changes the item first."
	case at.Plan != nil:
		return "The plan shows every write. Press tab and enter to apply it."
	case at.Planning:
		return "Press enter to see the plan. Nothing is written yet."
	case at.Place != "queue":
		return "Go back to the queue."
	}
	return "Press o to list the actions for the selected row, then a."
}

func (m *Model) tourRetry() string {
	switch at := m.tourStage(); {
	case at.Conflict:
		return "Another user changed the item first. Nothing was written, and the dialog shows the changes. Press esc."
	case at.Plan != nil:
		return "Press tab and enter to apply it."
	case at.Planning:
		return "Press enter to see the plan."
	}
	return present.Join("Select another item", m.tour.oldState, " with status ") + ", and press o, then a."
}

func (m *Model) keyOf(name, fallback string) string {
	for _, as := range []widget.Actions{m.top().screen.Actions(), m.actions} {
		if a, ok := as.Named(name); ok && a.Keys() != "" {
			return a.Keys()
		}
	}
	return fallback
}

func (m *Model) endTour() {
	m.tour.active = false
	m.arrange()
	if m.o.TourSeen != nil {
		m.o.TourSeen()
	}
}

func (m *Model) advanceTour() tea.Cmd {
	if !m.tour.active {
		return nil
	}
	at := m.tourStage()
	if !tourSteps[m.tour.step].done(m, at) {
		return m.startConflict(at)
	}
	for m.tour.step++; m.tour.step < len(tourSteps) && tourSteps[m.tour.step].needsQueue && m.hasNoQueue(); {
		m.tour.step++
	}
	if m.tour.step < len(tourSteps) {
		return nil
	}
	m.endTour()
	return m.notify(
		widget.RoleGood,
		fmt.Sprintf("Tour complete. Press %s for help, %s for the schema map, %s to find anything",
			m.keyOf("help", "?"), m.keyOf("schema", "S"), m.keyOf("palette", ":")),
	)
}

func (m *Model) hasNoQueue() bool {
	return m.isDetached() ||
		!slices.ContainsFunc(m.env.Session.Profile().Queues, func(q *change.Queue) bool { return len(q.Params) == 0 })
}

func (m *Model) startConflict(at screen.Stage) tea.Cmd {
	if m.tour.itemChanged || at.Plan == nil || !tourSteps[m.tour.step].needsQueue || m.o.ConflictingChange == nil {
		return nil
	}
	m.tour.itemChanged, m.tour.oldState = true, at.Plan.From
	ctx, w, plan, conflicting := m.o.Context, m.env.Workspace, at.Plan, m.o.ConflictingChange
	return func() tea.Msg {
		if err := conflicting(ctx, w, plan); err != nil {
			return screen.NoticeMsg{Text: "the tour cannot change the item: " + err.Error(), Bad: true}
		}
		return nil
	}
}

func (m *Model) tourCommands() []screen.Command {
	c := screen.Command{
		ID: "tour", Section: "Everywhere", Kind: "help", Title: "Start the tour: ten things to try on the real screens",
		Words: "tour tutorial introduction learn",
		Run: func() tea.Cmd {
			m.tour = tour{active: true}
			m.arrange()
			return nil
		},
	}
	if m.tour.active {
		c.Title = "End the tour"
		c.Run = func() tea.Cmd {
			m.endTour()
			return nil
		}
	}
	return []screen.Command{c}
}

// wideCard is the minimum width, in cells, for tour texts on two lines. A narrower card uses three lines.
const wideCard = 80

func (m *Model) tourHeight() int {
	switch {
	case !m.tour.active:
		return 0
	case m.w < wideCard:
		return 5
	}
	return 4
}

func (m *Model) view(w int) string {
	lines := widget.Wrap(m.styles, widget.RoleText, tourSteps[m.tour.step].text(m), max(w-4, 1))
	hint := "esc end the tour"
	if tourSteps[m.tour.step].usesEsc {
		hint = ": end the tour"
	}
	card := widget.Panel{Title: fmt.Sprintf("Tour %d of %d", m.tour.step+1, len(tourSteps)), Note: hint, Role: widget.RoleGood}
	return card.Render(m.styles, " "+strings.Join(lines, "\n "), w, m.tourHeight())
}

func (m *Model) tourStage() screen.Stage {
	if s, ok := m.top().screen.(screen.Stager); ok {
		return s.Stage()
	}
	return screen.Stage{}
}
