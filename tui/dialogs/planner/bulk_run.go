package planner

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// bulkOutcomes are what became of the items so far: the source of a grid.
type bulkOutcomes struct{ list []session.BulkOutcome }

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
func bulkBadge(status session.BulkStatus) widget.Cell {
	sign, role := "✗ ", widget.RoleBad
	switch status {
	case session.BulkCommitted:
		sign, role = "✓ ", widget.RoleGood
	case session.BulkConflict:
		sign, role = "≠ ", widget.RoleWarn
	case session.BulkSkipped:
		sign, role = "· ", widget.RoleMuted
	case session.BulkUnknown:
		sign = "? "
	case session.BulkRefused, session.BulkFailed:
	}
	return widget.Cell{Text: sign + string(status), Role: role}
}

// bulkSteppedMsg says what became of the next item.
type bulkSteppedMsg struct {
	box     *bulkBox
	outcome session.BulkOutcome
}

// bulkEndedMsg says that nothing is under way any more.
type bulkEndedMsg struct {
	box *bulkBox
	sum session.BulkSummary
	err error
}

// bulkTickedMsg moves the progress bar.
type bulkTickedMsg struct{ box *bulkBox }

// run begins. The items are carried out by one command; another hears of each.
func (x *bulkBox) run() tea.Cmd {
	ctx, stop := context.WithCancel(context.Background())
	x.stop, x.Phase, x.writing = stop, BulkRuns, &writing{done: make(chan struct{})}
	b, s, w := x.bulk, x.env.Session, x.writing
	b.Inputs, b.Reason = x.inputs()
	// As long as all of them, so that a change never waits for the screen.
	outcomes := make(chan session.BulkOutcome, len(b.Items))
	x.outcome = outcomes
	return tea.Batch(x.ticked(), x.listen(), func() tea.Msg {
		defer close(outcomes)
		if !w.Start() {
			return nil
		}
		defer close(w.done)
		sum, err := s.RunBulk(ctx, b, func(o session.BulkOutcome) { outcomes <- o })
		return bulkEndedMsg{x, sum, err}
	})
}

// listen waits for the next outcome.
func (x *bulkBox) listen() tea.Cmd {
	outcomes := x.outcome
	return func() tea.Msg {
		if o, more := <-outcomes; more {
			return bulkSteppedMsg{x, o}
		}
		return nil
	}
}

func (x *bulkBox) ticked() tea.Cmd {
	return tea.Tick(widget.BusyFrame, func(time.Time) tea.Msg { return bulkTickedMsg{x} })
}

// progressed takes in what came of an item, or that all are done.
func (x *bulkBox) progressed(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case bulkTickedMsg:
		if msg.box != x || x.Phase != BulkRuns {
			return nil
		}
		x.elapsed += widget.BusyFrame
		return x.ticked()
	case bulkSteppedMsg:
		if msg.box != x {
			return nil
		}
		if x.Phase == BulkRuns {
			x.HeardOf(msg.outcome)
		}
		return x.listen()
	case bulkEndedMsg:
		if msg.box != x {
			return nil
		}
		x.stop()
		// What was not heard of yet comes with the summary.
		for _, o := range msg.sum.Outcomes[min(x.outcomes.Len(), len(msg.sum.Outcomes)):] {
			x.HeardOf(o)
		}
		x.Phase, x.sum, x.err = BulkDone, msg.sum, msg.err
		x.grid.SetCursor(x.firstBad())
	}
	return nil
}

// firstBad is the first item that was not committed: what a person has to look
// at. It is the first item when all were.
func (x *bulkBox) firstBad() int {
	for i, o := range x.outcomes.list {
		if o.Status != session.BulkCommitted {
			return i
		}
	}
	return 0
}

func (x *bulkBox) HeardOf(o session.BulkOutcome) {
	x.outcomes.list = append(x.outcomes.list, o)
	if x.outcomes.Len() == 1 {
		x.grid.SetSource(x.outcomes)
	}
	x.grid.SetCursor(x.outcomes.Len() - 1)
	if x.Heard != nil {
		x.Heard(o)
	}
}

// counts lists how many items had which outcome, in the order of importance.
func (x *bulkBox) counts() []bulkCount {
	var list []bulkCount
	for _, status := range session.BulkStatuses() {
		n := 0
		for _, o := range x.outcomes.list {
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
	status session.BulkStatus
	n      int
}
