package home

import (
	"context"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A connector opens one profile at a time.
type connector struct {
	h *Home

	opening *opening                        // nil unless a profile is being opened
	turn    *sync.Mutex                     // locked while a connection is made
	then    func(*screen.Env) screen.Target // what to open on the profile, nil for its workbench
}

// opening is a profile that is being opened.
type opening struct {
	*screen.Task
	profile *profiles.Profile
	ended   <-chan struct{} // closed when it is open, failed or was canceled
}

// sessionOpenedMsg is the result of connecting a profile. It is dropped when the user
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
		return "no profile is selected"
	}
	return ""
}

func (c *connector) open() tea.Cmd {
	p := c.h.Selected()
	c.then = nil
	if p == nil {
		return nil
	}
	task, ctx, tick := screen.StartTask(c.h.ctx)
	c.opening, c.h.err = &opening{task, p, ctx.Done()}, nil
	c.h.about.refresh()
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
		c.h.about.refresh()
		return connection.OfferSignIn(msg.err)
	}
	c.h.about.refresh()
	c.h.focus(paneList)
	c.h.known[name] = msg.session
	return screen.Send(screen.SessionMsg{Workspace: msg.session, Then: c.then})
}
