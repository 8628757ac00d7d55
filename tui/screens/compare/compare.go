// Package compare is the screen that shows an item beside another state of it or beside
// another item.
package compare

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
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
	given  bool        // pasted by the user
}

// remask masks the item again and recognizes its entity.
func (c *compareSide) remask(env *screen.Env, m *models.Masker) {
	c.masked = m.Item(c.table, c.item)
	c.entity = nil
	if r, ok := env.Session.Recognize(c.table, c.item); ok {
		c.entity = r.Entity
	}
}

// part returns an attribute of the side.
func (c *compareSide) part(name string) comparePart {
	if c.names(name) {
		return comparePart{c.item[name], c.masked[name]}
	}
	return comparePart{c.item[name], models.HiddenValue()}
}

// names reports whether the name of an attribute may be shown.
func (c *compareSide) names(name string) bool { return c.item[name] == nil || c.masked[name] != nil }

// name returns the entity and the ID of the item, or its key.
func (c *compareSide) name(env *screen.Env) string {
	key := c.table.KeyText(c.masked)
	r, ok := env.Session.Recognize(c.table, c.item)
	if !ok {
		return key
	}
	id := present.ItemID(r.Entity, env.Session.Masker(), r, c.item).Text
	if id == "" {
		id = key
	}
	return present.EntityName(r.Entity) + " " + id
}

// state returns the state of the item's lifecycle, "" if it has none.
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

	sources []compareSource
	choices *widget.List
	picking bool
	load    compareLoad

	diff  comparison
	rows  compareLines
	lines *widget.Lines
	w, h  int
}

// compareLoad is the read or the plan of the right side.
type compareLoad struct {
	req     uint64 // numbers the loads: a result of an older one is dropped
	what    string // "" while nothing is loading
	started time.Time
	elapsed time.Duration
	cancel  context.CancelFunc
	err     error // of the last load
}

// compareLoadedMsg is the right side, or why it could not be loaded.
type compareLoadedMsg struct {
	screen *compareScreen
	req    uint64
	side   compareSide
	err    error
}

// compareTickMsg moves the spinner.
type compareTickMsg struct {
	screen *compareScreen
	req    uint64
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
		env:  env, left: compareSide{title: to.As, table: to.Table, item: to.Item}, picking: true,
		choices: widget.NewList(env.Styles), lines: widget.NewLines(env.Styles), diff: comparison{folds: map[string]bool{}},
	}
	s.rows = compareLines{env: env, diff: &s.diff, left: &s.left, right: &s.right}
	s.choices.StartTyping()
	s.choices.SetPlaceholder("type to filter, or paste a key, an ID or an item as JSON")
	s.choices.SetEmpty("No match. Press enter to use the text as a key or an ID.")
	s.sources = compareSources(env, s.left, to)
	s.Panes = s.panes
	s.remake()
	return s
}

// Close cancels the load.
func (s *compareScreen) Close() { s.load.stop() }

func (l *compareLoad) stop() {
	if l.cancel != nil {
		l.cancel()
		l.cancel = nil
	}
	l.what = ""
	l.req++
}

// Typing reports whether printable keys are text. They filter the choices.
func (s *compareScreen) Typing() bool { return s.Box != nil || s.picking }

// Cancel stops the load, or goes back from the choices to the comparison.
func (s *compareScreen) Cancel() bool {
	switch {
	case s.Box != nil:
		s.CancelBox()
	case s.load.what != "":
		s.load.stop()
	case s.picking && s.right.table != nil:
		s.picking, s.load.err = false, nil
	default:
		return false
	}
	return true
}

