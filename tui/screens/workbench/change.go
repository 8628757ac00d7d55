package workbench

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// writing is the action that carries out the chosen write pattern, nil when
// there is none.
func (pl *planning) writing() *change.Action {
	if pl.b.job == nil || pl.b.job.pattern.IsRead() {
		return nil
	}
	return pl.b.env.Session.Profile().Action(pl.b.job.pattern.ID)
}

// cannotWrite says why the chosen write is only explained, "" when it can be
// planned.
func (pl *planning) cannotWrite() string {
	a := pl.writing()
	if a == nil {
		return "this pattern writes: it is explained, not run"
	}
	if err := pl.b.env.Session.CanPlan(a); err != nil {
		return err.Error()
	}
	return ""
}

// Plan asks for the inputs of any action of the profile: what its item is made
// of among them.
func (b *Workbench) Plan(a *change.Action) tea.Cmd {
	if err := b.env.Session.CanPlan(a); err != nil {
		return screen.Send(screen.NoticeMsg{Text: a.Title + ": " + err.Error(), Bad: true})
	}
	b.Box = planner.NewChange(b.env, planner.ChangeRequest{Action: a, Title: a.Title, About: a.Description})
	return nil
}

// PlanRow plans an action for the row under the cursor.
func (b *Workbench) PlanRow(o changes.Offer) tea.Cmd {
	raw, shown, ok := b.job.selected()
	if !ok || o.Why != "" {
		return screen.Send(screen.NoticeMsg{Text: o.Action.Title + ": " + o.Why, Bad: true})
	}
	b.Box = planner.NewChange(b.env, planner.ChangeRequest{
		Action: o.Action, Title: o.Action.Title + " · " + results.ItemTitle(shown), About: o.Action.Description, Item: raw, Args: o.Args,
		Done: func(*changes.Commitment) tea.Cmd { return b.runs.refresh() },
	})
	return nil
}

// Offers are the changes of the row under the cursor, none while the rows do not
// have the focus.
func (b *Workbench) Offers() []changes.Offer {
	if b.rowKeys.onRows() != "" {
		return nil
	}
	raw, shown, ok := b.job.selected()
	if !ok || shown.Entity == nil {
		return nil
	}
	return b.env.Planner.Offers(shown.Entity, raw)
}

// planWrite asks for the inputs of the write.
func (pl *planning) planWrite() tea.Cmd {
	if why := pl.cannotWrite(); why != "" {
		return screen.Send(screen.NoticeMsg{Text: why})
	}
	a := pl.writing()
	pl.b.Box = planner.NewChange(pl.b.env, planner.ChangeRequest{
		Action: a, Title: a.Title, About: a.Description,
		Done: func(*changes.Commitment) tea.Cmd { return nil },
	})
	return nil
}
