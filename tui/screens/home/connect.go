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

// openState is the state while home opens a schema.
type openState struct {
	*screen.Task
	profile *profiles.Profile
	keys    []tea.KeyPressMsg // keys that the user pressed for the screen that opens
	text    string            // text in the search field when the opening began
}

// addKey stores a key for the screen that opens. Several presses of enter are one: the user became impatient.
func (o *openState) addKey(msg tea.KeyPressMsg) {
	if n := len(o.keys); n == 0 || o.keys[n-1].Code != tea.KeyEnter || msg.Code != tea.KeyEnter {
		o.keys = append(o.keys, msg)
	}
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
	h.stopOpening()
	open := h.connector(p)
	task, cmd := screen.Run(h.ctx, func(ctx context.Context) func() tea.Cmd {
		s, err := open(ctx)
		return func() tea.Cmd { return h.opened(s, err) }
	})
	h.opening, h.then, h.err, h.failedSchema = &openState{Task: task, profile: p, text: h.find.field.Text()}, then, nil, ""
	h.fillSections()
	return cmd
}

func (h *Home) stopOpening() {
	if h.opening != nil {
		h.opening.End()
		h.opening = nil
	}
}

// connector returns a function that opens p. Only one can run at a time, because two could prompt for one-time codes.
func (h *Home) connector(p *profiles.Profile) func(context.Context) (*workspace.Workspace, error) {
	opener, mu := h.opener, &h.connectMu
	return func(ctx context.Context) (*workspace.Workspace, error) {
		mu.Lock()
		defer mu.Unlock()
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

// maxEarlyLetters is the maximum number of letters, typed while a schema opens, that are keys for its screen. More
// letters are a text to find.
const maxEarlyLetters = 2

func (h *Home) isSearching() bool {
	return h.find.text != "" || len(h.find.field.Text()) > maxEarlyLetters
}

func (h *Home) opened(w *workspace.Workspace, err error) tea.Cmd {
	name, keys, before := h.opening.profile.Name, h.opening.keys, h.opening.text
	h.stopOpening()
	if h.err = err; err != nil {
		h.failedSchema = name
		h.fillSections()
		return connection.OfferSignIn(err)
	}
	h.sessions[name] = w
	h.fillSections()
	if text := h.find.field.Text(); text != before && text != "" {
		if before != "" || h.isSearching() {
			return nil // The user searches on home.
		}
		h.find.clear()
		for _, r := range text {
			keys = append(keys, tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return screen.Send(screen.SessionMsg{Workspace: w, Then: h.then, Keys: keys})
}

func (h *Home) openItem(w *workspace.Workspace, to screen.Target) tea.Cmd {
	h.sessions[w.Session.Profile().Name] = w
	return screen.Send(screen.SessionMsg{Workspace: w, Then: func(*screen.Env) screen.Target { return to }})
}

// A Drafter is an opener that drafts a schema for tables without one. It asks the user for the tables and suggests
// table unless it is "". It returns the name of the schema, or "" if the user canceled.
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
	table := ""
	if r := h.focused.current(); r != nil && r.table != "" && (r.p == nil || r.p.IsSchemaless()) {
		table = r.table
	}
	var cmd tea.Cmd
	h.drafting, cmd = screen.Run(h.ctx, func(ctx context.Context) func() tea.Cmd {
		name, err := drafter.Draft(ctx, table)
		return func() tea.Cmd {
			switch {
			case h.drafting.Stopped || name == "" && err == nil:
				return nil
			case err != nil:
				return errorNotice(err)
			}
			h.start = name
			h.StartTarget = func(*screen.Env) screen.Target { return screen.Draft{} }
			return h.Init()
		}
	})
	return cmd
}
