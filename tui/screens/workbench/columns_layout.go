package workbench

import (
	"github.com/ddbdesk/ddbdesk/tui/results"
)

// relaid shows a layout.
func (j *job) relaid(cols []results.Column) {
	j.rows.SetLayout(cols)
	j.grid.SetColumns(j.rows.Columns()...)
}
