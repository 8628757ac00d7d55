// Package schemamap is the screen that draws the keys of every entity and what a pattern
// reads.
package schemamap

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// pane is a part of the screen that can have the keyboard.
type pane uint8

const (
	paneList pane = iota // selecting a pattern highlights what it reads
	paneGrid             // selecting a cell lists the patterns that read it
	paneText
)

// mapSpot is a position on the map.
type mapSpot struct {
	block  int
	row    int // 0: the names of the key attributes, else the entity row-1
	column int // -1: the name of the table or of the entity
}

// mapScreen shows the schema of the session's profile: the patterns, the map, and the
// details of what is selected.
type mapScreen struct {
	screen.Base
	overlay.Host
	env  *screen.Env
	plan *mapPlan

	focus   pane
	list    *widget.List
	all     []widget.ListItem // every pattern
	narrow  bool              // the list contains only the patterns of the cell under the cursor
	grid    mapGrid
	details *widget.Pager
	samples map[*models.Entity]models.Item // invented examples, nil until one is needed
	actions widget.Actions

	w, h        int
	left        widget.Rect // the list with its frame; no cells while hidden
	right, text widget.Rect // the map and the details with their frames
}

var guide = screen.Guide{
	Purpose: "The whole schema: entities as rows, keys and indexes as columns. It shows what an index can find, and " +
		"which keys a change must update.",
	First: "select a pattern to see what it reads. Press tab to move to the map, where a cell lists the patterns that read it.",
	Signs: []screen.Sign{
		{Glyph: "{name}", Means: "a placeholder; it has the same color everywhere on the map"},
		{Glyph: "▸", Means: "the pattern returns these"},
		{Glyph: "=  …", Means: "the condition of the pattern: this value, or a prefix; what it fixes is underlined below"},
		{Glyph: "↑ ↓", Means: "the sort order of the pattern"},
		{Glyph: "✎ new", Means: "a key that must be updated with this change"},
		{Glyph: "·", Means: "no such key: the entity is not in that index"},
		{Glyph: "≈", Means: "can have the same key as another entity"},
		{Glyph: "⌕", Means: "an index: another way to query the same items"},
		{Glyph: "⚠", Means: "an index that no pattern uses"},
		{Glyph: "example", Means: "a sample key; no item has it"},
	},
}

// New returns the schema map with the cursor on the target.
func New(env *screen.Env, to screen.Map) screen.Screen {
	s := newMap(env)
	switch {
	case to.Pattern != nil:
		s.list.Select(to.Pattern.ID)
		s.refresh()
	case to.Entity != nil:
		block := s.plan.blockOf(to.Entity.Table)
		s.grid.at = mapSpot{block, 1 + slices.Index(s.plan.blocks[block].entities, to.Entity), -1}
		s.setFocus(paneGrid)
	case to.Table != nil:
		s.grid.at = mapSpot{block: s.plan.blockOf(to.Table), column: -1}
		s.setFocus(paneGrid)
	}
	return s
}

func newMap(env *screen.Env) *mapScreen {
	s := &mapScreen{
		Base: screen.Base{Name: "Schema map", Kind: "map", About: guide},
		env:  env, plan: newMapPlan(env.Session.Profile()), all: present.PatternItems(env),
		list: widget.NewList(env.Styles), details: widget.NewPager(env.Styles),
	}
	s.grid = mapGrid{st: env.Styles, plan: s.plan, shift: make([]int, len(s.plan.blocks))}
	s.list.SetStill(true)
	s.list.SetItems(s.all)
	s.Panes = s.panes
	s.actions = env.Keys.Rebind("map", s.makeActions())
	s.setFocus(paneList)
	return s
}

func (s *mapScreen) makeActions() widget.Actions {
	return append(widget.Actions{
		widget.NewAction("enter", "enter", "open", "open the pattern, or go to the patterns that read the cell",
			s.cannotEnter, s.enter),
		widget.NewAction("pane", "tab", "next pane", "switch between patterns, map and details",
			nil, func() tea.Cmd { return s.setFocus((s.focus + 1) % 3) }),
		widget.NewAction("pane-back", "shift+tab", "", "go to the previous pane",
			nil, func() tea.Cmd { return s.setFocus((s.focus + 2) % 3) }),
		widget.NewAction("copy", "y", "copy", "copy the map as Markdown tables", nil, s.copy),
	}, screen.PaneActions([]string{"patterns", "map", "details"}, func(int) string { return "" }, func(i int) { s.setFocus(pane(i)) })...)
}

// Actions returns the keys of the screen.
func (s *mapScreen) Actions() widget.Actions { return s.actions }

