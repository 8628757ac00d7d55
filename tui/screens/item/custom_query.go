package item

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// customQuery opens the query dialog for the table, filled with the visible part of the item's key.
func (s *itemScreen) customQuery() tea.Cmd {
	query := screen.CustomQuery{Table: s.table}
	for _, k := range s.table.PrimaryKeys() {
		if text, ok := models.ValueText(s.facts.masked[k.Name]); ok && !models.IsMasked(s.facts.masked[k.Name]) {
			query.Query.Key = append(query.Query.Key, raw.Assignment{Name: raw.Name{Path: []string{k.Name}}, Value: text}.String())
		}
	}
	return screen.Open(screen.Patterns{Custom: &query})
}
