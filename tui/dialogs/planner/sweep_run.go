package planner

import (
	"context"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// sweepOutcomes are what became of the items so far: the source of a grid.
type sweepOutcomes struct{ list []changes.Outcome }

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

func sweepBadge(status changes.Status) widget.Cell {
	sign, role := "✗ ", widget.RoleBad
	switch status {
	case changes.Committed, changes.Earlier:
		sign, role = "✓ ", widget.RoleGood
	case changes.Conflict:
		sign, role = "≠ ", widget.RoleWarn
	case changes.Skipped:
		sign, role = "· ", widget.RoleMuted
	case changes.Unknown:
		sign = "? "
	case changes.Refused, changes.Failed:
	}
	return widget.Cell{Text: sign + string(status), Role: role}
}

// sweepSteppedMsg says what became of the next item.
type sweepSteppedMsg struct {
	run     *sweepRun
	outcome changes.Outcome
}

// Committed returns the items of the outcome as they are now.
func (m sweepSteppedMsg) Committed() []screen.Committed { return committedBy(m.outcome.Done) }

// sweepEndedMsg says that nothing is under way any more.
type sweepEndedMsg struct {
	run *sweepRun
	sum changes.Summary
	all []changes.Outcome
	err error
}

// Committed returns the items of all outcomes: the screen may not have heard of the last.
func (m sweepEndedMsg) Committed() []screen.Committed {
	var list []screen.Committed
	for _, o := range m.all {
		list = append(list, committedBy(o.Done)...)
	}
	return list
}

// sweepTickedMsg moves the progress bar.
type sweepTickedMsg struct{ run *sweepRun }

func (x *SweepDialog) start() tea.Cmd {
	ctx, stop := context.WithCancel(x.env.Context)
	x.run.stop, x.Phase, x.run.writing = stop, SweepRuns, screen.NewWriting()
	b, s, w, run := x.sweep, x.env.Workspace, x.run.writing, x.run
	b.Inputs, b.Reason = x.inputs()
	// As long as all of them, so that a change never waits for the screen.
	outcomes := make(chan changes.Outcome, len(b.Items))
	x.run.outcome = outcomes
	return tea.Batch(x.ticked(), x.listen(), func() tea.Msg {
		defer close(outcomes)
		if !w.Start() {
			return nil
		}
		defer w.End()
		for _, it := range b.Items {
			if b.Action == nil && !slices.Contains(b.Tables, it.Table) {
				b.Tables = append(b.Tables, it.Table)
			}
		}
		var all []changes.Outcome
		sum, err := s.Committer.Run(ctx, b.Set, changes.Each(b.Items...), func(o changes.Outcome) { all = append(all, o); outcomes <- o })
		return sweepEndedMsg{run, sum, all, err}
	})
}

func (x *SweepDialog) listen() tea.Cmd {
	run := x.run
	outcomes := run.outcome
	return func() tea.Msg {
		if o, more := <-outcomes; more {
			return sweepSteppedMsg{run, o}
		}
		return nil
	}
}

func (x *SweepDialog) ticked() tea.Cmd {
	run := x.run
	return tea.Tick(widget.BusyFrame, func(time.Time) tea.Msg { return sweepTickedMsg{run} })
}

// progressed drops a message of an earlier run, such as that of the change that this one undoes.
func (x *SweepDialog) progressed(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sweepTickedMsg:
		if msg.run != x.run || x.Phase != SweepRuns {
			return nil
		}
		x.run.elapsed += widget.BusyFrame
		return x.ticked()
	case sweepSteppedMsg:
		if msg.run != x.run {
			return nil
		}
		if x.Phase == SweepRuns {
			x.heardOf(msg.outcome)
		}
		return x.listen()
	case sweepEndedMsg:
		if msg.run != x.run {
			return nil
		}
		x.run.stop()
		// What was not heard of yet comes with the summary.
		for _, o := range msg.all[min(x.run.outcomes.Len(), len(msg.all)):] {
			x.heardOf(o)
		}
		x.Phase, x.run.sum, x.run.err = SweepDone, msg.sum, msg.err
		x.grid.SetCursor(x.firstBad())
	}
	return nil
}

func (x *SweepDialog) firstBad() int {
	for i, o := range x.run.outcomes.list {
		if o.Status != changes.Committed {
			return i
		}
	}
	return 0
}

func (x *SweepDialog) heardOf(o changes.Outcome) {
	x.run.outcomes.list = append(x.run.outcomes.list, o)
	if x.run.outcomes.Len() == 1 {
		x.grid.SetSource(x.run.outcomes)
	}
	x.grid.SetCursor(x.run.outcomes.Len() - 1)
	if x.Heard != nil {
		x.Heard(o)
	}
}

// capacity is in write units. Servers that do not report it leave it at 0.
func (x *SweepDialog) capacity() float64 {
	sum := 0.0
	for _, o := range x.run.outcomes.list {
		if o.Done != nil {
			sum += o.Done.Capacity
		}
	}
	return sum
}

func (x *SweepDialog) counts() []sweepCount {
	var list []sweepCount
	for _, status := range changes.Statuses() {
		n := 0
		for _, o := range x.run.outcomes.list {
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
	status changes.Status
	n      int
}
