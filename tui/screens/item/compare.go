package item

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// compare opens the comparison with the item as it is on the left.
func (s *itemScreen) compare() tea.Cmd {
	with := screen.Compare{Table: s.table, Item: s.item, Rows: s.among, As: "as it is"}
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
	return screen.Open(with)
}
