package home

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A Drafter is an opener that drafts a profile of tables without one. It asks the user for the tables, and returns the name of
// the profile, "" if the user gave none.
type Drafter interface {
	Draft(ctx context.Context) (profile string, err error)
}

// drafts makes profiles of tables without one.
type drafts struct {
	h    *Home
	task *screen.Task // the draft that is being made, nil before the first
}

// draftedMsg is the end of a draft.
type draftedMsg struct {
	task *screen.Task
	name string // of the profile, "" for none
	err  error
}

func (d *drafts) cannot() string {
	_, ok := d.h.opener.(Drafter)
	switch {
	case !ok:
		return "every table here has a profile"
	case d.task.Running():
		return "a profile is being drafted"
	case d.h.connect.opening != nil:
		return d.h.connect.opening.profile.Name + " is opening"
	}
	return ""
}

func (d *drafts) start() tea.Cmd {
	drafter := d.h.opener.(Drafter)
	task, ctx, tick := screen.StartTask(d.h.ctx)
	d.task = task
	return tea.Batch(tick, func() tea.Msg {
		name, err := drafter.Draft(ctx)
		return draftedMsg{task, name, err}
	})
}

func (d *drafts) ended(msg draftedMsg) tea.Cmd {
	canceled := msg.task.Stopped
	msg.task.End()
	switch {
	case canceled || msg.name == "" && msg.err == nil:
		return nil
	case msg.err != nil:
		notice := screen.Send(screen.NoticeMsg{Text: models.Printable(msg.err.Error()), Bad: true})
		return tea.Batch(notice, connection.OfferSignIn(msg.err))
	}
	d.h.start = msg.name
	d.h.Then = func(*screen.Env) screen.Target { return screen.Draft{} }
	return d.h.Init()
}
