package tui

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func readBookmarks(s *workspace.Workspace) tea.Cmd {
	return func() tea.Msg {
		_, _ = s.Bookmarks.Read() // Overlays and lists later read the cached bookmarks.
		return nil
	}
}

// identityTimeout is the timeout of the identity request. Until AWS answers, the top bar shows the journal's actor.
const identityTimeout = 10 * time.Second

func (m *Model) identify(ctx context.Context, s *workspace.Workspace) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, identityTimeout)
		defer cancel()
		name, err := s.Session.LookUpActor(ctx)
		if err != nil { // The first request of a screen reports the error.
			if offer := connection.OfferSignIn(err); offer != nil {
				return offer()
			}
			return nil
		}
		return screen.Answer(func() tea.Cmd {
			if m.env != nil && m.env.Workspace == s {
				m.identity = name
			}
			return nil
		})
	}
}

// compareTimeout is the timeout of the comparison between the tables and the schema.
const compareTimeout = 30 * time.Second

func compareTables(ctx context.Context, s *workspace.Workspace) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, compareTimeout)
		defer cancel()
		return screen.ComparisonMsg{Workspace: s, Live: s.Tables.Compare(ctx)}
	}
}

func (m *Model) setComparison(msg screen.ComparisonMsg) tea.Cmd {
	m.home.SetComparison(msg)
	if m.env == nil || m.env.Workspace != msg.Workspace {
		return nil
	}
	m.env.Live = msg.Live
	return tea.Batch(models.MapSlice(m.screens.stack[1:], func(p *place) tea.Cmd { return m.route(p, p.screen.Update(msg)) })...)
}

func (m *Model) listenForEdits() tea.Cmd {
	return receive(m.o.Edits, func(struct{}) tea.Cmd {
		return tea.Batch(m.route(m.screens.stack[0], m.home.Refresh()), m.listenForEdits())
	})
}

func (m *Model) handleEdits(msg screen.EditedMsg) tea.Cmd {
	var notice tea.Cmd
	if msg.Err != nil {
		notice = m.notify(widget.RoleBad, profileErrorNotice(msg.Err))
	}
	if m.env == nil {
		return notice
	}
	old := m.env.Session.Profile()
	for _, p := range msg.Profiles {
		if p.Name == old.Name && p.Digest() != old.Digest() {
			return tea.Batch(notice, m.useProfiles(p, old))
		}
	}
	return notice
}

func (m *Model) applyEdits(s screen.Screen) tea.Cmd {
	editor, ok := s.(screen.ProfileEditor)
	if !ok {
		return nil
	}
	p := editor.Edited()
	if p == nil {
		return nil
	}
	return tea.Batch(m.useProfiles(p, m.env.Session.Profile()), m.route(m.screens.stack[0], m.home.Refresh()))
}

// useProfiles adopts an edited schema, unless its guardrails changed: the connection was checked against the old ones.
func (m *Model) useProfiles(p, old *profiles.Profile) tea.Cmd {
	if !reflect.DeepEqual(p.Guardrails, old.Guardrails) {
		return m.notify(widget.RoleWarn, fmt.Sprintf("the guardrails of %s changed; reopen it from the home screen", p.Name))
	}
	w := m.env.WithProfile(p)
	env := *m.env
	env.Workspace, env.Live = w, nil
	m.env = &env
	m.home.Renew(w)
	return tea.Batch(
		m.notify(widget.RoleGood, fmt.Sprintf("Reloaded %s; newly opened screens use it", p.Name)),
		readBookmarks(w), compareTables(m.o.Context, w), m.identifyAgain(),
	)
}

func profileErrorNotice(err error) string {
	first, rest, more := strings.Cut(err.Error(), "\n")
	if more {
		first += fmt.Sprintf(" (and %d more)", strings.Count(rest, "\n")+1)
	}
	return first + "; the previous version stays in use"
}

// undoState contains the state for undoing the last change from any screen.
type undoState struct {
	onEntry bool // undo the change in the session that home opens
	// changeCount is the number of changes that the open dialog made, and lastTitle the title of the last one. When the
	// dialog closes, the console offers to undo them.
	changeCount int
	lastTitle   string
}

func (u *undoState) count(c screen.CommittedChange) {
	switch {
	case c.IsUndo:
		u.changeCount = max(u.changeCount-1, 0)
	case c.UndoTitle != u.lastTitle:
		u.changeCount, u.lastTitle = 1, c.UndoTitle
	default:
		u.changeCount++
	}
}

func (m *Model) offerUndo() tea.Cmd {
	u := &m.undo
	if u.changeCount == 0 || m.isCovered() || m.cannotUndo() != "" {
		return nil
	}
	text := u.lastTitle
	if u.changeCount > 1 {
		text += " · " + present.Plural(u.changeCount, "item")
	}
	a, _ := m.actions.Named("undo-last")
	as := m.top().screen.Actions()
	if undo, ok := as.Named("undo"); ok {
		if _, hasMenu := as.Named("actions"); hasMenu { // The screen has its own menu for this key.
			a = undo
		}
	}
	*u = undoState{}
	return m.notify(widget.RoleGood, text+": done · "+a.Keys()+" undo")
}

func (m *Model) role() session.Role {
	if m.isAtHome() {
		return session.Role(m.home.Access().Role)
	}
	return m.env.Session.Role()
}

func (m *Model) cannotUndo() string {
	switch role := m.role(); {
	case role != session.Admin && role != "":
		return fmt.Sprintf("role %s cannot change items", role)
	case m.isAtHome():
		return m.noProfile("journal")()
	}
	if err := m.env.Session.CanUndo(); err != nil {
		return m.env.Reason(err)
	}
	if b, boxed := m.top().screen.(interface{ Boxed() bool }); boxed && b.Boxed() {
		return "close the open dialog first"
	}
	return ""
}

func (m *Model) undoOnEntry() tea.Cmd {
	if !m.undo.onEntry {
		return nil
	}
	m.undo.onEntry = false
	if reason := m.cannotUndo(); reason != "" {
		return m.notify(widget.RoleInfo, reason)
	}
	return m.findUndo()
}

func (m *Model) findUndo() tea.Cmd {
	if m.undo.onEntry = m.isAtHome(); m.undo.onEntry {
		return m.open(screen.Journal{})
	}
	top, w := m.top(), m.env.Workspace
	return func() tea.Msg {
		last, found, err := w.Journal.Last()
		return screen.Answer(func() tea.Cmd {
			if m.isDetached() || w != m.env.Workspace || top != m.top() || m.topBox() != nil || m.cannotUndo() != "" {
				return nil // The user did something else in the meantime.
			}
			return m.handleLastChange(last, found, err)
		})
	}
}

func (m *Model) handleLastChange(last changes.Latest, found bool, err error) tea.Cmd {
	var refusal *session.Refusal
	switch {
	case errors.As(err, &refusal):
		return m.notify(widget.RoleInfo, refusal.Error())
	case err != nil:
		return m.notify(widget.RoleBad, "the journal cannot be read: "+err.Error())
	case !found:
		return m.notify(widget.RoleInfo, "nothing to undo on this machine")
	}
	s, ok := m.top().screen.(screen.Undoer)
	var cmd tea.Cmd
	if !ok {
		cmd = m.show(screen.Journal{})
		s = m.top().screen.(screen.Undoer)
	}
	cmd = tea.Batch(cmd, m.route(m.top(), s.Undo(last)))
	m.focusFields(false)
	return cmd
}
