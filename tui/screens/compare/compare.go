// Package compare is the screen that shows an item beside another state of it or beside
// another item.
package compare

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// compareSide is a side of the comparison.
type compareSide struct {
	title  string        // the state of the item: "current", "after Approve"
	table  *models.Table // nil: not selected yet
	entity *models.Entity
	item   models.Item // as stored
	masked models.Item // as shown
	origin origin
}

// origin is where the item of a side is from, and with that what a change of the item means.
type origin uint8

const (
	fromRead  origin = iota // read from the table: the side shows the current state
	fromPlan                // planned from the current state
	fromEarly               // an earlier state, which stays what it is
	fromUser                // pasted by the user
)

func (c *compareSide) remask(env *screen.Env, m *models.Masker) {
	c.masked = m.Item(c.table, c.item)
	c.entity = nil
	if r, ok := env.Session.Recognize(c.table, c.item); ok {
		c.entity = r.Entity
	}
}

func (c *compareSide) part(name string) comparePart {
	if c.names(name) {
		return comparePart{c.item[name], c.masked[name]}
	}
	return comparePart{c.item[name], models.HiddenValue()}
}

func (c *compareSide) names(name string) bool { return c.item[name] == nil || c.masked[name] != nil }

func (c *compareSide) name(env *screen.Env) string {
	key := c.table.KeyText(c.masked)
	r, ok := env.Session.Recognize(c.table, c.item)
	if !ok {
		return key
	}
	id := present.ItemTitle(r.Entity, env.Session.Masker(), r, c.item).Text
	if id == "" {
		id = key
	}
	return present.EntityName(r.Entity) + " " + id
}

func (c *compareSide) state() string {
	if c.entity == nil || len(c.entity.Lifecycles) == 0 {
		return ""
	}
	text, _ := c.masked.Text(c.entity.Lifecycles[0].Attribute)
	return text
}

// compareScreen shows two sides or, while picking, the list of what the left one can be
// compared with.
type compareScreen struct {
	screen.Base
	overlay.Host // the menu of what can be copied
	env          *screen.Env
	masker       *models.Masker // that the rows were made with
	left, right  compareSide

	with   screen.Compare // what was opened; its items follow changes
	choice chooser
	found  differences
	w, h   int
}

var guide = screen.Guide{
	Purpose: "Two items, or two states of one item, side by side: what is equal, what differs, and what only one of them has.",
	First:   "choose what to compare with, or paste a key or an item.",
	Signs: screen.Signs([]screen.Sign{
		{Glyph: "≠", Means: "different on both sides"},
		{Glyph: "◂", Means: "only at the left"},
		{Glyph: "▸", Means: "only at the right, or a folded part"},
		{Glyph: "▾", Means: "an unfolded part"},
	}, screen.StateSigns, screen.MaskSigns),
}

// New returns the comparison of an item; the other side is chosen first.
func New(env *screen.Env, to screen.Compare) screen.Screen { return newCompare(env, to) }

func newCompare(env *screen.Env, to screen.Compare) *compareScreen {
	s := &compareScreen{
		Base: screen.Base{Name: "Compare", Kind: "compare", About: guide},
		env:  env, with: to, left: compareSide{title: to.As, table: to.Table, item: to.Item},
	}
	s.choice = chooser{choices: widget.NewList(env.Styles), picking: true}
	s.found = differences{lines: widget.NewLines(env.Styles), diff: comparison{folds: map[string]bool{}}}
	s.found.rows = compareLines{env: env, diff: &s.found.diff, left: &s.left, right: &s.right}
	s.choice.choices.StartTyping()
	s.choice.choices.SetPlaceholder("type to filter, or paste a key, an ID or an item as JSON")
	s.choice.choices.SetEmpty("No match. Press enter to use the text as a key or an ID.")
	s.choice.sources = compareSources(env, to)
	s.Panes = s.panes
	s.remake()
	return s
}

// Init reads the other side if it is known.
func (s *compareScreen) Init() tea.Cmd {
	if s.with.With == nil {
		return nil
	}
	side := compareSide{table: s.with.Table, item: s.with.With}
	side.remask(s.env, s.env.Session.Masker())
	src := readSource(s.env, side.name(s.env), side.table, side.item)
	return s.start(src.title, src.load)
}

