package planner

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// bulkOutcomes are what became of the items so far: the source of a grid.
type bulkOutcomes struct{ list []changes.BulkOutcome }

// Len is the number of items that are done.
func (o *bulkOutcomes) Len() int { return len(o.list) }

// Cell presents an outcome.
func (o *bulkOutcomes) Cell(row, col int) widget.Cell {
	out := o.list[row]
	switch col {
	case 0:
		return bulkBadge(out.Status)
	case 1:
		return widget.Cell{Text: out.Key}
	}
	return widget.Cell{Text: out.Why, Role: widget.RoleMuted}
}

// bulkBadge is an outcome as a sign and a word.
func bulkBadge(status changes.BulkStatus) widget.Cell {
	sign, role := "✗ ", widget.RoleBad
	switch status {
	case changes.BulkCommitted:
		sign, role = "✓ ", widget.RoleGood
	case changes.BulkConflict:
		sign, role = "≠ ", widget.RoleWarn
	case changes.BulkSkipped:
		sign, role = "· ", widget.RoleMuted
	case changes.BulkUnknown:
		sign = "? "
	case changes.BulkRefused, changes.BulkFailed:
	}
	return widget.Cell{Text: sign + string(status), Role: role}
}

// bulkSteppedMsg says what became of the next item.
type bulkSteppedMsg struct {
	box     *BulkDialog
	outcome changes.BulkOutcome
}

// Committed returns the items of the outcome as they are now.
func (m bulkSteppedMsg) Committed() []screen.Committed { return committedBy(m.outcome.Done) }

// bulkEndedMsg says that nothing is under way any more.
type bulkEndedMsg struct {
	box *BulkDialog
	sum changes.BulkSummary
	err error
}

// Committed returns the items of all outcomes: the screen may not have heard of the last.
func (m bulkEndedMsg) Committed() []screen.Committed {
	var list []screen.Committed
	for _, o := range m.sum.Outcomes {
		list = append(list, committedBy(o.Done)...)
	}
	return list
}

// bulkTickedMsg moves the progress bar.
type bulkTickedMsg struct{ box *BulkDialog }

// run begins. The items are carried out by one command; another hears of each.
func (rn *bulkRun) run() tea.Cmd {
	ctx, stop := context.WithCancel(rn.b.env.Context)
	rn.stop, rn.b.Phase, rn.writing = stop, BulkRuns, &writing{done: make(chan struct{})}
	b, s, w := rn.b.bulk, rn.b.env.Workspace, rn.writing
	b.Inputs, b.Reason = rn.b.inputs()
	// As long as all of them, so that a change never waits for the screen.
	outcomes := make(chan changes.BulkOutcome, len(b.Items))
	rn.outcome = outcomes
	return tea.Batch(rn.ticked(), rn.listen(), func() tea.Msg {
		defer close(outcomes)
		if !w.Start() {
			return nil
		}
		defer close(w.done)
		sum, err := s.Committer.RunBulk(ctx, b, func(o changes.BulkOutcome) { outcomes <- o })
		return bulkEndedMsg{rn.b, sum, err}
	})
}

// listen waits for the next outcome.
func (rn *bulkRun) listen() tea.Cmd {
	outcomes := rn.outcome
	return func() tea.Msg {
		if o, more := <-outcomes; more {
			return bulkSteppedMsg{rn.b, o}
		}
		return nil
	}
}

func (rn *bulkRun) ticked() tea.Cmd {
	return tea.Tick(widget.BusyFrame, func(time.Time) tea.Msg { return bulkTickedMsg{rn.b} })
}

// progressed takes in what came of an item, or that all are done.
func (rn *bulkRun) progressed(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case bulkTickedMsg:
		if msg.box != rn.b || rn.b.Phase != BulkRuns {
			return nil
		}
		rn.elapsed += widget.BusyFrame
		return rn.ticked()
	case bulkSteppedMsg:
		if msg.box != rn.b {
			return nil
		}
		if rn.b.Phase == BulkRuns {
			rn.HeardOf(msg.outcome)
		}
		return rn.listen()
	case bulkEndedMsg:
		if msg.box != rn.b {
			return nil
		}
		rn.stop()
		// What was not heard of yet comes with the summary.
		for _, o := range msg.sum.Outcomes[min(rn.outcomes.Len(), len(msg.sum.Outcomes)):] {
			rn.HeardOf(o)
		}
		rn.b.Phase, rn.sum, rn.err = BulkDone, msg.sum, msg.err
		rn.b.grid.SetCursor(rn.firstBad())
	}
	return nil
}

// firstBad is the first item that was not committed: what a person has to look
// at. It is the first item when all were.
func (rn *bulkRun) firstBad() int {
	for i, o := range rn.outcomes.list {
		if o.Status != changes.BulkCommitted {
			return i
		}
	}
	return 0
}

func (rn *bulkRun) HeardOf(o changes.BulkOutcome) {
	rn.outcomes.list = append(rn.outcomes.list, o)
	if rn.outcomes.Len() == 1 {
		rn.b.grid.SetSource(rn.outcomes)
	}
	rn.b.grid.SetCursor(rn.outcomes.Len() - 1)
	if rn.b.Heard != nil {
		rn.b.Heard(o)
	}
}

// counts lists how many items had which outcome, in the order of importance.
func (rn *bulkRun) counts() []bulkCount {
	var list []bulkCount
	for _, status := range changes.BulkStatuses() {
		n := 0
		for _, o := range rn.outcomes.list {
			if o.Status == status {
				n++
			}
		}
		if n > 0 {
			list = append(list, bulkCount{status, n})
		}
	}
	return list
}

type bulkCount struct {
	status changes.BulkStatus
	n      int
}
