// This file leads from an item to its comparison with another state or item.

package screens

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

// OpenItem returns the screen of the item that a message names.
func OpenItem(env *Env, msg ItemMsg) Screen {
	s := NewItem(env, msg.Table, msg.Item)
	if it, ok := s.(*itemScreen); ok {
		it.among = msg.Among
	}
	return s
}

// among are the rows that an item is compared with: those that are marked, then
// those on the screen and around it.
func among(r *rows) []models.Item {
	list := r.marked().first(compareRows).items()
	for i := range min(r.Len(), compareRows) {
		list = append(list, r.items.At(r.at(i)))
	}
	return list
}

// compare opens the comparison with the item as it is on the left.
func (s *itemScreen) compare() tea.Cmd {
	with := compareWith{rows: s.among, as: "as it is"}
	switch s.read.state {
	case readGone:
		with.as = "as it was"
	case readNone, readRunning, readFailed, readCancelled:
		with.as = "as the list showed it"
	case readDone:
	}
	if !models.EqualItems(s.row, s.item) {
		with.row = s.row
	}
	return Send(OpenMsg{newCompare(s.env, s.table, s.item, with)})
}
