package planner

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// NewUndo returns the dialog that undoes a change of the journal, or the whole set that the change is a part of. Done is
// called as that of a ChangeRequest, of a set with nil when the dialog is closed.
func NewUndo(env *screen.Env, of screen.Undoable, done func(*changes.Commitment) tea.Cmd) (*Change, tea.Cmd) {
	if of.Set.Changes < 2 {
		r := UndoRequest(env, of.Past, of.Plan)
		r.Done = done
		return NewChange(env, r), nil
	}
	made := Made{N: of.Set.Changes, one: &changes.Commitment{Past: of.Past, Plan: of.Plan}, sets: []string{of.Set.ID}}
	r := made.Request(env)
	r.Closed = func() tea.Cmd { return done(nil) }
	return NewMany(env, r)
}
