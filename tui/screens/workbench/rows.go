package workbench

import (
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/results"
)

// selected is the row under the cursor, raw and as it may be shown.
func (j *job) selected() (models.Item, *results.Row, bool) {
	i := j.grid.Cursor()
	if i < 0 || i >= j.rows.Len() {
		return nil, nil, false
	}
	return j.rows.Items.At(j.rows.At(i)), j.rows.Row(i), true
}
