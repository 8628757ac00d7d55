package home

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// opening is a schema that is being opened.
type opening struct {
	*screen.Task
	profile *profiles.Profile
	ended   <-chan struct{} // closed when it is open, failed or was canceled
}

func (h *Home) cannotOpen() string {
	switch {
	case h.opening != nil:
		return h.opening.profile.Name + " is opening"
	case h.Selected() == nil:
		return "no schema is selected"
	}
	return ""
}

func (h *Home) connect(p *profiles.Profile, then func(*screen.Env) screen.Target) tea.Cmd {
	task, ctx, tick := screen.StartTask(h.ctx)
	h.opening, h.then, h.err = &opening{task, p, ctx.Done()}, then, nil
	h.fill()
	open := h.connects(p)
	return tea.Batch(tick, func() tea.Msg {
		s, err := open(ctx)
		if ctx.Err() != nil {
			return nil
		}
		return screen.Answer(func() tea.Cmd { return h.opened(task, s, err) })
	})
}

// connects allows one connection at a time, even after a cancel, because two could prompt for one-time codes.
func (h *Home) connects(p *profiles.Profile) func(context.Context) (*workspace.Workspace, error) {
	opener, turn := h.opener, &h.turn
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

// opened drops the result of a task that the user canceled meanwhile.
func (h *Home) opened(task *screen.Task, w *workspace.Workspace, err error) tea.Cmd {
	if h.opening == nil || task != h.opening.Task {
		return nil
	}
	name := h.opening.profile.Name
	h.Cancel()
	if h.err = err; err != nil {
		h.failed = name
		h.fill()
		return connection.OfferSignIn(err)
	}
	h.known[name] = w
	h.fill()
	return screen.Send(screen.SessionMsg{Workspace: w, Then: h.then})
}

func (h *Home) openItem(w *workspace.Workspace, to screen.Target) tea.Cmd {
	h.known[w.Session.Profile().Name] = w
	return screen.Send(screen.SessionMsg{Workspace: w, Then: func(*screen.Env) screen.Target { return to }})
}

// A Drafter is an opener that drafts a schema of tables without one. It asks the user for the tables, of which table is the
// first, "" for any. It returns the name of the schema, "" if the user gave none.
type Drafter interface {
	Draft(ctx context.Context, table string) (profile string, err error)
}

func (h *Home) cannotDraft() string {
	_, ok := h.opener.(Drafter)
	switch {
	case !ok:
		return "every table here has a schema"
	case h.drafting.Running():
		return "a schema is being drafted"
	case h.opening != nil:
		return h.opening.profile.Name + " is opening"
	}
	return ""
}

func (h *Home) draft() tea.Cmd {
	drafter := h.opener.(Drafter)
	task, ctx, tick := screen.StartTask(h.ctx)
	h.drafting = task
	table := ""
	if r := h.has.current(); r != nil && r.table != "" && (r.p == nil || isBare(r.p)) {
		table = r.table
	}
	return tea.Batch(tick, func() tea.Msg {
		name, err := drafter.Draft(ctx, table)
		return screen.Answer(func() tea.Cmd {
			canceled := task.Stopped
			task.End()
			switch {
			case canceled || name == "" && err == nil:
				return nil
			case err != nil:
				return failed(err)
			}
			h.start = name
			h.Then = func(*screen.Env) screen.Target { return screen.Draft{} }
			return h.Init()
		})
	})
}
