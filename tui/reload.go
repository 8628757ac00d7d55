package tui

import (
	"fmt"
	"reflect"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A reloader takes over what the user edits in the file of a profile while the console is open. Open screens, forms and
// dialogs keep the version with which they were opened.
type reloader struct{ m *Model }

// profilesEditedMsg says that files of profiles changed.
type profilesEditedMsg struct{}

func (r *reloader) listen() tea.Cmd {
	edits := r.m.o.Edits
	if edits == nil {
		return nil
	}
	return func() tea.Msg {
		if _, ok := <-edits; !ok {
			return nil
		}
		return profilesEditedMsg{}
	}
}

func (r *reloader) read() tea.Cmd {
	return tea.Batch(r.m.router.route(r.m.screens.stack[0], r.m.home.Refresh()), r.listen())
}

func (r *reloader) edited(msg screen.EditedMsg) tea.Cmd {
	var said tea.Cmd
	if msg.Err != nil {
		said = r.m.say(widget.RoleBad, faultNotice(msg.Err))
	}
	if r.m.env == nil {
		return said
	}
	old := r.m.env.Session.Profile()
	for _, p := range msg.Profiles {
		if p.Name == old.Name && p.Digest() != old.Digest() {
			return tea.Batch(said, r.use(p, old))
		}
	}
	return said
}

func (r *reloader) take(s screen.Screen) tea.Cmd {
	editor, ok := s.(screen.ProfileEditor)
	if !ok {
		return nil
	}
	p := editor.Edited()
	if p == nil {
		return nil
	}
	return tea.Batch(r.use(p, r.m.env.Session.Profile()), r.m.router.route(r.m.screens.stack[0], r.m.home.Refresh()))
}

// use reconnects a profile whose connection was checked against the guardrails of the old version.
func (r *reloader) use(p, old *profiles.Profile) tea.Cmd {
	if !reflect.DeepEqual(p.Guardrails, old.Guardrails) {
		return r.m.say(widget.RoleWarn, fmt.Sprintf("the guardrails of %s changed; reopen it from the home screen", p.Name))
	}
	w := r.m.env.With(p)
	env := *r.m.env
	env.Workspace, env.Live = w, nil
	r.m.env = &env
	r.m.home.Renew(w)
	return tea.Batch(
		r.m.say(widget.RoleGood, fmt.Sprintf("Reloaded %s; it applies to screens opened from now on", p.Name)),
		readBookmarks(w), compareTables(r.m.o.Context, w), r.m.dialogs.identifyAgain(),
	)
}

func faultNotice(err error) string {
	first, rest, more := strings.Cut(err.Error(), "\n")
	if more {
		first += fmt.Sprintf(" (and %d more)", strings.Count(rest, "\n")+1)
	}
	return first + "; the previous version stays in use"
}
