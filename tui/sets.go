package tui

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A tabSet is a group of screens that share a place on the stack as tabs. A tab opens when the user first chooses it.
type tabSet struct {
	title   string
	bar     widget.Tabs
	targets []screen.Target
	places  []*place // nil for a tab that is not open yet
}

func (m *Model) newTabSet(to screen.Target) *tabSet {
	s, active := &tabSet{}, -1
	add := func(title string, tab screen.Target, isTarget bool) {
		if isTarget {
			active, tab = len(s.targets), to
		}
		s.bar.Titles, s.targets = append(s.bar.Titles, title), append(s.targets, tab)
	}
	addKind := func(title string, tab screen.Target) { add(title, tab, reflect.TypeOf(tab) == reflect.TypeOf(to)) }
	p := m.env.Session.Profile()
	switch to := to.(type) {
	case screen.Queue, screen.Requests:
		s.title = "Inbox"
		queue, isQueue := to.(screen.Queue)
		for i, q := range p.Queues {
			isTarget := isQueue && (queue.ID == q.ID || queue.ID == "" && i == 0)
			add(present.Join(q.Title, m.home.CountOf(p, q.ID), " "), screen.Queue{ID: q.ID}, isTarget)
		}
		title := "Change requests"
		if n := m.home.CountOf(p, ""); n != "" { // Home counts only those that the user can decide, or made.
			title += " " + n + " open"
		}
		add(title, screen.Requests{}, !isQueue)
	case screen.Map, screen.Findings, screen.Drift, screen.Draft:
		s.title = "Schema"
		addKind("Map", screen.Map{})
		addKind("Issues "+strconv.Itoa(len(p.Findings)), screen.Findings{})
		if !m.env.Plain() { // Role support repairs no items.
			addKind("Drift", screen.Drift{})
		}
		if m.env.Review() != nil {
			addKind("Draft", screen.Draft{})
		}
	case screen.Journal, screen.Audit, screen.CommandLog, screen.Visited, screen.Tail:
		s.title = "Activity"
		addKind("Changes", screen.Journal{})
		addKind("Sessions", screen.Audit{})
		if !m.env.Plain() { // Operations, tables and capacity are for developers.
			addKind("Calls", screen.CommandLog{})
		}
		addKind("Visited", screen.Visited{})
		addKind("Live", screen.Tail{})
	}
	if active < 0 || len(s.targets) < 2 {
		return nil
	}
	s.bar.Active, s.places = active, make([]*place, len(s.targets))
	return s
}

// title returns the name of the place in the path. Its tab line names the tab.
func (p *place) title() string {
	if p.tabs != nil {
		return p.tabs.title
	}
	return p.screen.Title()
}

func (p *place) tabRows() int {
	if p.tabs == nil {
		return 0
	}
	return 1
}

// eachPlace calls do for every open place, including places in tabs.
func (m *Model) eachPlace(do func(p *place)) {
	for _, list := range [][]*place{m.screens.stack, m.screens.ahead} {
		for _, p := range list {
			p.eachTab(do)
		}
	}
}

func (p *place) eachTab(do func(p *place)) {
	if p.tabs == nil {
		do(p)
		return
	}
	for _, tab := range p.tabs.places {
		if tab != nil {
			do(tab)
		}
	}
}

func (m *Model) switchToTab(i int) tea.Cmd {
	s := m.top().tabs
	if s == nil || i < 0 || i >= len(s.targets) || s.places[i] == m.top() {
		return nil
	}
	if cmd, blocked := m.blockIfPending(); blocked {
		return cmd
	}
	leaveCmd := m.leave()
	p := s.places[i]
	isNew := p == nil
	if isNew {
		p = m.newPlace(screens.Open(m.env, s.targets[i]))
		p.tabs, s.places[i] = s, p
	}
	s.bar.Active = i
	m.screens.stack[len(m.screens.stack)-1] = p
	m.arrange()
	if isNew {
		return tea.Batch(leaveCmd, m.route(p, p.screen.Init()))
	}
	return tea.Batch(leaveCmd, m.watch(true))
}

// tabBelow returns the place and the tab of a target if only tabs have opened on top of it; otherwise it returns nil.
func (m *Model) tabBelow(to screen.Target) (*place, int) {
	next := m.newTabSet(to)
	if next == nil {
		return nil, 0
	}
	for _, p := range slices.Backward(m.screens.stack) {
		if p.tabs == nil {
			break
		}
		if len(next.targets) == len(p.tabs.targets) && reflect.TypeOf(next.targets[0]) == reflect.TypeOf(p.tabs.targets[0]) {
			return p, next.bar.Active
		}
	}
	return nil, 0
}

// tabOf returns the tab for a digit. Call it only if the screen does not read the digit as text.
func (m *Model) tabOf(key string) (i int, ok bool) {
	if m.top().tabs == nil || len(key) != 1 || key[0] < '1' || int(key[0]-'1') >= len(m.top().tabs.targets) {
		return 0, false
	}
	return int(key[0] - '1'), true
}

func (m *Model) viewTabs(w int) string {
	s := m.top().tabs
	for i, p := range s.places {
		if p == nil || s.title != "Inbox" { // On other tabs, only those that were opened would have a number.
			continue
		}
		if t, ok := p.screen.(interface{ Tab() string }); ok {
			s.bar.Titles[i] = cmp.Or(t.Tab(), s.bar.Titles[i])
		}
	}
	return s.bar.Render(m.styles, w)
}
