package schemamap

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// makeActions is the table of keys, the most important first.
func (s *mapScreen) makeActions() widget.Actions {
	return widget.Actions{
		{
			Name: "enter", Binding: widget.Bind("enter", "enter"), Desc: "open",
			Long: "open the pattern, or go to the patterns that read the cell", Disabled: s.cannotEnter, Run: s.enter,
		},
		{
			Name: "pane", Binding: widget.Bind("tab", "tab"), Desc: "next pane",
			Long: "switch between patterns, map and details", Run: s.patterns.next,
		},
		{Name: "pane-back", Binding: widget.Bind("shift+tab", "shift+tab"), Long: "go to the previous pane", Run: s.patterns.previous},
		{Name: "copy", Binding: widget.Bind("y", "y"), Desc: "copy", Long: "copy the map as Markdown tables", Run: s.copyMap},
	}
}

// Actions are the keys of the screen.
func (s *mapScreen) Actions() widget.Actions { return s.actions }

// Hints are the keys of the bottom line.
func (s *mapScreen) Hints() widget.Actions {
	if s.list.Typing() {
		return widget.Actions{
			{Name: "keep", Binding: widget.Bind("enter", "enter"), Desc: "keep"},
			{Name: "clear", Binding: widget.Bind("esc", "esc"), Desc: "all patterns"},
		}
	}
	as := widget.Actions{}
	for _, a := range s.actions {
		switch a.Name {
		case "enter":
			a.Desc = "open pattern"
			if s.focus != mapList {
				a.Desc = "its patterns"
			}
		case "pane":
			a.Desc = [...]string{"map", "details", "patterns"}[s.focus]
		}
		as = append(as, a)
	}
	return as
}

func (s *mapScreen) cannotEnter() string {
	switch {
	case s.focus == mapList && s.chosen() == nil:
		return "no pattern is chosen"
	case s.focus != mapList && s.list.Len() == 0:
		return "no pattern reads this"
	}
	return ""
}

func (s *mapScreen) enter() tea.Cmd {
	if s.focus == mapList {
		return screen.Open(screen.Patterns{Pattern: s.chosen()})
	}
	s.patterns.chooseReader()
	return nil
}

func (r *mapReaders) next() tea.Cmd {
	r.s.setFocus((r.s.focus + 1) % 3)
	return nil
}

func (r *mapReaders) previous() tea.Cmd {
	r.s.setFocus((r.s.focus + 2) % 3)
	return nil
}

// Update handles what the root does not take for itself.
func (s *mapScreen) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	switch {
	case ok && s.list.Typing():
		return s.patterns.toList(msg)
	case !ok:
		if s.list.Typing() {
			return s.patterns.toList(msg)
		}
		return nil
	}
	if cmd, used := screen.Press(s.actions, press); used {
		return cmd
	}
	switch {
	case press.String() == "/":
		s.setFocus(mapList)
		return s.patterns.toList(msg)
	case s.focus == mapList:
		return s.patterns.toList(msg)
	case s.focus == mapText:
		s.about.details.Update(msg)
		return nil
	}
	s.move(press.String())
	return nil
}

func (r *mapReaders) toList(msg tea.Msg) tea.Cmd {
	cmd, _ := r.s.list.Update(msg)
	r.s.refresh()
	return cmd
}

// move moves the cursor on the map.
func (s *mapScreen) move(key string) {
	at := s.at
	switch key {
	case "up", "k":
		at = s.above(at)
	case "down", "j":
		at = s.below(at)
	case "left", "h":
		at.column--
	case "right", "l":
		at.column++
	case "pgup", "ctrl+b", "ctrl+u":
		for range max(s.lay.grid.H/2, 1) {
			at = s.above(at)
		}
	case "pgdown", "ctrl+f", "ctrl+d":
		for range max(s.lay.grid.H/2, 1) {
			at = s.below(at)
		}
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

// goTo moves the cursor to a place, or as near as there is one.
func (s *mapScreen) goTo(at mapSpot) {
	at.column = min(max(at.column, -1), len(s.plan.blocks[at.block].columns)-1)
	if at == s.at {
		return
	}
	s.at = at
	s.patterns.narrowTo(true)
	s.refresh()
}

func (s *mapScreen) above(at mapSpot) mapSpot {
	switch {
	case at.row > 0:
		at.row--
	case at.block > 0:
		at.block--
		at.row = len(s.plan.blocks[at.block].entities)
	}
	return at
}

func (s *mapScreen) below(at mapSpot) mapSpot {
	switch {
	case at.row < len(s.plan.blocks[at.block].entities):
		at.row++
	case at.block+1 < len(s.plan.blocks):
		at.block++
		at.row = 0
	}
	return at
}

// Click chooses a pattern or a cell; a second click opens the pattern.
func (s *mapScreen) Click(x, y int) tea.Cmd {
	switch {
	case s.lay.list.Has(x, y):
		if s.focus != mapList && !s.patterns.narrow {
			s.setFocus(mapList)
		}
		s.focus = mapList
		s.list.SetFocused(true)
		again, _ := s.list.Click(x-s.lay.list.X-1, y-s.lay.list.Y-1)
		s.place()
		if again && s.chosen() != nil {
			return s.enter()
		}
	case s.lay.details.Has(x, y):
		s.setFocus(mapText)
	case s.lay.grid.Has(x, y):
		at, ok := s.drawing.hit(x-s.lay.grid.X, y-s.lay.grid.Y)
		s.setFocus(mapGrid)
		if ok {
			s.goTo(at)
		}
	}
	return nil
}

// Wheel scrolls what the pointer is on.
func (s *mapScreen) Wheel(x, y int, up bool) tea.Cmd {
	switch {
	case s.lay.list.Has(x, y):
		s.list.Wheel(up)
		s.refresh()
	case s.lay.details.Has(x, y):
		s.about.details.Wheel(up)
	default:
		by := 3
		if up {
			by = -3
		}
		s.drawing.scroll(by)
	}
	return nil
}

// Cursor is the terminal's cursor in the filter.
func (s *mapScreen) Cursor() *tea.Cursor {
	return widget.MoveCursor(s.list.Cursor(), s.lay.list.X+1, s.lay.list.Y+1)
}

// guide introduces the screen in its help.
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
		{Glyph: "made up", Means: "an invented example: no item has this key"},
	},
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "map", Title: "Schema map",
		Does:    "The keys of each entity, and what a pattern reads.",
		Actions: (&mapScreen{}).makeActions(), Pieces: screen.ListKeys(),
	}
}
