package workbench

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// rearrange filters and sorts the rows of a job as is asked. The cursor
// stays on its item; while a filter is typed on that which it was on before, so
// that where it ends up does not hang on how fast one types.
func (rn *runner) rearrange(j *job) tea.Cmd {
	at := j.place()
	if rn.b.filtering.finding {
		at = j.anchor
	}
	cmd := j.rows.Arrange()
	if rn.b.filtering.finding && j.rows.Work != nil {
		j.rows.Work.Back = &at
	}
	j.settle(at)
	rn.b.draw.preview.Forget()
	return cmd
}

// tookRows takes in what a step found, unless something else is asked for by now.
func (rn *runner) tookRows(msg results.ArrangedMsg) tea.Cmd {
	j := rn.b.jobs[msg.Pattern]
	if j == nil {
		return nil
	}
	at := j.place()
	if w := j.rows.Work; w != nil && w.ID == msg.Work.ID && w.Back != nil {
		at = *w.Back
	}
	cmd := j.rows.Arranged(msg)
	j.settle(at)
	rn.b.draw.preview.Forget()
	return cmd
}

// readOn takes in that rows were added to a job.
func (rn *runner) readOn(j *job) tea.Cmd {
	at, back := j.rows.CursorFound()
	if j.rows.Work == nil && (j.rows.Filtered() || j.rows.By.Order != widget.Unsorted) {
		cmd := rn.rearrange(j)
		if back {
			j.rows.Work.Back = &results.Position{Row: at, At: at}
		}
		return cmd
	}
	if back {
		j.settle(results.Position{Row: at, At: at})
	}
	if j.loading() && j.rows.CanWait() {
		return nil // The end of the load takes them in at the latest.
	}
	return j.rows.Continue()
}

// place is where the cursor is.
func (j *job) place() results.Position {
	row := j.grid.Cursor()
	if row < 0 || row >= j.rows.Len() {
		return results.Position{Row: -1, At: -1}
	}
	return results.Position{Row: row, At: j.rows.At(row)}
}

// settle brings the cursor back to its item, or to its row when that is gone,
// and shows the columns that there are now.
func (j *job) settle(was results.Position) {
	valued := j.rows.HasValues()
	if valued != slices.ContainsFunc(
		j.rows.Shown, func(c results.Column) bool { return c.Key == results.QueryColumn },
	) || valued && j.rows.Laid != j.rows.View.ID {
		j.relaid(j.rows.Layout)
		if valued {
			j.rows.Laid = j.rows.View.ID // Another expression makes values of other widths.
		}
	}
	if was.At < 0 {
		return
	}
	row := j.rows.Find(was.At)
	if row < 0 {
		row = min(was.Row, max(j.rows.Len()-1, 0))
	}
	j.grid.SetCursor(row)
}
