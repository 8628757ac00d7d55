// Package drift is the screen that finds and repairs items whose derived keys and times are stale.
package drift

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// driftScreen searches for drift. It first shows what can be searched, and then the
// findings of a search.
type driftScreen struct {
	screen.Base
	overlay.Host
	env *screen.Env
	ctx context.Context // ends with the screen
	end context.CancelFunc

	// The last search, and its findings.
	scope   string // of the search: an entity, "" for all tables
	search  *search
	started bool // the findings are in view
	rows    *driftRows
	grid    *widget.Grid
	tabs    widget.Tabs // all kinds of defects, then each of them

	w, h    int
	lay     layout
	choice  picker
	repairs repairer
	found   findings
}

// search is a search that runs or ended.
type search struct {
	task    *screen.Task
	feed    *feed
	table   string // that is being read
	scanned int    // items read so far
	sum     drift.Summary
	took    time.Duration
	at      time.Time // when it ended
	err     error
}

// running reports whether there is a search that has not ended.
func (d *search) running() bool { return d != nil && d.task.Running() }

// failure returns the error that ended the search, nil if it ended otherwise.
func (d *search) failure() error {
	if d == nil || d.task.Running() || d.task.Stopped {
		return nil
	}
	return d.err
}

// New returns the screen with the entity of the target selected. Nothing is searched
// yet.
func New(env *screen.Env, to screen.Drift) screen.Screen {
	s := &driftScreen{
		env: env, scope: to.Entity,
		Base: screen.Base{Kind: "drift", About: screen.Guide{
			Purpose: "Items whose index keys or times are inconsistent, for example after a status change that did not update " +
				"the index. Queries miss such items or return them in the wrong place.",
			First: "choose a table or an entity and press enter. ddbdesk reads every item once, which is expensive for a " +
				"large table; esc stops it.",
			Signs: screen.Signs([]screen.Sign{
				{Glyph: "→", Means: "the stored value and the expected one"},
				{Glyph: "✓", Means: "consistent, or repaired"},
				{Glyph: "✗", Means: "not repaired, with the reason"},
			}, screen.GridSigns),
		}},
	}
	s.choice = picker{s: s, scopes: widget.NewList(env.Styles), costs: map[string]string{}}
	s.repairs.s, s.found.s = s, s
	s.ctx, s.end = context.WithCancel(env.Context)
	s.Panes = s.mousePanes
	p := env.Session.Profile()
	items := []widget.ListItem{{ID: "", Title: "Everything", Badge: present.Plural(len(p.Tables), "table"), BadgeRole: widget.RoleFaint}}
	for _, e := range p.Entities {
		items = append(items, widget.ListItem{ID: e.Name, Title: e.Name, Badge: e.Table.Name, BadgeRole: widget.RoleFaint, Search: e.Title})
	}
	s.choice.scopes.SetPlaceholder("an entity")
	s.choice.scopes.SetEmpty("no entity has this name")
	s.choice.scopes.SetItems(items)
	s.choice.scopes.Select(to.Entity)
	s.clear()
	return s
}

// clear removes the findings.
func (s *driftScreen) clear() {
	s.rows = newRows(s.env, s.rows)
	s.grid = widget.NewGrid(s.env.Styles, columns...)
	s.grid.SetSource(s.rows)
	s.grid.SetMarkable(true)
	s.tabs.Active = 0
}

// Title names what was searched.
func (s *driftScreen) Title() string {
	if !s.started || s.scope == "" {
		return "Drift"
	}
	return "Drift of " + s.scope
}

// Init asks for the cost of the selected search.
func (s *driftScreen) Init() tea.Cmd { return s.choice.askCost() }

// Close stops the search.
func (s *driftScreen) Close() {
	s.end()
	if s.search != nil {
		s.search.task.End()
	}
	s.CloseBox()
}

// Typing reports whether keys are text, or belong to a box.
func (s *driftScreen) Typing() bool { return s.Box != nil || !s.started && s.choice.scopes.Typing() }

// Cancel stops the search; otherwise it leaves a box, the filter of the list, or the
// choice of another search.
func (s *driftScreen) Cancel() bool {
	switch {
	case s.Box != nil:
		s.CancelBox()
	case s.search.running():
		s.search.task.Stop()
	case !s.started && s.choice.scopes.Filter() != "":
		s.choice.scopes.SetFilter("")
	case !s.started && s.search != nil:
		s.started = true
		s.arrange()
	default:
		return false
	}
	return true
}

// SetStyles changes the theme.
func (s *driftScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.choice.scopes.SetStyles(st)
	s.grid.SetStyles(st)
	s.StyleBox(st)
}

// Status returns the figures of the search.
func (s *driftScreen) Status() string {
	d := s.search
	defects := present.Plural(len(s.rows.list), "defect")
	switch {
	case d == nil || !s.started:
		return "No search yet"
	case d.task.Running():
		return defects + " so far · " + d.progress()
	}
	text := defects + " in " + present.Plural(d.sum.Scanned, "item")
	if d.task.Stopped {
		text += ", stopped"
	}
	if d.failure() != nil {
		text = "✗ " + text
	}
	if d.sum.Capacity > 0 {
		text += fmt.Sprintf(" · %g RCU", d.sum.Capacity)
	}
	return text + " · " + present.Short(d.took) + " · as of " + d.at.UTC().Format("15:04:05") + " UTC"
}

// progress returns the figures of a search that runs.
func (d *search) progress() string {
	requests, capacity := d.task.Progress.Requests()
	return present.Plural(d.scanned, "item") + " · " + present.Spent(requests, "page", capacity)
}

// selectedScope returns the scope under the cursor.
func (p *picker) selectedScope() (scope string, ok bool) {
	it, ok := p.scopes.Selected()
	return it.ID, ok
}

// tablesOf returns the tables that a search of a scope reads.
func tablesOf(p *profiles.Profile, scope string) []*models.Table {
	if e := p.Entity(scope); e != nil {
		return []*models.Table{e.Table}
	}
	return p.Tables
}

// selected returns the finding under the cursor, nil for none.
func (s *driftScreen) selected() *driftRow {
	if i := s.grid.Cursor(); i >= 0 && i < s.rows.Len() {
		return s.rows.at(i)
	}
	return nil
}

// A picker is the choice of what to search, with what each search reads.
type picker struct {
	s *driftScreen

	// The choice of a search.
	scopes *widget.List      // what can be searched
	costs  map[string]string // what that reads, by scope; "" until it is known
}

// A repairer plans the repairs of findings.
type repairer struct {
	s *driftScreen
}

// findings draws the findings of a search, and how the search goes.
type findings struct {
	s *driftScreen
}
