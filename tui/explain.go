package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func (m *Model) findingCommands() []screen.Command {
	var list []screen.Command
	for _, issue := range m.env.Session.Profile().Findings {
		list = append(list, screen.Command{
			ID: "finding " + issue.ID, Kind: "issue", Title: issue.ID + " " + present.FindingTitle(issue),
			Note:  strings.ToLower(string(issue.Kind)),
			Words: "finding " + issue.ID,
			Run:   func() tea.Cmd { return m.show(screen.Findings{ID: issue.ID}) },
		})
	}
	return list
}

func (m *Model) entityCommands() []screen.Command {
	var list []screen.Command
	for _, e := range m.env.Session.Profile().Entities {
		list = append(list, screen.Command{
			ID: "entity " + e.Name, Kind: "entity", Title: e.Name, Note: e.Title, Words: "entity schema map keys " + e.Table.Name,
			Run: func() tea.Cmd { return m.show(screen.Map{Entity: e}) },
		})
	}
	return list
}

func (m *Model) openMap() tea.Cmd {
	on := m.subject()
	if on.Pattern != nil {
		return m.open(screen.Map{Pattern: on.Pattern})
	}
	return m.open(screen.Map{Entity: on.Entity})
}

func (m *Model) openFindings() tea.Cmd {
	if list := m.subject().Findings; len(list) > 0 {
		return m.open(screen.Findings{ID: list[0].ID})
	}
	return m.open(screen.Findings{})
}

func (m *Model) subject() screen.Subject {
	if s, ok := m.top().screen.(screen.Explained); ok {
		return s.Subject()
	}
	return screen.Subject{}
}