// Status counts the attributes by state.
func (s *compareScreen) Status() string {
	if s.picking {
		return present.Plural(len(s.sources), "choice")
	}
	var parts []string
	for _, state := range compareStates() {
		if n := s.diff.counts[state]; n > 0 {
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
	s.choices.SetStyles(st)
	s.lines.SetStyles(st)
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
	if s.picking {
		return s.updateChoices(msg)
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	cmd, used := screen.Press(s.Actions(), press)
	if !used {
		s.lines.Update(press)
	}
	return cmd
}

// updateChoices handles typed and pasted text while the other side is chosen.
func (s *compareScreen) updateChoices(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok && strings.TrimSpace(paste.Content) != "" {
		return s.comparePasted(paste.Content)
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "enter":
			return s.choose()
		case "esc":
			return s.leaveChoices()
		case "tab", "shift+tab":
			return nil // The list is the only pane.
		}
	}
	cmd, _ := s.choices.Update(msg)
	return cmd
}

// leaveChoices stops the load, clears the filter, or goes back.
func (s *compareScreen) leaveChoices() tea.Cmd {
	if s.load.what == "" && s.choices.Filter() != "" {
		s.choices.SetFilter("")
		return nil
	}
	if s.Cancel() {
		return nil
	}
	return screen.Send(screen.BackMsg{})
}

// choose loads the choice under the cursor. A text that matches none is used as a key.
func (s *compareScreen) choose() tea.Cmd {
	chosen, ok := s.choices.Selected()
	if !ok {
		if text := strings.TrimSpace(s.choices.Filter()); text != "" {
			return s.comparePasted(text)
		}
		return nil
	}
	for i, source := range s.sources {
		if strconv.Itoa(i) == chosen.ID {
			return s.start(source.title, source.load)
		}
	}
	return nil
}

// start loads the right side.
func (s *compareScreen) start(what string, load func(ctx context.Context) (compareSide, error)) tea.Cmd {
	s.load.stop()
	ctx, cancel := context.WithCancel(s.env.Context)
	s.load = compareLoad{req: s.load.req, what: what, started: s.env.Now(), cancel: cancel}
	req := s.load.req
	return tea.Batch(func() tea.Msg {
		side, err := load(ctx)
		return compareLoadedMsg{s, req, side, err}
	}, s.nextTick(widget.BusyAfter))
}

func (s *compareScreen) nextTick(d time.Duration) tea.Cmd {
	msg := compareTickMsg{s, s.load.req}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

func (s *compareScreen) tick(msg compareTickMsg) tea.Cmd {
	if msg.screen != s || msg.req != s.load.req || s.load.what == "" {
		return nil
	}
	s.load.elapsed = max(s.env.Now().Sub(s.load.started), s.load.elapsed+widget.BusyFrame, widget.BusyAfter)
	return s.nextTick(widget.BusyFrame)
}

// loaded shows the comparison, or stays at the choices and shows the error.
func (s *compareScreen) loaded(msg compareLoadedMsg) {
	if msg.screen != s || msg.req != s.load.req {
		return
	}
	s.load.stop()
	var asks *planAsks
	if errors.As(msg.err, &asks) {
		s.load.err = nil
		s.askInput(asks)
		return
	}
	if s.load.err = msg.err; msg.err != nil {
		return
	}
	s.right, s.picking = msg.side, false
	s.diff.folds = map[string]bool{}
	s.remake()
	s.lines.Go(0)
	s.goToDifference(0, 1)
}

// checkMasker masks the items again after a reveal or its end on another screen.
func (s *compareScreen) checkMasker() {
	if s.masker != s.env.Session.Masker() {
		s.remake()
	}
}

// remake computes everything that depends on the sides.
func (s *compareScreen) remake() {
	s.masker = s.env.Session.Masker()
	s.left.remask(s.env, s.masker)
	if s.right.table != nil {
		s.right.remask(s.env, s.masker)
	}
	s.choices.SetItems(sourceItems(s.sources))
	s.refresh()
}

// refresh lists the rows again.
func (s *compareScreen) refresh() {
	if s.right.table != nil {
		s.diff.compareItems(s.left, s.right)
	}
	s.rows.arrange()
	s.lines.SetSource(&s.rows)
}

// row returns the row under the cursor and its index, nil if there is none.
func (s *compareScreen) row() (*compareRow, int) {
	at, ok := s.lines.At()
	if !ok || at >= len(s.rows.lines) {
		return nil, 0
	}
	i := s.rows.lines[at].row
	return &s.diff.rows[i], i
}

// goTo moves the cursor to a row.
func (s *compareScreen) goTo(row int) {
	if i := slices.IndexFunc(s.rows.lines, func(l compareLine) bool { return l.row == row }); i >= 0 {
		s.lines.Go(i)
	}
}

// goToDifference moves the cursor to the next difference from a row on, in the direction
// 1 or -1. An unfolded row is none; its parts are.
func (s *compareScreen) goToDifference(from, direction int) bool {
	for i := from; i >= 0 && i < len(s.diff.rows); i += direction {
		if r := &s.diff.rows[i]; r.state != compareSame && (!r.fold || !s.diff.unfolded(r)) {
			s.goTo(i)
			return true
		}
	}
	return false
}
