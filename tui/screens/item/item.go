// Package item is the screen that shows one item. Each of its tabs is a value of the
// interface tab: attributes, keys, lifecycle, timeline, related patterns, schema issues
// and JSON.
package item

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// The places of the tabs. Keys 1 to 7 and the tour depend on their order.
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

// itemScreen shows one item: at first as a list had it, then as it was read again from
// the table.
type itemScreen struct {
	overlay.Host
	env   *screen.Env
	table *models.Table
	row   models.Item   // as the list showed it
	among []models.Item // the rows of that list
	item  models.Item   // as it is shown now

	facts  itemFacts
	masker *models.Masker // that made facts
	read   itemRead
	counts itemCounts
	search itemSearch
	strip  relatedStrip
	offers itemOffers

	w, h int
	bar  widget.Tabs
	tabs []tab // in the order of the constants

	// The tabs that other parts of the screen talk to.
	overview  *overviewTab
	lifecycle *lifecycleTab
	timeline  *timelineTab
	related   *relatedTab
}

// New returns the screen of an item as a list showed it. Init reads the item again: a row
// from an index can be outdated and can lack attributes.
func New(env *screen.Env, to screen.Item) screen.Screen {
	s := newScreen(env)
	s.table, s.row, s.item, s.among = to.Table, to.Item, to.Item, to.Among
	s.remake()
	s.bar.Active = max(slices.Index(link.Sections(), to.Tab), 0)
	return s
}

func newScreen(env *screen.Env) *itemScreen {
	s := &itemScreen{env: env}
	s.Panes = s.framePanes
	s.read.s, s.counts.s, s.search.s, s.strip.s, s.offers.s = s, s, s, s, s
	s.search.find = widget.NewFind()
	s.overview, s.lifecycle, s.timeline, s.related = newOverviewTab(s), newLifecycleTab(s), newTimelineTab(s), newRelatedTab(s)
	s.tabs = []tab{s.overview, newKeysTab(s), s.lifecycle, s.timeline, s.related, newIssuesTab(s), newRawTab(s)}
	return s
}

func (s *itemScreen) tab() tab { return s.tabs[s.bar.Active] }

// Subject is the entity of the item.
func (s *itemScreen) Subject() screen.Subject {
	return screen.Subject{Entity: s.facts.entity, Findings: s.facts.findings}
}

// titleID is how many cells of an ID the title has: enough for a UUID with a prefix.
const titleID = 60

// Title is the entity and the ID.
func (s *itemScreen) Title() string {
	s.checkMasker() // The title is visible above other screens.
	if s.facts.id == "" {
		return s.facts.name
	}
	return s.facts.name + " " + models.PrintableCell(s.facts.id, titleID)
}

// Init reads the item again.
func (s *itemScreen) Init() tea.Cmd { return s.read.start() }

// Close cancels the reads. A change that was sent goes on.
func (s *itemScreen) Close() {
	s.read.stop()
	s.timeline.cancel()
	s.timeline.stream.cancel()
	s.counts.stop()
	s.CloseBox()
}

// Cancel closes what is on top, or stops a read.
func (s *itemScreen) Cancel() bool {
	switch {
	case s.Box != nil:
		s.CancelBox()
	case s.search.of(s.tab()):
		s.search.end()
	case s.tab().cancel():
	case s.read.state == readRunning:
		s.read.stop()
		s.read.state = readCancelled
	default:
		return false
	}
	return true
}

// Typing reports whether a dialog, a search or a filter takes the keys.
func (s *itemScreen) Typing() bool {
	return s.Box != nil || s.tab().typing() || s.search.typing()
}

// Status is what is shown and when it was read.
func (s *itemScreen) Status() string {
	text := present.Plural(len(s.item), "attribute")
	switch s.read.state {
	case readDone:
		return text + " · read at " + s.read.at.Format("15:04:05")
	case readGone:
		return text + " · deleted"
	case readFailed:
		return text + " · not refreshed"
	case readRunning, readCancelled, readNone:
	}
	return text + " · from the list"
}

// SetStyles changes the theme.
func (s *itemScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	for _, t := range s.tabs {
		t.setStyles(st)
	}
	s.StyleBox(st)
	s.layout()
}

// Update gives a message to the part that waits for it; keys go to the overlay, the
// search, the tab that is typed into, the screen's own keys, and then to the tab.
func (s *itemScreen) Update(msg tea.Msg) tea.Cmd {
	s.checkMasker()
	s.related.followTables()
	switch msg := msg.(type) {
	case itemReadMsg:
		return s.read.finish(msg)
	case itemTickMsg:
		return s.read.tick(msg)
	case overlay.RevealedMsg:
		s.checkMasker()
		return msg.Notice()
	case timelineMsg:
		return s.timeline.arrived(msg)
	case timelineTickMsg:
		return s.timeline.tick(msg)
	case streamMsg:
		return s.timeline.stream.arrived(msg)
	case itemUndoMsg:
		return changer{s}.undoFound(msg)
	case itemCountsMsg:
		return s.counts.begin(msg)
	case itemCountedMsg:
		return s.counts.counted(msg)
	}
	switch {
	case s.Box != nil:
		return s.ToBox(msg)
	case s.search.typing():
		return s.search.update(msg)
	case s.tab().typing():
		if cmd, used := s.tab().update(msg); used || cmd != nil {
			return cmd
		}
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	if s.bar.Update(msg) {
		return s.turned()
	}
	if cmd, why, used := s.Actions().Handle(press); used {
		if why != "" {
			return screen.Send(screen.NoticeMsg{Text: why})
		}
		return cmd
	}
	cmd, _ := s.tab().update(press)
	return cmd
}

func (s *itemScreen) checkMasker() {
	if s.masker != s.env.Session.Masker() {
		s.remake()
		s.layout()
	}
}

func (s *itemScreen) remake() {
	s.masker = s.env.Session.Masker()
	s.facts = newItemFacts(s.env, s.masker, s.table, s.item)
	s.bar.Titles = s.bar.Titles[:0]
	for _, t := range s.tabs {
		t.remake()
		s.bar.Titles = append(s.bar.Titles, t.title())
	}
}

// now is the session's time.
// Stage is what the tour needs to know.
func (s *itemScreen) Stage() screen.Stage {
	_, choosing := s.Box.(*overlay.Menu)
	at := screen.Stage{
		Place: "item", Keys: s.bar.Active == tabKeys, Path: s.bar.Active == tabLifecycle, Choosing: choosing, Covered: s.Box != nil,
	}
	if c, ok := s.Box.(*planner.Change); ok {
		return c.Stage(at)
	}
	return at
}

// Guide introduces the screen to a new user.
func (s *itemScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "One item: its attributes, keys, lifecycle, history, related queries and possible changes.",
		First:   "press 1 to 7 to switch tabs. Press o to list the changes that its state allows, and why others are unavailable.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "≠", Means: "differs from the list that it was opened from, or from the value that its attributes imply"},
			{Glyph: "▸ ▾", Means: "a folded or unfolded part; enter toggles it"},
			{Glyph: "›", Means: "leads to other items; enter opens them"},
			{Glyph: "▶ ◂", Means: "the current state of the item in its lifecycle"},
			screen.FindingSign,
		}, screen.StateSigns, screen.MaskSigns),
	}
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "item", Title: "Item",
		Does:    "One item: attributes, keys, lifecycle, timeline and related queries.",
		Actions: newScreen(&screen.Env{Styles: &widget.Styles{}}).makeActions(), Pieces: screen.MovingKeys(),
	}
}
