// Package environments is the screen that compares the database of the session with that of another context: the tables, then the
// items by entity, with both states of an item side by side.
package environments

import (
	"context"
	"fmt"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// environmentsScreen first lists the contexts to compare with, then what differs.
type environmentsScreen struct {
	screen.Base
	overlay.Host
	env *screen.Env
	ctx context.Context // ends with the screen
	end context.CancelFunc

	contexts *widget.List
	chosen   string // the other context, "" while the contexts are listed
	all      bool   // compare all items, not a sample
	task     *screen.Task
	progress *atomic.Pointer[compare.Summary]
	result   result
	loads    int // completed comparisons and items

	list      *widget.List
	beside    map[string][]compare.Attribute // the items that were opened, by their IDs in the list
	masker    *models.Masker                 // that the rows were made with
	details   *widget.Pager
	onDetails bool // the details have the keyboard

	w, h       int
	rows, text widget.Rect // the panes with their frames
	actions    actions
}

// result is a comparison, as far as it came.
type result struct {
	comparison *compare.Comparison // nil until the other context is connected
	tables     []compare.TableDifference
	found      []compare.Difference
	sum        compare.Summary
	err        error
}

const (
	// sampleItems is how many items of each table are compared at first: all of a small table, at a cost that has a bound.
	sampleItems = 5000
	// maxListed is how many differing items are listed; the others are counted.
	maxListed = 2000
)

var guide = screen.Guide{
	Purpose: "What differs between this database and that of another context: tables, and items by entity. Nothing is written.",
	First: "choose a context. Of large tables a sample is compared; press a to compare all items. enter on an item reads it again " +
		"and shows both states.",
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
		contexts: widget.NewList(env.Styles), list: widget.NewList(env.Styles), details: widget.NewPager(env.Styles),
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
	s.Panes = s.panes
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

// Typing reports whether keys are text.
func (s *environmentsScreen) Typing() bool { return s.Box != nil || s.shown().Typing() }

// Cancel stops the comparison, leaves the details, clears the filter, or goes back to the contexts.
func (s *environmentsScreen) Cancel() bool {
	switch l := s.shown(); {
	case s.Box != nil:
		s.CancelBox()
	case s.task.Running():
		s.task.Stop()
	case s.onDetails:
		s.focusDetails(false)
	case l.Typing() || l.Filter() != "":
		l.StopTyping()
		l.SetFilter("")
	case s.chosen != "":
		s.chosen, s.result = "", result{}
	default:
		return false
	}
	return true
}

// SetStyles changes the theme.
func (s *environmentsScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.contexts.SetStyles(st)
	s.list.SetStyles(st)
	s.details.SetStyles(st)
	s.StyleBox(st)
}

func (s *environmentsScreen) focusDetails(on bool) {
	s.onDetails = on
	s.shown().SetFocused(!on)
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
	}
	return s.summary()
}

// Stage tells the tour about an open dialog.
func (s *environmentsScreen) Stage() screen.Stage { return screen.Stage{Covered: s.Box != nil} }

func (s *environmentsScreen) panes() widget.Panes {
	return widget.Panes{
		{
			Rect: s.rows, Framed: true, Content: s.shown(), Focus: func() { s.focusDetails(false) }, Unfocused: s.onDetails,
			Open: func() tea.Cmd {
				if s.actions.cannotOpen() != "" {
					return nil
				}
				return s.actions.open()
			},
		},
		{Rect: s.text, Framed: true, Focus: func() { s.focusDetails(true) }, Scroll: s.details.Wheel},
	}
}

// SetSize divides the screen between the list and the details.
func (s *environmentsScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	below := s.h / 2
	s.rows, s.text = widget.Rect{W: s.w, H: s.h - below}, widget.Rect{Y: s.h - below, W: s.w, H: below}
	s.contexts.SetSize(widget.PanelInner(s.rows.W, s.rows.H))
	s.list.SetSize(widget.PanelInner(s.rows.W, s.rows.H))
}

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
	if s.Box != nil {
		return s.ToBox(msg)
	}
	press, isKey := msg.(tea.KeyPressMsg)
	if isKey && !s.shown().Typing() {
		if cmd, used := screen.Press(s.Actions(), press); used {
			return cmd
		}
		if s.onDetails {
			s.details.Update(press)
			return nil
		}
	}
	cmd, _ := s.shown().Update(msg)
	return cmd
}
