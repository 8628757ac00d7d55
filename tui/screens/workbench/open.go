package workbench

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// submitOnce opens the first row when it arrives if the same request is already waiting for it.
func (j *job) submitOnce() tea.Cmd {
	if j.opens = j.busy() && j.gridded() && j.rows.Items.Len() == 0 && j.ask.line.Request == j.sent; j.opens {
		return nil
	}
	return j.submit()
}

func (j *job) openRow() tea.Cmd {
	it, _, ok := j.rows.Selected()
	if !ok {
		return nil
	}
	return screen.Open(screen.Item{Table: j.pattern.Table, Item: it, Among: j.rows.Among()})
}

func (j *job) openKept() tea.Cmd {
	if !j.opens || j.busy() && j.rows.Len() == 0 {
		return nil
	}
	j.opens = false
	if j.b.job != j || j.b.Boxed() {
		return nil
	}
	return j.openRow()
}
