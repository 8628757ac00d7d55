package home

import (
	"context"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A connector opens one schema at a time.
type connector struct {
	h *Home

	opening *opening                        // nil unless a schema is being opened
	turn    *sync.Mutex                     // locked while a connection is made
	then    func(*screen.Env) screen.Target // what to open on the schema, nil for its workbench
}

// opening is a schema that is being opened.
type opening struct {
	*screen.Task
	profile *profiles.Profile
	ended   <-chan struct{} // closed when it is open, failed or was canceled
}

// sessionOpenedMsg is the result of connecting a schema. It is dropped when the user
// canceled the task meanwhile.
type sessionOpenedMsg struct {
	task    *screen.Task
	session *workspace.Workspace
	err     error
}

func (c *connector) cannotOpen() string {
	switch {
	case c.opening != nil:
		return c.opening.profile.Name + " is opening"
	case c.h.Selected() == nil:
		return "no schema is selected"
	}
	return ""
}

func (c *connector) open(p *profiles.Profile, then func(*screen.Env) screen.Target) tea.Cmd {
	task, ctx, tick := screen.StartTask(c.h.ctx)
	c.opening, c.then, c.h.err = &opening{task, p, ctx.Done()}, then, nil
	c.h.fill()
	open := c.connects(p)
	return tea.Batch(tick, func() tea.Msg {
		s, err := open(ctx)
		if ctx.Err() != nil {
			return nil
		}
		return sessionOpenedMsg{task, s, err}
	})
}

// connects allows one connection at a time, also after a cancel, because two could prompt for one-time codes.
func (c *connector) connects(p *profiles.Profile) func(context.Context) (*workspace.Workspace, error) {
	opener, turn := c.h.opener, c.turn
	return func(ctx context.Context) (*workspace.Workspace, error) {
		turn.Lock()
		defer turn.Unlock()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := opener.Open(ctx, p)
		if err == nil && s == nil {
			err = fmt.Errorf("%s was not opened", p.Name)
		}
		return s, err
	}
}

func (c *connector) opened(msg sessionOpenedMsg) tea.Cmd {
	if c.opening == nil || msg.task != c.opening.Task {
		return nil
	}
	name := c.opening.profile.Name
	c.h.Cancel()
	if c.h.err = msg.err; msg.err != nil {
		c.h.failed = name
		c.h.fill()
		return connection.OfferSignIn(msg.err)
	}
	c.h.known[name] = msg.session
	c.h.fill()
	return screen.Send(screen.SessionMsg{Workspace: msg.session, Then: c.then})
}

func (c *connector) openItem(w *workspace.Workspace, to screen.Target) tea.Cmd {
	c.h.known[w.Session.Profile().Name] = w
	return screen.Send(screen.SessionMsg{Workspace: w, Then: func(*screen.Env) screen.Target { return to }})
}

// A Drafter is an opener that drafts a schema of tables without one. It asks the user for the tables, of which table is the
// first, "" for any. It returns the name of the schema, "" if the user gave none.
type Drafter interface {
	Draft(ctx context.Context, table string) (profile string, err error)
}

// drafts makes schemas of tables without one.
type drafts struct {
	h    *Home
	task *screen.Task // the draft that is being made, nil before the first
}

// draftedMsg is the end of a draft.
type draftedMsg struct {
	task *screen.Task
	name string // of the schema, "" for none
	err  error
}

func (d *drafts) cannot() string {
	_, ok := d.h.opener.(Drafter)
	switch {
	case !ok:
		return "every table here has a schema"
	case d.task.Running():
		return "a schema is being drafted"
	case d.h.connect.opening != nil:
		return d.h.connect.opening.profile.Name + " is opening"
	}
	return ""
}

func (d *drafts) start() tea.Cmd {
	drafter := d.h.opener.(Drafter)
	task, ctx, tick := screen.StartTask(d.h.ctx)
	d.task = task
	table := ""
	if r := d.h.has.current(); r != nil && r.table != "" && (r.p == nil || isBare(r.p)) {
		table = r.table
	}
	return tea.Batch(tick, func() tea.Msg {
		name, err := drafter.Draft(ctx, table)
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
