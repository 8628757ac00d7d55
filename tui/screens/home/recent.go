package home

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// mostRecent is how many recent items and how many bookmarks are listed.
const mostRecent = 5

// A recent item is an item that was opened or bookmarked, of a profile that is connected.
type recent struct {
	workspace *workspace.Workspace
	table     *models.Table
	key       models.Item
	section   string
	title     string
	id        string // for typing errors, "" if it is masked
	at        time.Time
}

// Watch lists the recent items again when the screen comes back into view, and reads numbers only while it is in view.
func (h *Home) Watch(on bool) tea.Cmd {
	h.counter.hidden = !on
	if !on {
		h.counter.stop()
		return nil
	}
	h.shelf.fill()
	h.about.describeAgain()
	return h.counter.consider()
}

// A shelf is the list of home: the profiles, and below them the items that were used last.
type shelf struct {
	h      *Home
	recent []recent
}

func (s *shelf) fill() {
	h := s.h
	s.recent = s.items()
	items := make([]widget.ListItem, 0, len(h.profiles)+len(s.recent))
	section := ""
	if len(s.recent) > 0 {
		section = "Profiles"
	}
	for _, p := range h.profiles {
		it := widget.ListItem{ID: p.Name, Section: section, Title: p.Name}
		if b := h.counter.of(p); b != nil {
			if n, known := b.sum.Waiting(); known && n.N > 0 {
				it.Badge, it.BadgeRole = "● "+n.String(), widget.RoleInfo
			}
		}
		items = append(items, it)
	}
	for i, r := range s.recent {
		items = append(items, widget.ListItem{ID: recentID(i), Section: r.section, Title: r.title})
	}
	h.list.SetItems(items)
	h.frame.arrange() // The list is as high as it is long, where it is above the numbers.
}

func (s *shelf) headings() int {
	last, n := "", 0
	for _, r := range s.recent {
		if n == 0 {
			n = 1 // of the profiles
		}
		if r.section != last {
			last, n = r.section, n+1
		}
	}
	return n
}

func recentID(i int) string { return "#" + strconv.Itoa(i) }

func (s *shelf) at(id string) *recent {
	for i := range s.recent {
		if recentID(i) == id {
			return &s.recent[i]
		}
	}
	return nil
}

func (s *shelf) items() []recent {
	h := s.h
	var visits, marks []recent
	for _, p := range h.profiles {
		w := h.known[p.Name]
		if w == nil {
			continue
		}
		env := &screen.Env{Workspace: w, Styles: h.styles, Now: w.Session.Now}
		for _, v := range w.History.Visits() {
			kind, title := present.VisitTitle(env, v)
			if id, ok := strings.CutPrefix(title, kind+" "); ok {
				title = id + "  " + kind // The list is narrow.
			}
			visits = append(visits, recent{w, v.Table, v.Key, "Recent", title, idOf(v), v.At})
		}
		for _, b := range w.Bookmarks.Cached() {
			if b.IsItem() {
				marks = append(marks, recent{workspace: w, table: b.Table, key: b.Key, section: "Bookmarks", title: "★ " + b.Name})
			}
		}
	}
	slices.SortStableFunc(visits, func(a, b recent) int { return b.at.Compare(a.at) })
	return append(visits[:min(len(visits), mostRecent)], marks[:min(len(marks), mostRecent)]...)
}

func idOf(v local.Visit) string {
	if v.Entity == nil {
		return ""
	}
	name := v.Entity.IDName()
	if a := v.Entity.Attribute(name); a != nil && a.Sensitive != models.Open {
		return ""
	}
	id, _ := v.Entity.Values(v.Key)(name)
	return id
}

func (s *shelf) open() tea.Cmd {
	if it, ok := s.h.list.Selected(); ok {
		if r := s.at(it.ID); r != nil {
			return s.openItem(r.workspace, screen.Item{Table: r.table, Item: r.key})
		}
	}
	return s.h.connect.open()
}

func (s *shelf) openItem(w *workspace.Workspace, to screen.Item) tea.Cmd {
	s.h.known[w.Session.Profile().Name] = w
	return screen.Send(screen.SessionMsg{Workspace: w, Then: func(*screen.Env) screen.Target { return to }})
}
