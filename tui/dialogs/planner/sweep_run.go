package planner

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// sweepOutcomes are what became of the items so far: the source of a grid.
type sweepOutcomes struct{ list []sweep.Outcome }

// Len is the number of items that are done.
func (o *sweepOutcomes) Len() int { return len(o.list) }

// Cell presents an outcome.
func (o *sweepOutcomes) Cell(row, col int) widget.Cell {
	out := o.list[row]
	switch col {
	case 0:
		return sweepBadge(out.Status)
	case 1:
		return widget.Cell{Text: out.Key}
	}
	return widget.Cell{Text: out.Why, Role: widget.RoleMuted}
}

func sweepBadge(status sweep.Status) widget.Cell {
	sign, role := "✗ ", widget.RoleBad
	switch status {
	case sweep.Committed, sweep.Earlier:
		sign, role = "✓ ", widget.RoleGood
	case sweep.Conflict:
		sign, role = "≠ ", widget.RoleWarn
	case sweep.Skipped:
		sign, role = "· ", widget.RoleMuted
	case sweep.Unknown:
		sign = "? "
	case sweep.Refused, sweep.Failed:
	}
	return widget.Cell{Text: sign + string(status), Role: role}
}

// sweepSteppedMsg says what became of the next item.
type sweepSteppedMsg struct {
	run     *sweepRun
	outcome sweep.Outcome
}

// Committed returns the items of the outcome as they are now.
func (m sweepSteppedMsg) Committed() []screen.Committed { return committedBy(m.outcome.Done) }

// sweepEndedMsg says that nothing is under way any more.
type sweepEndedMsg struct {
	run *sweepRun
	sum sweep.Summary
	err error
}

// Committed returns the items of all outcomes: the screen may not have heard of the last.
func (m sweepEndedMsg) Committed() []screen.Committed {
	var list []screen.Committed
	for _, o := range m.sum.Outcomes {
		list = append(list, committedBy(o.Done)...)
	}
	return list
}

// sweepTickedMsg moves the progress bar.
type sweepTickedMsg struct{ run *sweepRun }

func (rn *sweepRun) run() tea.Cmd {
	ctx, stop := context.WithCancel(rn.b.env.Context)
	rn.stop, rn.b.Phase, rn.writing = stop, SweepRuns, screen.NewWriting()
	b, s, w := rn.b.sweep, rn.b.env.Workspace, rn.writing
	b.Inputs, b.Reason = rn.b.inputs()
	// As long as all of them, so that a change never waits for the screen.
	outcomes := make(chan sweep.Outcome, len(b.Items))
	rn.outcome = outcomes
	return tea.Batch(rn.ticked(), rn.listen(), func() tea.Msg {
		defer close(outcomes)
		if !w.Start() {
			return nil
		}
		defer w.End()
		sum, err := s.Sweeps.Apply(ctx, b, func(o sweep.Outcome) { outcomes <- o })
		return sweepEndedMsg{rn, sum, err}
	})
}

func (rn *sweepRun) listen() tea.Cmd {
	outcomes := rn.outcome
	return func() tea.Msg {
		if o, more := <-outcomes; more {
			return sweepSteppedMsg{rn, o}
		}
		return nil
	}
}

func (rn *sweepRun) ticked() tea.Cmd {
	return tea.Tick(widget.BusyFrame, func(time.Time) tea.Msg { return sweepTickedMsg{rn} })
}

// progressed drops a message of an earlier run, such as that of the change that this one undoes.
func (rn *sweepRun) progressed(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sweepTickedMsg:
		if msg.run != rn || rn.b.Phase != SweepRuns {
			return nil
		}
		rn.elapsed += widget.BusyFrame
		return rn.ticked()
	case sweepSteppedMsg:
		if msg.run != rn {
			return nil
		}
		if rn.b.Phase == SweepRuns {
			rn.HeardOf(msg.outcome)
		}
		return rn.listen()
	case sweepEndedMsg:
		if msg.run != rn {
			return nil
		}
		rn.stop()
		// What was not heard of yet comes with the summary.
		for _, o := range msg.sum.Outcomes[min(rn.outcomes.Len(), len(msg.sum.Outcomes)):] {
			rn.HeardOf(o)
		}
		rn.b.Phase, rn.sum, rn.err = SweepDone, msg.sum, msg.err
		rn.b.grid.SetCursor(rn.firstBad())
	}
	return nil
}

func (rn *sweepRun) firstBad() int {
	for i, o := range rn.outcomes.list {
		if o.Status != sweep.Committed {
			return i
		}
	}
	return 0
}

func (rn *sweepRun) HeardOf(o sweep.Outcome) {
	rn.outcomes.list = append(rn.outcomes.list, o)
	if rn.outcomes.Len() == 1 {
		rn.b.grid.SetSource(rn.outcomes)
	}
	rn.b.grid.SetCursor(rn.outcomes.Len() - 1)
	if rn.b.Heard != nil {
		rn.b.Heard(o)
	}
}

// capacity is in write units. Servers that do not report it leave it at 0.
func (rn *sweepRun) capacity() float64 {
	sum := 0.0
	for _, o := range rn.outcomes.list {
		if o.Done != nil {
			sum += o.Done.Capacity
		}
	}
	return sum
}

func (rn *sweepRun) counts() []sweepCount {
	var list []sweepCount
	for _, status := range sweep.Statuses() {
		n := 0
		for _, o := range rn.outcomes.list {
			if o.Status == status {
				n++
			}
		}
		if n > 0 {
			list = append(list, sweepCount{status, n})
		}
	}
	return list
}

type sweepCount struct {
	status sweep.Status
	n      int
}