// Hints returns the keys of the bottom line.
func (s *mapScreen) Hints() widget.Actions {
	if s.list.Typing() {
		return widget.Actions{
			widget.NewAction("keep", "enter", "keep", "", nil, nil),
			widget.NewAction("clear", "esc", "all patterns", "", nil, nil),
		}
	}
	as := slices.Clone(s.actions)
	as[0].Desc = [...]string{"open pattern", "its patterns", "its patterns"}[s.focus]
	as[1].Desc = [...]string{"map", "details", "patterns"}[s.focus]
	return as
}

// Typing reports whether keys go to the filter of the patterns.
func (s *mapScreen) Typing() bool { return s.list.Typing() }

// Status returns the numbers of tables, entities, patterns and indexes.
func (s *mapScreen) Status() string {
	p := s.plan.profile
	text := fmt.Sprintf(
		"%s · %s · %s", present.Plural(len(p.Tables), "table"), present.Plural(len(p.Entities), "entity"),
		present.Plural(len(p.Patterns), "pattern"),
	)
	indexes := func(n int) string {
		if n == 1 {
			return "1 index"
		}
		return strconv.Itoa(n) + " indexes"
	}
	switch unused, all := s.plan.countIndexes(); {
	case all == 0:
		return text
	case unused > 0:
		return text + fmt.Sprintf(" · ⚠ %d of %s without a pattern", unused, indexes(all))
	default:
		return text + " · " + indexes(all) + ", all used"
	}
}

// SetStyles changes the theme.
func (s *mapScreen) SetStyles(st *widget.Styles) {
	s.env.Styles, s.grid.st = st, st
	s.list.SetStyles(st)
	s.details.SetStyles(st)
	s.refresh()
}

// Cancel clears the filter, or goes back to the pane before.
func (s *mapScreen) Cancel() bool {
	switch {
	case s.list.Filter() != "" && s.focus == paneList:
		s.list.SetFilter("")
		s.refresh()
	case s.focus == paneList && s.narrow, s.focus == paneText:
		s.setFocus(paneGrid)
	case s.focus == paneGrid:
		s.setFocus(paneList)
	default:
		return false
	}
	return true
}

func (s *mapScreen) setFocus(p pane) tea.Cmd {
	s.focus = p
	s.list.SetFocused(p == paneList)
	if p != paneText {
		s.listPatterns(p == paneGrid)
	}
	s.place()
	return nil
}

func (s *mapScreen) listPatterns(ofCell bool) {
	s.narrow = ofCell
	s.list.SetFilter("")
	if !ofCell {
		s.list.SetItems(s.all)
		s.list.SetEmpty("No pattern matches")
		return
	}
	readers := s.plan.readersOf(s.grid.spot())
	s.list.SetEmpty("No pattern reads this")
	s.list.SetItems(slices.DeleteFunc(slices.Clone(s.all), func(it widget.ListItem) bool {
		return !slices.ContainsFunc(readers, func(p *accesspatterns.Pattern) bool { return p.ID == it.ID })
	}))
}

func (s *mapScreen) selected() *accesspatterns.Pattern {
	it, ok := s.list.Selected()
	if !ok {
		return nil
	}
	return s.plan.profile.Pattern(it.ID)
}

func (s *mapScreen) refresh() {
	g := &s.grid
	g.lines = nil
	switch s.focus {
	case paneList:
		g.lit, g.on = s.selected(), widget.SurfacePlain
		if s.narrow {
			g.on = widget.SurfaceDim
		}
	case paneGrid:
		g.lit, g.on = nil, widget.SurfaceCursor
	case paneText: // The details are about what was selected before.
		g.on = widget.SurfaceDim
	}
	g.reveal()
}

func (s *mapScreen) cannotEnter() string {
	switch {
	case s.focus == paneList && s.selected() == nil:
		return "no pattern is selected"
	case s.focus != paneList && s.list.Len() == 0:
		return "no pattern reads this"
	}
	return ""
}

func (s *mapScreen) enter() tea.Cmd {
	if s.focus == paneList {
		return screen.Open(screen.Patterns{Pattern: s.selected()})
	}
	s.focusList()
	return nil
}

func (s *mapScreen) focusList() {
	s.focus = paneList
	s.list.SetFocused(true)
	s.place()
}

func (s *mapScreen) copy() tea.Cmd {
	return screen.Send(screen.CopyMsg{Text: s.plan.markdown(), What: "the schema map"})
}

