package screens

import (
	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

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
	with := Compare{Table: s.table, Item: s.item, Rows: s.among, As: "as it is"}
	switch s.read.state {
	case readGone:
		with.As = "as it was"
	case readNone, readRunning, readFailed, readCancelled:
		with.As = "as the list showed it"
	case readDone:
	}
	if !models.EqualItems(s.row, s.item) {
		with.Row = s.row
	}
	return Open(with)
}
