package queue

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func (ac *actions) recorder() func(*changes.Commitment) {
	first := true
	return func(done *changes.Commitment) {
		if done == nil {
			return
		}
		if token := done.Past.Intent.Detail.Undoes; token != "" {
			ac.s.made = slices.DeleteFunc(slices.Clone(ac.s.made), func(d *changes.Commitment) bool {
				return d.Past.Intent.Detail.Token == token
			})
			return
		}
		if first {
			ac.s.made, first = nil, false
		}
		ac.s.made = append(ac.s.made, done)
	}
}

func (ac *actions) done() func(*changes.Commitment) tea.Cmd {
	record := ac.recorder()
	return func(done *changes.Commitment) tea.Cmd {
		record(done)
		return ac.ended(done)
	}
}

func (ac *actions) cannotUndo() string {
	if ac.s.env == nil || len(ac.s.made) == 0 {
		return "no change was made here; press U to undo the last change made on this machine"
	}
	a := ac.s.made[0].Plan.Action
	if a.NoUndo != "" {
		return a.Title + " cannot be undone: " + a.NoUndo
	}
	if err := ac.s.env.Session.CanChange(a); err != nil {
		return err.Error()
	}
	return ""
}

func (ac *actions) undo() tea.Cmd {
	made := ac.s.made
	if len(made) == 1 {
		ac.s.Undo(made[0].Past, made[0].Plan)
		return nil
	}
	x := planner.NewSweepUndo(ac.s.env, made[0].Plan.Action, made)
	record := ac.recorder()
	x.Heard = func(o sweep.Outcome) { record(o.Done) }
	x.Closed = func() tea.Cmd { return ac.ended(nil) }
	ac.s.Box = x
	return x.Start()
}

// Undo opens the dialog that undoes a change.
func (s *queueScreen) Undo(past changes.PastChange, p *change.Plan) {
	r := planner.UndoRequest(s.env, past, p)
	r.Done = s.does.done()
	s.Box = planner.NewChange(s.env, r)
}

// Stage tells the tour how far a decision is.
func (s *queueScreen) Stage() screen.Stage {
	at := screen.Stage{Place: "queue", Queue: len(s.jobs) > 0 && s.job().rows.Len() > 0, Covered: s.Box != nil}
	if c, ok := s.Box.(*planner.Change); ok {
		return c.Stage(at)
	}
	return at
}
