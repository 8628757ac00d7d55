// Package drift is the screen that finds and repairs items whose derived keys and times are stale.
package drift

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// driftScreen looks for drift.
type driftScreen struct {
	overlay.Host
	env *screen.Env
	ctx context.Context // ends with the screen
	end context.CancelFunc

	scope   string // that was searched: an entity, "" for every table
	search  *driftSearch
	started bool // a search was asked for: its findings are in view
	rows    *driftRows
	grid    *widget.Grid
	tabs    widget.Tabs // the kinds

	w, h    int
	lay     driftLayout
	repairs driftRepair
	choice  driftScopes
	draw    driftDrawing
	finds   driftRun
}

// driftSearch is a search, under way or over.
type driftSearch struct {
	feed     *driftFeed
	cancel   context.CancelFunc
	progress *reading.Progress
	table    string // that is being read
	scanned  int    // items read so far
	elapsed  time.Duration
	running  bool
	stopped  bool // by a person
	sum      drift.Summary
	took     time.Duration
	at       time.Time
	err      error
}

// New returns the screen with nothing searched yet. The entity is chosen
// already, "" for every table.
func New(env *screen.Env, to screen.Drift) screen.Screen {
	entity := to.Entity
	s := &driftScreen{env: env, scope: entity}
	s.choice = driftScopes{s: s, scopes: widget.NewList(env.Styles), about: widget.NewPager(env.Styles), costs: map[string]string{}}
	s.repairs.s, s.draw.s, s.finds.s = s, s, s
	s.ctx, s.end = context.WithCancel(env.Context)
	p := env.Session.Profile()
	items := []widget.ListItem{{ID: "", Title: "Everything", Badge: present.Plural(len(p.Tables), "table"), BadgeRole: widget.RoleFaint}}
	for _, e := range p.Entities {
		items = append(items, widget.ListItem{ID: e.Name, Title: e.Name, Badge: e.Table.Name, BadgeRole: widget.RoleFaint, Search: e.Title})
	}
	s.choice.scopes.SetPlaceholder("an entity")
	s.choice.scopes.SetEmpty("no entity is called that")
	s.choice.scopes.SetItems(items)
	s.choice.scopes.Select(entity)
	s.Clear()
	return s
}

// clear makes the findings empty.
func (s *driftScreen) Clear() {
	s.rows = newDriftRows(s.env)
	s.grid = widget.NewGrid(s.env.Styles, driftColumns()...)
	s.grid.SetSource(s.rows)
	s.grid.SetMarkable(true)
	s.tabs.Active = 0
}

// Title says what was searched.
func (s *driftScreen) Title() string {
	if !s.started || s.scope == "" {
		return "Drift"
	}
	return "Drift of " + s.scope
}

// Init asks what the chosen search would read.
func (s *driftScreen) Init() tea.Cmd { return s.choice.askCost() }

// Close stops the search.
func (s *driftScreen) Close() {
	s.end()
	if s.search != nil {
		s.search.cancel()
	}
	s.CloseBox()
}

// Typing reports whether keys are text, or belong to a box.
func (s *driftScreen) Typing() bool { return s.Box != nil || !s.started && s.choice.scopes.Typing() }

// Cancel stops the search, else leaves a box, or the choice of another search.
func (s *driftScreen) Cancel() bool {
	switch {
	case s.Box != nil:
		s.CancelBox()
	case s.finds.searching():
		s.search.stopped = true
		s.search.cancel()
	case !s.started && s.choice.scopes.Filter() != "":
		s.choice.scopes.SetFilter("")
	case !s.started && s.search != nil:
		s.started = true
		s.Arrange()
	default:
		return false
	}
	return true
}

// Place is the kind of the screen.
func (s *driftScreen) Place() string { return "drift" }

// SetStyles changes the theme.
func (s *driftScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.choice.scopes.SetStyles(st)
	s.choice.about.SetStyles(st)
	s.grid.SetStyles(st)
	s.StyleBox(st)
}

// Status is the figures of the search.
func (s *driftScreen) Status() string {
	d := s.search
	switch {
	case d == nil || !s.started:
		return "nothing searched yet"
	case d.running:
		requests, capacity := d.progress.Requests()
		return fmt.Sprintf(
			"%s so far · %s · %s · %g RCU", present.Plural(s.rows.total(), "finding"), present.Plural(d.scanned, "item"),
			present.Plural(requests, "page"), capacity,
		)
	}
	text := present.Plural(s.rows.total(), "finding") + " in " + present.Plural(d.sum.Scanned, "item")
	if d.stopped {
		text += ", stopped"
	}
	if d.err != nil && !d.stopped {
		text = "✗ " + text
	}
	if d.sum.Capacity > 0 {
		text += fmt.Sprintf(" · %g RCU", d.sum.Capacity)
	}
	return text + " · " + present.Short(d.took) + " · as of " + d.at.UTC().Format("15:04:05") + " UTC"
}

func (rn *driftRun) searching() bool { return rn.s.search != nil && rn.s.search.running }

// chosen is the scope under the cursor.
func (ch *driftScopes) chosen() (scope string, ok bool) {
	it, ok := ch.scopes.Selected()
	return it.ID, ok
}

// tables are what a scope reads.
func (ch *driftScopes) tables(scope string) []*models.Table {
	p := ch.s.env.Session.Profile()
	if e := p.Entity(scope); e != nil {
		return []*models.Table{e.Table}
	}
	return p.Tables
}

// selected is the finding under the cursor, nil for none.
func (s *driftScreen) selected() *driftRow {
	i := s.grid.Cursor()
	if i < 0 || i >= s.rows.Len() {
		return nil
	}
	return s.rows.At(i)
}

// defectWords names a kind of defect.
func defectWords(k change.DefectKind) string {
	switch k {
	case change.Unknown:
		return "unknown"
	case change.Ghost:
		return "ghost"
	case change.StaleKey:
		return "stale key"
	case change.StaleTTL:
		return "wrong time"
	}
	return string(k)
}

// defectBadge is a kind of defect as a sign and a word.
func defectBadge(k change.DefectKind) widget.Cell {
	sign, role := "≠ ", widget.RoleWarn
	switch k {
	case change.Unknown:
		sign = "? "
	case change.Ghost:
		sign, role = "∅ ", widget.RoleBad
	case change.StaleKey, change.StaleTTL:
	}
	return widget.Cell{Text: sign + defectWords(k), Role: role}
}

// driftRepair repairs stale items, one or many.
type driftRepair struct {
	s *driftScreen
}

// driftScopes chooses what is searched, and says what that costs.
type driftScopes struct {
	s *driftScreen

	scopes *widget.List      // what can be searched
	costs  map[string]string // what that reads, by scope; "" while it is asked
	about  *widget.Pager
}

// driftDrawing draws the parts of the screen.
type driftDrawing struct {
	s *driftScreen
}

// driftRun searches, off the screen's time.
type driftRun struct {
	s *driftScreen
}
