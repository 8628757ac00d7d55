package item

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// compare opens the comparison with the item as it is on the left.
func (ia *itemActions) compare() tea.Cmd {
	with := screen.Compare{Table: ia.s.table, Item: ia.s.item, Rows: ia.s.among, As: "as it is"}
	switch ia.s.read.state {
	case readGone:
		with.As = "as it was"
	case readNone, readRunning, readFailed, readCancelled:
		with.As = "as the list showed it"
	case readDone:
	}
	if !models.EqualItems(ia.s.row, ia.s.item) {
		with.Row = ia.s.row
	}
	return screen.Open(with)
}
