package workbench

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/results"
)

// markAll marks every row that the filter lets through; when all of them are,
// it takes their marks away.
func (ra *rowActions) markAll() tea.Cmd {
	r := results.MarkedRows{Rows: ra.b.job.rows}
	if r.Len() == r.Items.Len() { // Each is there once.
		r.Marks.Toggle(r.Items.Len())
		return nil
	}
	all := true
	for i := range r.Len() {
		all = all && r.Marked(i)
	}
	for i := range r.Len() {
		r.SetMarked(i, !all)
	}
	return nil
}

// mark marks the row under the cursor and goes to the next.
func (ra *rowActions) mark() tea.Cmd {
	g := ra.b.job.grid
	g.ToggleMark(g.Cursor())
	g.SetCursor(g.Cursor() + 1)
	ra.b.draw.preview.Forget()
	return nil
}

// noRows says why nothing can be done with rows.
func (ra *rowActions) noRows() string {
	if ra.b.job == nil || !ra.b.job.gridded() || ra.b.job.rows.Items.Len() == 0 {
		return "there are no rows yet"
	}
	return ""
}

// onRows says why nothing can be done with the row under the cursor.
func (ra *rowActions) onRows() string {
	switch {
	case ra.noRows() != "":
		return ra.noRows()
	case ra.b.job.rows.Len() == 0:
		return "no row passes the filter"
	case ra.b.focus != paneRows:
		return "go to the rows first: tab"
	}
	return ""
}
