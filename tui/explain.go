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
			Run:   func() tea.Cmd { return m.push(screens.NewFindingsAt(m.env, f.ID)) },
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
			Run: func() tea.Cmd { return m.push(screens.NewMapOf(m.env, e)) },
		})
	}
	return list
}

// openMap shows the schema map, on what is in view.
func (m *Model) openMap() tea.Cmd {
	from := m.top().screen
	return m.open(func(env *screens.Env) screens.Screen { return screens.NewMapFrom(env, from) })
}

// openFindings shows the findings, on the first about what is in view.
func (m *Model) openFindings() tea.Cmd {
	from := m.top().screen
	return m.open(func(env *screens.Env) screens.Screen { return screens.NewFindingsFrom(env, from) })
}
