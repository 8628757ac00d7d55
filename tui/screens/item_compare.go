// This file leads from an item to its comparison with another state or item.

package screens

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

// compare opens the comparison with the item as it is on the left.
func (s *itemScreen) compare() tea.Cmd {
	with := compareWith{}
	if !models.EqualItems(s.row, s.item) {
		with.row = s.row
	}
	return Send(OpenMsg{newCompare(s.env, s.table, s.item, with)})
}
