// Package compare is the screen that shows an item beside another state of it or another item.
package compare

import (
	"context"
	"errors"
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

// compareSide is one of the two states.
type compareSide struct {
	title  string // "as it is", "after Approve"
	table  *models.Table
	entity *models.Entity // nil: no entity matches
	item   models.Item    // as stored
	masked models.Item
	given  bool // a person pasted it
}

// remask works out anew what may be shown.
func (c *compareSide) remask(env *screen.Env, m *models.Masker) {
	c.masked = m.Item(c.table, c.item)
	c.entity = nil
	if r, ok := env.Session.Recognize(c.table, c.item); ok {
		c.entity = r.Entity
	}
}

// part is an attribute of the side.
func (c *compareSide) part(name string) comparePart {
	if c.names(name) {
		return comparePart{c.item[name], c.masked[name]}
	}
	return comparePart{c.item[name], models.HiddenValue()}
}

// names reports whether an attribute may be called by its name.
func (c *compareSide) names(name string) bool { return c.item[name] == nil || c.masked[name] != nil }

// name is what people call the item of the side by.
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

// state is where the item stands, "" without a lifecycle.
func (c *compareSide) state() string {
	if c.entity == nil || len(c.entity.Lifecycles) == 0 {
		return ""
	}
	text, _ := c.masked.Text(c.entity.Lifecycles[0].Attribute)
	return text
}

// compareScreen shows two sides, or the list of what the left one can be
// compared with.
type compareScreen struct {
	screen.Base
	env    *screen.Env
	masker *models.Masker
	left   compareSide
	right  compareSide // without a table: not chosen yet

	diff         comparison
	lines        *widget.Lines
	draw         *compareLines
	w, h         int
	overlay.Host // the menu of what can be copied
	choose       compareChoices
	drawing      compareDrawing
	moves        compareMoves
	reading      compareReading
}

// compareLoad is the reading, or planning, of the right side.
type compareLoad struct {
	req     uint64
	what    string // "" when nothing is under way
	started time.Time
	elapsed time.Duration
	cancel  context.CancelFunc
	err     error
}

// compareLoadedMsg is a right side, or why there is none.
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

// New returns the comparison of an item; the other side is chosen first.
func New(env *screen.Env, to screen.Compare) screen.Screen { return newCompare(env, to) }

func newCompare(env *screen.Env, to screen.Compare) *compareScreen {
	s := &compareScreen{Base: screen.Base{Name: "Compare", Kind: "compare", About: guide},
		env: env, left: compareSide{title: to.As, table: to.Table, item: to.Item},
		lines: widget.NewLines(env.Styles), diff: comparison{folds: map[string]bool{}},
	}
	s.choose = compareChoices{s: s, choices: widget.NewList(env.Styles), picking: true}
	s.drawing.s, s.moves.s, s.reading.s = s, s, s
	s.draw = &compareLines{s: s}
	s.choose.choices.StartTyping()
	s.choose.choices.SetPlaceholder("type to filter, or paste a key, an id or an item as JSON")
	s.choose.choices.SetEmpty("nothing is called so · enter reads it as a key or an id")
	s.choose.sources = compareSources(env, s.left, to)
	s.remake()
	return s
}

// Close cancels what is read.
func (s *compareScreen) Close() { s.reading.load.stop() }

func (l *compareLoad) stop() {
	if l.cancel != nil {
		l.cancel()
		l.cancel = nil
	}
	l.what = ""
	l.req++ // What still arrives is not waited for.
}

// Typing reports whether keys are text: while the other side is chosen, they
// filter.
func (s *compareScreen) Typing() bool { return s.Box != nil || s.choose.picking }

// Cancel stops a reading, or goes back to the comparison from the choices.
func (s *compareScreen) Cancel() bool {
	switch {
	case s.Box != nil:
		s.CancelBox()
	case s.reading.load.what != "":
		s.reading.load.stop()
	case s.choose.picking && s.right.table != nil:
		s.choose.picking, s.reading.load.err = false, nil
	default:
		return false
	}
	return true
}

// Status counts what differs.
func (s *compareScreen) Status() string {
	if s.choose.picking {
		return present.Plural(len(s.choose.sources), "choice")
	}
	var parts []string
	for _, state := range compareStates() {
		if n := s.diff.counts[state]; n > 0 {
			_, words := state.words(false)
			parts = append(parts, strconv.Itoa(n)+" "+words)
		}
	}
	if len(parts) == 0 {
		return "both are empty"
	}
	return strings.Join(parts, " · ")
}

// SetStyles changes the theme.
func (s *compareScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.choose.choices.SetStyles(st)
	s.lines.SetStyles(st)
	s.StyleBox(st)
}

// Update takes messages.
func (s *compareScreen) Update(msg tea.Msg) tea.Cmd {
	s.checkMasker()
	switch msg := msg.(type) {
	case compareLoadedMsg:
		s.reading.Loaded(msg)
		return nil
	case compareTickMsg:
		return s.reading.tick(msg)
	}
	if s.Box != nil {
		return s.ToBox(msg)
	}
	if s.choose.picking {
		return s.choose.updateChoices(msg)
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	if cmd, used := screen.Press(s.Actions(), press); used {
		return cmd
	}
	s.lines.Update(press)
	return nil
}

// updateChoices takes what is typed or pasted while the other side is chosen.
func (ch *compareChoices) updateChoices(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok && strings.TrimSpace(paste.Content) != "" {
		return ch.comparePasted(paste.Content)
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "enter":
			return ch.choose()
		case "esc":
			return ch.leaveChoices()
		case "tab", "shift+tab":
			return nil // There is nothing else to go to.
		}
	}
	cmd, _ := ch.choices.Update(msg)
	return cmd
}

// leaveChoices clears what was typed, then goes back to where one came from.
func (ch *compareChoices) leaveChoices() tea.Cmd {
	switch {
	case ch.s.reading.load.what != "":
		ch.s.reading.load.stop()
	case ch.choices.Filter() != "":
		ch.choices.SetFilter("")
	case ch.s.right.table != nil:
		ch.picking, ch.s.reading.load.err = false, nil
	default:
		return screen.Send(screen.BackMsg{})
	}
	return nil
}

// choose takes the choice under the cursor. What was typed and names none is
// read as a key.
func (ch *compareChoices) choose() tea.Cmd {
	chosen, ok := ch.choices.Selected()
	if !ok {
		if text := strings.TrimSpace(ch.choices.Filter()); text != "" {
			return ch.comparePasted(text)
		}
		return nil
	}
	for i := range ch.sources {
		if strconv.Itoa(i) == chosen.ID {
			return ch.s.reading.Start(ch.sources[i].title, ch.sources[i].load)
		}
	}
	return nil
}

// start reads or plans the other side.
func (rd *compareReading) Start(what string, load func(ctx context.Context) (compareSide, error)) tea.Cmd {
	rd.load.stop()
	ctx, cancel := context.WithCancel(rd.s.env.Context)
	rd.load = compareLoad{req: rd.load.req, what: what, started: rd.s.env.Now(), cancel: cancel}
	req := rd.load.req
	return tea.Batch(func() tea.Msg {
		side, err := load(ctx)
		return compareLoadedMsg{rd.s, req, side, err}
	}, rd.nextTick(widget.BusyAfter))
}

func (rd *compareReading) nextTick(d time.Duration) tea.Cmd {
	msg := compareTickMsg{rd.s, rd.load.req}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

func (rd *compareReading) tick(msg compareTickMsg) tea.Cmd {
	if msg.screen != rd.s || msg.req != rd.load.req || rd.load.what == "" {
		return nil
	}
	rd.load.elapsed = max(rd.s.env.Now().Sub(rd.load.started), rd.load.elapsed+widget.BusyFrame, widget.BusyAfter)
	return rd.nextTick(widget.BusyFrame)
}

// loaded shows the comparison, or keeps the choices and says what went wrong.
func (rd *compareReading) Loaded(msg compareLoadedMsg) {
	if msg.screen != rd.s || msg.req != rd.load.req {
		return
	}
	rd.load.stop()
	var asks *planAsks
	if errors.As(msg.err, &asks) {
		rd.load.err = nil
		rd.s.choose.askInput(asks)
		return
	}
	if rd.load.err = msg.err; msg.err != nil {
		return
	}
	rd.s.right, rd.s.choose.picking = msg.side, false
	rd.s.diff.folds = map[string]bool{}
	rd.s.remake()
	rd.s.lines.Go(0)
	rd.s.moves.nextDifference(0)
}

// checkMasker hides or shows again what was revealed or hidden elsewhere.
func (s *compareScreen) checkMasker() {
	if s.masker != s.env.Session.Masker() {
		s.remake()
	}
}

// remake works out everything that depends on the sides.
func (s *compareScreen) remake() {
	s.masker = s.env.Session.Masker()
	s.left.remask(s.env, s.masker)
	if s.right.table != nil {
		s.right.remask(s.env, s.masker)
	}
	s.choose.choices.SetItems(sourceItems(s.choose.sources))
	s.refresh()
}

// refresh makes the rows anew.
func (s *compareScreen) refresh() {
	if s.right.table != nil {
		s.diff.compareItems(s.left, s.right)
	}
	s.draw.Arrange()
	s.lines.SetSource(s.draw)
}

var _ interface {
	screen.Screen
	screen.Typer
	screen.Clicker
	screen.Canceller
	screen.Pointer
	screen.Restyler
} = (*compareScreen)(nil)

// compareChoices lists what the left side can be compared with, and reads what was chosen.
type compareChoices struct {
	s *compareScreen

	sources []compareSource
	choices *widget.List
	picking bool // the choices are in view
}

// compareDrawing draws the parts of the screen.
type compareDrawing struct {
	s *compareScreen
}

// compareMoves goes from difference to difference and unfolds documents.
type compareMoves struct {
	s *compareScreen
}

// compareReading reads or plans the right side.
type compareReading struct {
	s *compareScreen

	load compareLoad
}