// Update handles the messages that the root does not handle.
func (s *mapScreen) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	switch {
	case s.list.Typing():
		return s.updateList(msg)
	case !ok:
		return nil
	}
	if cmd, used := screen.Press(s.actions, press); used {
		return cmd
	}
	switch {
	case press.String() == "/":
		s.setFocus(paneList)
		return s.updateList(msg)
	case s.focus == paneList:
		return s.updateList(msg)
	case s.focus == paneText:
		s.details.Update(msg)
	default:
		s.move(press.String())
	}
	return nil
}

func (s *mapScreen) updateList(msg tea.Msg) tea.Cmd {
	cmd, _ := s.list.Update(msg)
	s.refresh()
	return cmd
}

func (s *mapScreen) move(key string) {
	at, half := s.grid.at, max(s.grid.area.H/2, 1)
	switch key {
	case "up", "k":
		at = s.plan.moveRows(at, -1)
	case "down", "j":
		at = s.plan.moveRows(at, 1)
	case "left", "h":
		at.column--
	case "right", "l":
		at.column++
	case "pgup", "ctrl+b", "ctrl+u":
		at = s.plan.moveRows(at, -half)
	case "pgdown", "ctrl+f", "ctrl+d":
		at = s.plan.moveRows(at, half)
	case "home", "g":
		at = mapSpot{column: at.column}
	case "end", "G":
		last := len(s.plan.blocks) - 1
		at = mapSpot{block: last, row: len(s.plan.blocks[last].entities), column: at.column}
	default:
		return
	}
	s.goTo(at)
}

func (s *mapScreen) goTo(at mapSpot) {
	at.column = min(max(at.column, -1), len(s.plan.blocks[at.block].columns)-1)
	if at == s.grid.at {
		return
	}
	s.grid.at = at
	s.listPatterns(true)
	s.refresh()
}

func (s *mapScreen) panes() widget.Panes {
	moved := func() tea.Cmd { s.refresh(); return nil }
	return widget.Panes{
		{Rect: s.left, Framed: true, Content: s.list, Focus: s.focusList, Moved: moved, Open: s.enter},
		{Rect: s.text, Framed: true, Focus: func() { s.setFocus(paneText) }, Scroll: s.details.Wheel},
		{
			Rect: s.right, Framed: true, Focus: func() { s.setFocus(paneGrid) },
			Other: func(x, y int) tea.Cmd {
				if at, ok := s.grid.hit(x, y); ok {
					s.goTo(at)
				}
				return nil
			},
			Scroll: func(up bool) { s.grid.scroll(map[bool]int{true: -3, false: 3}[up]) },
		},
	}
}

// SetSize sets the rectangle.
func (s *mapScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.place()
}

func (s *mapScreen) place() {
	left := min(max(s.w*30/100, 30), 46)
	if s.w < present.NarrowBelow && s.focus != paneList {
		left = 0
	}
	below := max(s.h-s.grid.height()-2, min(max(s.h*2/5, 8), 16))
	s.left = widget.Rect{W: left, H: s.h}
	s.right = widget.Rect{X: left, W: s.w - left, H: max(s.h-below, 0)}
	s.text = widget.Rect{X: left, Y: s.right.H, W: s.w - left, H: min(below, s.h)}
	s.grid.area = s.right.Inner()
	s.list.SetSize(widget.PanelInner(s.left.W, s.left.H))
	s.refresh()
}

// View draws the screen.
func (s *mapScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	st := s.env.Styles
	grid := widget.Panel{Title: s.grid.title(), Note: s.grid.note(), Focused: s.focus == paneGrid}.
		Render(st, s.grid.view(), s.right.W, s.right.H)
	subject := struct {
		at     mapSpot
		lit    *accesspatterns.Pattern
		narrow bool
	}{s.grid.at, s.grid.lit, s.narrow}
	text := s.details.Panel(
		widget.Panel{Title: s.detailTitle(), Focused: s.focus == paneText}, s.text.W, s.text.H, subject,
		func(w int) []string { return s.detailLines(min(w, textWidest)) },
	)
	right := widget.Rows(grid, text)
	if s.left.W == 0 {
		return right
	}
	list := widget.Panel{Title: "Patterns", Note: strconv.Itoa(s.list.Len()), Focused: s.focus == paneList}
	if s.narrow {
		list.Title = "Patterns of this"
	}
	return widget.Columns(list.Render(st, s.list.View(), s.left.W, s.left.H), right)
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "map", Title: "Schema map",
		Does:    "The keys of each entity, and what a pattern reads.",
		Actions: (&mapScreen{}).makeActions(), Pieces: screen.ListKeys(),
	}
}
