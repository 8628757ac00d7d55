// Package item contains the screen that shows one item. Three lines contain its title, its state and the next steps.
// Below them, tabs show its attributes, history, related items, keys and JSON.
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

// An itemScreen shows one item, at first as the list showed it, then as read from the table.
type itemScreen struct {
	overlay.Host
	*itemData
	read        itemRead
	requestTask *screen.Task // nil before the first read of change requests
	counts      itemCounts
	summary     Summary
	offers      itemOffers

	w, h      int
	head      []string // lines above the tabs
	relatedAt int      // line of the events' pane below which it lists related patterns

	bar     widget.Tabs
	active  tab
	visible []tab // visible tabs, as in bar
	tabs    []tab // in the order of link.Sections

	overview *overviewTab
	history  *historyTab
	related  *relatedTab
}

// New returns the screen for an item as a list showed it. Init reads the item again, because a row from an index can be
// outdated and can lack attributes.
func New(env *screen.Env, to screen.Item) screen.Screen {
	s := newScreen(env)
	s.table, s.listedItem, s.item, s.compareWith = to.Table, to.Item, to.Item, to.CompareWith
	s.rank = to.Rank
	s.active = s.tabs[max(slices.Index(link.Sections(), to.Tab), 0)]
	s.remake()
	return s
}

func newScreen(env *screen.Env) *itemScreen {
	s := &itemScreen{itemData: &itemData{env: env, plain: env.Plain()}}
	s.Panes = s.framePanes
	s.counts.itemData = s.itemData
	s.history = newHistoryTab(s.itemData)
	s.related = newRelatedTab(s.itemData, &s.counts)
	s.history.onChange = s.refreshTabs
	s.counts.onStart = func() tea.Cmd { return s.history.begin(false) } // Read the history before the first count.
	s.counts.onChange = s.refreshTabs
	s.overview = newOverviewTab(s.itemData, s.related)
	s.tabs = []tab{s.overview, s.history, s.related, newKeysTab(s.itemData), newRawTab(s.itemData)}
	s.active = s.tabs[0]
	return s
}

func (s *itemScreen) Subject() screen.Subject {
	e := s.facts.entity
	if e == nil {
		return screen.Subject{}
	}
	return screen.Subject{Entity: e, Findings: present.FindingsOf(s.env, e)}
}

// titleID is the maximum width of an ID in the title. It fits a UUID with a prefix.
const titleID = 60

func (s *itemScreen) Title() string {
	s.checkMasker() // The breadcrumbs on other screens also show the title.
	if s.facts.id == "" {
		return s.facts.name
	}
	return s.facts.name + " " + models.PrintableCell(s.facts.id, titleID)
}

func (s *itemScreen) Init() tea.Cmd { return s.reread() }

// Close cancels the reads. A pending write continues.
func (s *itemScreen) Close() {
	s.read.task.End()
	s.history.close()
	s.counts.task.End()
	s.requestTask.End()
	s.CloseBox()
}

func (s *itemScreen) Cancel() bool {
	switch {
	case s.Box != nil:
		s.CancelBox()
	case s.active.cancel():
	case s.state == readRunning:
		s.read.task.End()
		s.state = readCancelled
	default:
		return false
	}
	return true
}

func (s *itemScreen) Typing() bool {
	return s.Box != nil || s.active.isTyping()
}

func (s *itemScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	for _, t := range s.tabs {
		t.setStyles(st)
	}
	s.StyleBox(st)
	s.layout()
}

// Update passes a message to the part that waits for it. A key goes to the first of these that uses it: the overlay,
// the search, a tab with text input, the screen, and the tab.
func (s *itemScreen) Update(msg tea.Msg) tea.Cmd {
	s.checkMasker()
	s.related.rebuildForTables()
	switch msg := msg.(type) {
	case screen.Answer:
		return msg()
	case screen.TickMsg:
		return msg.Task.Ticked()
	}
	switch {
	case s.Box != nil:
		return s.ToBox(msg)
	case s.active.isTyping():
		if cmd, used := s.active.update(msg); used || cmd != nil {
			return cmd
		}
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	if s.bar.Update(msg) {
		return s.switchTab(0)
	}
	if cmd, used := screen.Press(s.Actions(), press); used {
		return cmd
	}
	cmd, _ := s.active.update(press)
	return cmd
}

func (s *itemScreen) isSearching() bool { return s.active == tab(s.overview) && s.overview.isTyping() }

func (s *itemScreen) checkMasker() {
	if s.masker != s.env.Session.Masker() || s.known != s.env.Requests.Known() {
		s.remake()
		s.layout()
	}
}

func (s *itemScreen) remake() {
	s.itemData.remake()
	s.history.show()
	s.refreshTabs()
	s.offers.remake(s.itemData)
}

func (s *itemScreen) refreshTabs() {
	s.summary = summarize(s.newSummaryData())
	for _, t := range s.tabs {
		t.remake()
	}
	s.visible, s.bar.Titles = s.visible[:0], s.bar.Titles[:0]
	for _, t := range s.tabs {
		if title := t.title(); t == s.active || title != "" {
			s.visible, s.bar.Titles = append(s.visible, t), append(s.bar.Titles, title)
		}
	}
	s.bar.Active = slices.Index(s.visible, s.active)
	s.layout()
}

func (s *itemScreen) switchTab(by int) tea.Cmd {
	s.bar.Active = (s.bar.Active + by + len(s.visible)) % len(s.visible)
	s.active.stopTyping()
	s.active = s.visible[s.bar.Active]
	s.layout()
	return s.active.opened(true)
}

func (s *itemScreen) Stage() screen.Stage {
	_, choosing := s.Box.(*overlay.Menu)
	at := screen.Stage{
		Place: "item", ShowsKeys: s.active == s.tabs[tabKeys], ShowsPath: s.active == tab(s.history),
		Choosing: choosing, Covered: s.Box != nil,
	}
	if c, ok := s.Box.(*planner.Change); ok {
		return c.Stage(at)
	}
	return at
}

func (s *itemScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "One item: its state, queues and next possible states, its attributes, history and related items.",
		First:   "press o to list the changes that its state allows, and why others are unavailable. The digits switch tabs.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "▲", Meaning: "the item is in a queue: a person must decide"},
			{Glyph: "≠", Meaning: "differs from the list from which you opened it, or from the value that its attributes imply"},
			{Glyph: "▸ ▾", Meaning: "a folded or unfolded part; press enter to toggle it"},
			{Glyph: "›", Meaning: "other items refer to it; press enter to open them"},
		}, screen.StateSigns, screen.MaskSigns),
	}
}

// Scope returns the key table of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "item", Title: "Item",
		Does:    "Shows the state, attributes, history and related queries of one item.",
		Actions: newScreen(&screen.Env{Styles: &widget.Styles{}}).makeActions(), Pieces: screen.MovingKeys(),
	}
}
