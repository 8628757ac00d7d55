package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// navigator opens screens, patterns, queues and pasted text.
type navigator struct {
	m *Model
}

func (f *finder) findingCommands() []screen.Command {
	var list []screen.Command
	for _, issue := range f.m.env.Session.Profile().Findings {
		list = append(list, screen.Command{
			ID: "finding " + issue.ID, Kind: "issue", Title: issue.ID + " " + present.FindingTitle(issue),
			Note:  strings.ToLower(string(issue.Kind)),
			Words: "finding " + issue.ID,
			Run:   func() tea.Cmd { return f.m.show(screen.Findings{ID: issue.ID}) },
		})
	}
	return list
}

func (f *finder) entityCommands() []screen.Command {
	var list []screen.Command
	for _, e := range f.m.env.Session.Profile().Entities {
		list = append(list, screen.Command{
			ID: "entity " + e.Name, Kind: "entity", Title: e.Name, Note: e.Title, Words: "entity schema map keys " + e.Table.Name,
			Run: func() tea.Cmd { return f.m.show(screen.Map{Entity: e}) },
		})
	}
	return list
}

func (op *navigator) openMap() tea.Cmd {
	on := op.subject()
	if on.Pattern != nil {
		return op.m.open(screen.Map{Pattern: on.Pattern})
	}
	return op.m.open(screen.Map{Entity: on.Entity})
}

func (op *navigator) openFindings() tea.Cmd {
	if list := op.subject().Findings; len(list) > 0 {
		return op.m.open(screen.Findings{ID: list[0].ID})
	}
	return op.m.open(screen.Findings{})
}

func (op *navigator) subject() screen.Subject {
	if s, ok := op.m.screens.top().screen.(screen.Explained); ok {
		return s.Subject()
	}
	return screen.Subject{}
}
