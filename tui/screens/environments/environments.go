// Package environments is the screen that compares the database of the session with that of another context: the tables, then the
// items by entity, with both states of an item side by side.
package environments

import (
	"context"
	"fmt"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// environmentsScreen first lists the contexts to compare with, then what differs.
type environmentsScreen struct {
	screen.Base
	overlay.Split
	env *screen.Env
	ctx context.Context // ends with the screen
	end context.CancelFunc

	contexts *widget.List
	chosen   string // the other context, "" while the contexts are listed
	consent  bool   // read whole tables of production
	task     *screen.Task
	progress *atomic.Pointer[compare.Summary]
	result   result
	loads    int // completed comparisons and items

	list    *widget.List
	beside  map[string][]compare.Attribute // the items that were opened, by their IDs in the list
	masker  *models.Masker                 // that the rows were made with
	actions actions
}

// result is a comparison, as far as it came.
type result struct {
	comparison *compare.Comparison // nil until the other context is connected
	tables     []compare.TableDifference
	found      []compare.Difference
	sum        compare.Summary
	refusal    *session.Refusal // to read whole tables of production without consent, nil if the items were compared
	err        error
}

// maxListed is how many differing items are listed; the others are counted.
const maxListed = 2000

var guide = screen.Guide{
	Purpose: "What differs between this database and that of another context: tables, and items by entity. Nothing is written.",
	First:   "choose a context. On production, press a to compare the items. enter on an item reads it again and shows both states.",
	Signs: []screen.Sign{
		{Glyph: "≠", Means: "different in both environments"},
		{Glyph: "◂", Means: "only in this environment"},
		{Glyph: "▸", Means: "only in the other environment"},
	},
}

// New returns the screen. It compares nothing before a context is chosen.
func New(env *screen.Env, _ screen.Environments) screen.Screen {
	s := &environmentsScreen{
		Base: screen.Base{Name: "Environments", Kind: "environments", About: guide}, env: env, masker: env.Session.Masker(),
		contexts: widget.NewList(env.Styles), list: widget.NewList(env.Styles),
	}
	s.contexts.SetStill(true)
	s.contexts.SetPlaceholder("a context")
	s.contexts.SetEmpty("No context matches")
	s.list.SetStill(true)
	s.list.SetPlaceholder("filter by entity, key or property")
	s.list.SetEmpty("No difference matches")
	var items []widget.ListItem
	if env.Elsewhere != nil {
		for _, name := range env.Elsewhere.Others() {
			items = append(items, widget.ListItem{ID: name, Title: models.Printable(name)})
		}
	}
	s.contexts.SetItems(items)
	s.actions.s = s
	s.ctx, s.end = context.WithCancel(env.Context)
	s.Begin(env, []overlay.Entries{s.contexts, s.list}, func() overlay.Entries { return s.shown() }, s.actions.cannotOpen, s.actions.open)
	return s
}

// shown is the list in view.
func (s *environmentsScreen) shown() *widget.List {
	if s.chosen == "" {
		return s.contexts
	}
	return s.list
}

// Close stops the comparison.
func (s *environmentsScreen) Close() {
	s.end()
	s.task.End()
	s.CloseBox()
}

// Cancel stops the comparison, leaves the details, clears the filter, or goes back to the contexts.
func (s *environmentsScreen) Cancel() bool {
	switch {
	case s.Box == nil && s.task.Running():
		s.task.Stop()
	case s.Split.Cancel():
	case s.chosen != "":
		s.chosen, s.result = "", result{}
	default:
		return false
	}
	return true
}

// here names the database of the session.
func (s *environmentsScreen) here() string {
	if name := s.env.Session.Context(); name != "" {
		return models.Printable(name)
	}
	return s.env.Session.Target().String()
}

// Status says what was compared.
func (s *environmentsScreen) Status() string {
	switch {
	case s.task.Running() && s.task.Stopped:
		return "stopping"
	case s.task.Running():
		text := "comparing"
		if sum := s.progress.Load(); sum != nil {
			text += fmt.Sprintf(": %s here, %s there", present.Plural(sum.Left, "item"), present.Plural(sum.Right, "item"))
		}
		return text + " · esc stops"
	case s.chosen == "":
		return present.Plural(s.contexts.Len(), "other context")
	case s.result.err != nil:
		return "✗ incomplete: " + models.Printable(s.result.err.Error())
	case s.result.refusal != nil:
		return "items not compared; press a" + s.tablesDiffer()
	}
	return s.summary()
}

// SetSize divides the screen between the list and the details.
func (s *environmentsScreen) SetSize(w, h int) { s.Arrange(w, h, max(h, 0)/2, 0) }

// Update handles what the root does not handle.
func (s *environmentsScreen) Update(msg tea.Msg) tea.Cmd {
	if s.masker != s.env.Session.Masker() {
		s.masker, s.beside = s.env.Session.Masker(), nil
		s.loads++
		s.makeRows()
	}
	switch msg := msg.(type) {
	case comparedMsg:
		s.compared(msg)
		return nil
	case besideMsg:
		return s.read(msg)
	case screen.TickMsg:
		return msg.Task.Ticked()
	}
	return s.Feed(msg, s.Actions)
}
