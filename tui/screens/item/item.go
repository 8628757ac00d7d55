// Package item is the screen that shows one item: attributes, keys, lifecycle, history and relations.
package item

import (
	"context"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// The tabs of the item screen, in their order.
const (
	tabOverview = iota
	tabKeys
	tabLifecycle
	tabTimeline
	tabRelated
	tabFindings
	tabRaw
	tabCount
)

// itemScreen shows one item: at first as a list had it, then as it was read
// again from the table.
type itemScreen struct {
	overlay.Host
	env   *screen.Env
	table *models.Table
	row   models.Item   // as the list showed it
	among []models.Item // the rows of that list
	item  models.Item   // what is shown

	facts  itemFacts
	masker *models.Masker // what facts was made with
	read   itemRead

	tabs widget.Tabs

	raw    *rawView
	search itemSearch

	counts itemCounts

	moves itemMoves
	past  *itemTimeline

	w, h       int
	attributes attributesTab
	relations  relatedTab
	header     itemHeader
	texts      itemTexts
	does       itemActions
}

// New returns the screen of an item as it stands in a list. Init reads it
// again: the row may come from an index, which lags and may hold only a part.
func New(env *screen.Env, to screen.Item) screen.Screen {
	s := &itemScreen{
		env: env, table: to.Table, row: to.Item, item: to.Item, among: to.Among,
		raw: newRawView(env.Styles),
	}
	s.wire()
	s.attributes.fields, s.attributes.open = widget.NewFields(env.Styles), map[string]bool{}
	s.relations.list = widget.NewList(env.Styles)
	s.search.find = widget.NewFind()
	for i := range s.texts.pagers {
		s.texts.pagers[i] = widget.NewPager(env.Styles)
	}
	s.relations.list.SetPlaceholder("filter what can be run from here")
	s.relations.list.SetEmpty("no pattern can be run from this item")
	s.past = newItemTimeline(s)
	s.remake()
	if to.Keys {
		s.tabs.Active = tabKeys
	}
	return s
}

// wire lets the parts know the screen that they belong to.
func (s *itemScreen) wire() *itemScreen {
	s.attributes.s, s.relations.s, s.search.s, s.counts.s, s.moves.s, s.read.s = s, s, s, s, s, s
	s.header.s, s.texts.s, s.does.s = s, s, s
	return s
}

// Subject is the entity of the item.
func (s *itemScreen) Subject() screen.Subject {
	return screen.Subject{Entity: s.facts.entity, Findings: s.facts.findings}
}

// titleID is how many cells of an id a title has: that of a UUID with a prefix,
// and of most others. Where there is less room the title is cut there.
const titleID = 60

// Title is the entity and the id.
func (s *itemScreen) Title() string {
	s.checkMasker() // It is seen while other screens are.
	if s.facts.id == "" {
		return s.facts.name
	}
	return s.facts.name + " " + models.PrintableCell(s.facts.id, titleID)
}

// Init reads the item again.
func (s *itemScreen) Init() tea.Cmd { return s.read.startRead() }

// Close cancels what is read. A change that is being written goes on.
func (s *itemScreen) Close() {
	s.read.stop()
	s.past.stop()
	s.counts.stop()
	s.CloseBox()
}

// Cancel closes what is on top, or stops a reading.
func (s *itemScreen) Cancel() bool {
	if s.Box != nil {
		s.CancelBox()
		return true
	}
	if s.search.active() {
		s.search.endSearch()
		return true
	}
	if s.tabs.Active == tabTimeline && s.past.stop() {
		return true
	}
	if s.relations.list.Typing() || s.tabs.Active == tabRelated && s.relations.list.Filter() != "" {
		s.relations.list.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
		return true
	}
	if s.read.state == readRunning {
		s.read.stop()
		s.read.state = readCancelled
		return true
	}
	return false
}

// Typing reports whether a box, a search, or the filter of the related patterns,
// takes the keys.
func (s *itemScreen) Typing() bool {
	return s.Box != nil || s.Listening() || s.relations.list.Typing() || s.search.find.Typing()
}

// Status is what is shown and how old it is.
func (s *itemScreen) Status() string {
	text := present.Plural(len(s.item), "attribute")
	switch s.read.state {
	case readDone:
		return text + " · read at " + s.read.at.Format("15:04:05")
	case readGone:
		return text + " · deleted"
	case readFailed:
		return text + " · not read again"
	case readRunning, readCancelled, readNone:
	}
	return text + " · as the list showed it"
}

// SetStyles changes the theme.
func (s *itemScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.attributes.fields.SetStyles(st)
	s.relations.list.SetStyles(st)
	s.past.grid.SetStyles(st)
	s.raw.SetStyles(st)
	for _, p := range s.texts.pagers {
		p.SetStyles(st)
	}
	s.StyleBox(st)
	s.texts.made = [tabCount]int{}
	s.layout()
}

// Update takes messages: first the box on top, then the tab, then the actions.
func (s *itemScreen) Update(msg tea.Msg) tea.Cmd {
	s.checkMasker()
	if known := s.env.Tables.Version(); known != s.relations.known {
		s.relations.known = known
		s.counts.showCounts()
	}
	switch msg := msg.(type) {
	case itemReadMsg:
		return s.read.finishRead(msg)
	case itemTickMsg:
		return s.read.tick(msg)
	case overlay.RevealedMsg:
		s.checkMasker()
		return msg.Notice()
	case itemPastMsg:
		return s.past.arrived(msg)
	case itemPastTickMsg:
		return s.past.tick(msg)
	case itemUndoMsg:
		return s.moves.undoFound(msg)
	case itemCountsMsg:
		if msg.screen == s && msg.req == s.counts.req {
			return s.counts.countNext()
		}
		return nil
	case itemCountedMsg:
		return s.counts.counted(msg)
	}
	if s.Box != nil {
		return s.ToBox(msg)
	}
	if s.search.find.Typing() {
		return s.search.updateSearch(msg)
	}
	if s.tabs.Active == tabRelated && s.relations.list.Typing() {
		cmd, used := s.relations.list.Update(msg)
		if used {
			return cmd
		}
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || s.InFlight(msg) {
		return nil
	}
	if s.tabs.Update(msg) {
		s.layout()
		return s.does.openedTab()
	}
	if cmd, why, used := s.Actions().Handle(press); used {
		if why != "" {
			return screen.Send(screen.NoticeMsg{Text: why})
		}
		return cmd
	}
	return s.does.updateTab(press)
}

func (ia *itemActions) updateTab(msg tea.Msg) tea.Cmd {
	switch ia.s.tabs.Active {
	case tabOverview:
		ia.s.attributes.fields.Update(msg)
	case tabLifecycle:
		if !ia.s.moves.updateMoves(msg) {
			ia.s.texts.pagers[tabLifecycle].Update(msg)
		}
	case tabTimeline:
		return ia.s.past.Update(msg)
	case tabRelated:
		cmd, _ := ia.s.relations.list.Update(msg)
		return cmd
	case tabRaw:
		ia.s.raw.scroll.Update(msg)
	default:
		ia.s.texts.pagers[ia.s.tabs.Active].Update(msg)
	}
	return nil
}

// checkMasker hides or shows again what was revealed or hidden elsewhere.
func (s *itemScreen) checkMasker() {
	if s.masker != s.env.Session.Masker() {
		s.remake()
		s.layout()
	}
}

// remake works out everything that depends on the item, not on the size.
func (s *itemScreen) remake() {
	s.masker = s.env.Session.Masker()
	s.facts = newItemFacts(s.env, s.masker, s.table, s.item)
	s.tabs.Titles = s.header.titles()
	s.texts.made = [tabCount]int{}
	s.relations.list.SetItems(s.relations.items())
	s.moves.makeMoves()
	s.past.remask()
	s.raw.setItem(s.facts.masked)
	s.search.index = nil
	if s.search.base != nil && s.search.tab == tabOverview {
		s.search.searchRows()
		return
	}
	s.attributes.fillRows()
}

func (hd *itemHeader) titles() []string {
	counted := func(title string, n int) string {
		if n == 0 {
			return title
		}
		return title + " " + strconv.Itoa(n)
	}
	keys := "Keys"
	if n := hd.s.facts.drifted(); n > 0 && hd.s.read.state == readDone {
		keys += " ✗" + strconv.Itoa(n)
	}
	timeline := "Timeline"
	if hd.s.facts.entity != nil && present.TrailsRefused(hd.s.env, hd.s.facts.entity) {
		timeline += " ✗"
	}
	return []string{
		"Overview", keys, "Lifecycle", timeline, counted("Related", hd.s.facts.runnable()),
		counted("Findings", len(hd.s.facts.findings)), "Raw",
	}
}

// now is the session's time.
func (s *itemScreen) now() time.Time { return s.env.Now() }

// readState is how far the reading came.
type readState uint8

const (
	readNone readState = iota
	readRunning
	readDone
	readGone
	readFailed
	readCancelled
)

// itemRead is the reading of the item.
type itemRead struct {
	s *itemScreen

	state   readState
	req     uint64
	started time.Time
	elapsed time.Duration
	at      time.Time
	err     error
	cancel  context.CancelFunc
	changed map[string]string // attributes that differ from the list, and how
	own     bool              // it follows a change made here: the item replaces the list's row
	after   bool              // the last one did
	// progress is of the reading under way.
	progress *reading.Progress
}

func (r *itemRead) stop() {
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
	}
}

// Stage is how far the tour has come here.
func (s *itemScreen) Stage() screen.Stage {
	_, choosing := s.Box.(*actionMenu)
	_, planning := s.Box.(*planner.Change)
	return screen.Stage{Place: "item", Keys: s.tabs.Active == tabKeys, Choosing: choosing, Planning: planning, Covered: s.Box != nil}
}

// attributesTab is the overview: the attributes in groups, documents unfolded where a person
// wants them.
type attributesTab struct {
	s *itemScreen

	fields  *widget.Fields
	rows    []attributeRow
	rowsFor int             // width that the rows' notes were made for
	open    map[string]bool // unfolded documents, by path
}

// relatedTab lists the patterns that can be run with what the item holds, and the strip that
// names the first of them on every tab.
type relatedTab struct {
	s *itemScreen

	list  *widget.List
	known uint64       // as of which the related patterns are marked
	strip []stripEntry // as it was drawn
}

// itemHeader is what stands above the tabs: name, key, notices.
type itemHeader struct {
	s *itemScreen
}

// itemTexts are the tabs that are text: keys, lifecycle, schema issues.
type itemTexts struct {
	s *itemScreen

	pagers [tabCount]*widget.Pager
	made   [tabCount]int // width that a pager's lines were made for, 0: none
}

// itemActions are the keys of the screen that are not those of one tab.
type itemActions struct {
	s *itemScreen
}