// Committed shows what a change made of the items. A side that was planned from an earlier state
// is marked, and what is being read may be older, so that it is read again.
func (s *compareScreen) Committed(list []screen.Committed) tea.Cmd {
	for _, c := range list {
		s.left.learn(c)
		s.right.learn(c)
		s.with = learned(s.with, c)
	}
	s.choice.sources = compareSources(s.env, s.with)
	s.remake()
	return s.again()
}

func (c *compareSide) learn(made screen.Committed) {
	if c.table != made.Table || results.Key(c.table, c.item) != results.Key(made.Table, made.Key) {
		return
	}
	switch {
	case c.origin == fromPlan:
		c.title = strings.TrimSuffix(c.title, outdated) + outdated
	case c.origin == fromRead && made.Item == nil:
		c.title = "as it was"
	case c.origin == fromRead:
		c.item = made.Item
		if c.title == "as it was" || c.title == "as the list showed it" {
			c.title = "as it is"
		}
	}
}

// outdated ends the title of a state that was planned before the item was changed.
const outdated = " · outdated"

func learned(with screen.Compare, made screen.Committed) screen.Compare {
	if with.Table != made.Table || made.Item == nil {
		return with
	}
	key := results.Key(made.Table, made.Key)
	if results.Key(with.Table, with.Item) == key {
		with.Item = made.Item
	}
	with.Rows = slices.Clone(with.Rows)
	for i, it := range with.Rows {
		if results.Key(with.Table, it) == key {
			with.Rows[i] = made.Item
		}
	}
	return with
}

// Close cancels the load.
func (s *compareScreen) Close() { s.choice.load.stop() }

// Typing reports whether printable keys are text. They filter the choices until a choice is
// clicked.
func (s *compareScreen) Typing() bool {
	return s.Box != nil || s.choice.picking && s.choice.choices.Typing()
}

// Cancel stops the load, or goes back from the choices to the comparison.
func (s *compareScreen) Cancel() bool {
	switch {
	case s.Box != nil:
		s.CancelBox()
	case s.choice.load.what != "":
		s.choice.load.stop()
	case s.choice.picking && s.right.table != nil:
		s.choice.picking, s.choice.load.err = false, nil
	default:
		return false
	}
	return true
}

// Status counts the attributes by state.
func (s *compareScreen) Status() string {
	if s.choice.picking {
		return present.Plural(len(s.choice.sources), "choice")
	}
	var parts []string
	for _, state := range compareStates() {
		if n := s.found.diff.counts[state]; n > 0 {
			_, words := state.words(false)
			parts = append(parts, strconv.Itoa(n)+" "+words)
		}
	}
	if len(parts) == 0 {
		return "both items are empty"
	}
	return strings.Join(parts, " · ")
}

// SetStyles changes the theme.
func (s *compareScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.choice.choices.SetStyles(st)
	s.found.lines.SetStyles(st)
	s.StyleBox(st)
}

// Update handles the messages that the root does not handle.
func (s *compareScreen) Update(msg tea.Msg) tea.Cmd {
	s.checkMasker()
	switch msg := msg.(type) {
	case compareLoadedMsg:
		s.loaded(msg)
		return nil
	case compareTickMsg:
		return s.tick(msg)
	}
	if s.Box != nil {
		return s.ToBox(msg)
	}
	if s.choice.picking {
		return s.updateChoices(msg)
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	cmd, used := screen.Press(s.Actions(), press)
	if !used {
		s.found.lines.Update(press)
	}
	return cmd
}

func (s *compareScreen) checkMasker() {
	if s.masker != s.env.Session.Masker() {
		s.remake()
	}
}

func (s *compareScreen) remake() {
	s.masker = s.env.Session.Masker()
	s.left.remask(s.env, s.masker)
	if s.right.table != nil {
		s.right.remask(s.env, s.masker)
	}
	s.choice.choices.SetItems(sourceItems(s.choice.sources))
	s.refresh()
}
