// Package schemamap is the screen that draws what every key holds and what a pattern reads.
package schemamap

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// mapPane is a part of the map that can have the focus.
type mapPane uint8

const (
	mapList mapPane = iota // choosing a pattern lights up what it reads
	mapGrid                // choosing a cell lists the patterns that read it
	mapText
)

// mapSpot is a place of the map.
type mapSpot struct {
	block  int
	row    int // 0: the names of the key attributes, else the entity row-1
	column int // -1: the names of the table or of the entities
}

// mapScreen shows the schema of the session's profile.
type mapScreen struct {
	screen.Base
	env  *screen.Env
	plan *mapPlan
	list *widget.List

	focus mapPane

	at mapSpot

	w, h int
	lay  mapLayout

	actions  widget.Actions
	about    mapDetails
	drawing  mapDrawing
	patterns mapReaders
}

// New returns the schema map with the cursor on what is asked for.
func New(env *screen.Env, to screen.Map) screen.Screen {
	s := newMap(env)
	switch {
	case to.Pattern != nil:
		s.list.Select(to.Pattern.ID)
		s.refresh()
	case to.Entity != nil:
		s.at = mapSpot{block: s.plan.blockOf(to.Entity.Table), column: -1}
		s.at.row = 1 + slices.Index(s.plan.blocks[s.at.block].entities, to.Entity)
		s.setFocus(mapGrid)
	case to.Table != nil:
		s.at = mapSpot{block: s.plan.blockOf(to.Table), column: -1}
		s.setFocus(mapGrid)
	}
	return s
}

func newMap(env *screen.Env) *mapScreen {
	s := &mapScreen{Base: screen.Base{Name: "Schema map", Kind: "map", About: guide}, env: env, plan: newMapPlan(env.Session.Profile()), list: widget.NewList(env.Styles)}
	s.about = mapDetails{s: s, details: widget.NewPager(env.Styles)}
	s.drawing.s, s.patterns.s = s, s
	s.drawing.shift = make([]int, len(s.plan.blocks))
	s.patterns.all = present.PatternItems(env)
	s.list.SetItems(s.patterns.all)
	s.actions = env.Keys.Rebind("map", s.makeActions())
	s.setFocus(mapList)
	return s
}

// Typing reports whether keys go to the filter of the patterns.
func (s *mapScreen) Typing() bool { return s.list.Typing() }

// Status is what the profile holds.
func (s *mapScreen) Status() string {
	p := s.plan.profile
	text := fmt.Sprintf(
		"%s · %s · %s", present.Plural(len(p.Tables), "table"), present.Plural(len(p.Entities), "entity"),
		present.Plural(len(p.Patterns), "pattern"),
	)
	unread, all := s.plan.unreadIndexes()
	switch {
	case all == 0:
		return text
	case unread > 0:
		return text + fmt.Sprintf(" · ⚠ %d of %s without a pattern", unread, indexes(all))
	}
	return text + " · " + indexes(all) + ", all read"
}

// indexes counts them.
func indexes(n int) string {
	if n == 1 {
		return "1 index"
	}
	return strconv.Itoa(n) + " indexes"
}

// SetStyles changes the theme.
func (s *mapScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.list.SetStyles(st)
	s.about.details.SetStyles(st)
	s.about.told = nil
	s.refresh()
}

// Cancel leaves the patterns of a cell, a filter, or the map.
func (s *mapScreen) Cancel() bool {
	switch {
	case s.list.Filter() != "" && s.focus == mapList:
		s.list.SetFilter("")
	case s.focus == mapList && s.patterns.narrow:
		s.setFocus(mapGrid)
		return true
	case s.focus == mapText:
		s.setFocus(mapGrid)
		return true
	case s.focus == mapGrid:
		s.setFocus(mapList)
		return true
	default:
		return false
	}
	s.refresh()
	return true
}

// setFocus gives the keys to a pane. The list beside the map follows it: all
// patterns, or those of the cell under the cursor.
func (s *mapScreen) setFocus(p mapPane) {
	s.focus = p
	s.list.SetFocused(p == mapList)
	s.patterns.narrowTo(p == mapGrid)
	s.place()
}

// chooseReader goes from a cell to the patterns that read it.
func (r *mapReaders) chooseReader() {
	r.s.focus = mapList
	r.s.list.SetFocused(true)
	r.s.place()
}

// narrowTo lists the patterns of the cell under the cursor, or all.
func (r *mapReaders) narrowTo(cell bool) {
	if r.s.focus == mapText {
		return // The details are still about what was chosen.
	}
	r.narrow = cell
	r.s.list.SetFilter("")
	if !cell {
		r.s.list.SetItems(r.all)
		r.s.list.SetEmpty("no pattern is called that")
		return
	}
	readers := r.readers()
	r.s.list.SetEmpty("no pattern reads this")
	r.s.list.SetItems(slices.DeleteFunc(slices.Clone(r.all), func(it widget.ListItem) bool {
		return !slices.ContainsFunc(readers, func(p *accesspatterns.Pattern) bool { return p.ID == it.ID })
	}))
}

// readers lists the patterns of the cell under the cursor.
func (r *mapReaders) readers() []*accesspatterns.Pattern {
	b, e, c := r.s.patterns.spot()
	return r.s.plan.readersOf(b, e, c)
}

// spot is what the cursor is on: a table, an entity (else nil) and a column
// (else nil).
func (r *mapReaders) spot() (*mapBlock, *models.Entity, *mapColumn) {
	b := r.s.plan.blocks[r.s.at.block]
	var e *models.Entity
	if r.s.at.row > 0 {
		e = b.entities[r.s.at.row-1]
	}
	if r.s.at.column < 0 {
		return b, e, nil
	}
	return b, e, &b.columns[r.s.at.column]
}

// chosen is the pattern under the cursor of the list, nil for none.
func (s *mapScreen) chosen() *accesspatterns.Pattern {
	it, ok := s.list.Selected()
	if !ok {
		return nil
	}
	return s.plan.profile.Pattern(it.ID)
}

// refresh takes up what was chosen: the lit cells, the details, and what of the
// map is on the screen.
func (s *mapScreen) refresh() {
	s.drawing.lines = nil
	if s.focus != mapText {
		s.patterns.lit = nil
		if s.focus == mapList {
			s.patterns.lit = s.chosen()
		}
	}
	s.drawing.reveal()
	s.about.tell()
}

// mapDetails explains what is under the cursor.
type mapDetails struct {
	s *mapScreen

	details *widget.Pager
	samples map[*models.Entity]models.Item // nil until one is asked for
	told    any                            // what the details are about
}

// mapDrawing draws the grid of keys and says what is where on it.
type mapDrawing struct {
	s *mapScreen

	top   int      // first line on the screen
	shift []int    // columns that are scrolled out, by block
	lines []string // as drawn last, nil when something changed
}

// mapReaders are the patterns that read the cell under the cursor.
type mapReaders struct {
	s *mapScreen

	all    []widget.ListItem       // every pattern
	narrow bool                    // the list holds what reads the cell under the cursor
	lit    *accesspatterns.Pattern // whose cells are lit, nil for none
}
