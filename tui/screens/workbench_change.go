// This file opens the change dialog from the workbench: a documented write that
// the profile gives an action is planned, confirmed and made like any other
// change.

package screens

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// writing is the action that carries out the chosen write pattern, nil when
// there is none.
func (b *Workbench) writing() *accesspatterns.Action {
	if b.job == nil || b.job.pattern.IsRead() {
		return nil
	}
	return b.env.Session.Profile().Action(b.job.pattern.ID)
}

// cannotWrite says why the chosen write is only explained, "" when it can be
// planned.
func (b *Workbench) cannotWrite() string {
	a := b.writing()
	if a == nil {
		return "this pattern writes: it is explained, not run"
	}
	if err := b.env.Session.CanPlan(a); err != nil {
		return err.Error()
	}
	return ""
}

// Plan asks for the inputs of any action of the profile: what its item is made
// of among them.
func (b *Workbench) Plan(a *accesspatterns.Action) tea.Cmd {
	if err := b.env.Session.CanPlan(a); err != nil {
		return Send(NoticeMsg{Text: a.Title + ": " + err.Error(), Bad: true})
	}
	b.box = newChange(b.env, changeRequest{Action: a, Title: a.Title, About: a.Description})
	return nil
}

// planWrite asks for the inputs of the write.
func (b *Workbench) planWrite() tea.Cmd {
	if why := b.cannotWrite(); why != "" {
		return Send(NoticeMsg{Text: why})
	}
	a := b.writing()
	b.box = newChange(b.env, changeRequest{
		Action: a, Title: a.Title, About: a.Description,
		Done: func(*session.Commitment) tea.Cmd { return nil },
	})
	return nil
}
