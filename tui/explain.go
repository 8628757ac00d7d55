// This file leads to what explains the schema: the map and the findings.

package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screens"
)

// findingCommands are the findings of the profile, found by what they say.
func (m *Model) findingCommands() []screens.Command {
	var list []screens.Command
	for _, f := range m.env.Session.Profile().Findings {
		list = append(list, screens.Command{
			ID: "finding " + f.ID, Kind: "flaw", Title: f.ID + " " + screens.FindingTitle(f), Note: strings.ToLower(string(f.Kind)),
			Words: "finding " + f.ID,
			Run:   func() tea.Cmd { return m.show(screens.Findings{ID: f.ID}) },
		})
	}
	return list
}

// entityCommands are the entities of the profile, on the schema map.
func (m *Model) entityCommands() []screens.Command {
	var list []screens.Command
	for _, e := range m.env.Session.Profile().Entities {
		list = append(list, screens.Command{
			ID: "entity " + e.Name, Kind: "entity", Title: e.Name, Note: e.Title, Words: "entity schema map keys " + e.Table.Name,
			Run: func() tea.Cmd { return m.show(screens.Map{Entity: e}) },
		})
	}
	return list
}

// openMap shows the schema map, on what is in view.
func (m *Model) openMap() tea.Cmd {
	on := m.subject()
	if on.Pattern != nil {
		return m.open(screens.Map{Pattern: on.Pattern})
	}
	return m.open(screens.Map{Entity: on.Entity})
}

// openFindings shows the findings, on the first about what is in view.
func (m *Model) openFindings() tea.Cmd {
	if list := m.subject().Findings; len(list) > 0 {
		return m.open(screens.Findings{ID: list[0].ID})
	}
	return m.open(screens.Findings{})
}

// subject is what the screen in view is about.
func (m *Model) subject() screens.Subject {
	if s, ok := m.top().screen.(screens.Explained); ok {
		return s.Subject()
	}
	return screens.Subject{}
}
