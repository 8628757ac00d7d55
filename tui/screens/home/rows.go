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

// An entry is what the cursor can be on: a queue, a state, a past change.
type entry struct {
	id    string         // unique on the screen
	open  func() tea.Cmd // what enter does, nil for nothing
	title string         // of the preview
	// items describes the items behind the entry in lines of w cells, for the preview; nil for none.
	items func(w int) []string
}

// A row is one line of the screen. It has one entry, several side by side, or none.
type row struct {
	entry
	text string                // styled, if nothing else draws the line
	draw func(t *widget.Strip) // draws the line after the mark of the cursor
	// graph draws the line of a graph, given the entry under the cursor.
	graph func(w int, chosen string) string
	stops []stop // the entries of a line of a graph, from left to right
}

// A stop is an entry that has a part of a line.
type stop struct {
	entry
	x, w int
}

func textRows(lines []string) []row {
	rows := make([]row, len(lines))
	for i, line := range lines {
		rows[i] = row{text: line}
	}
	return rows
}

// A rowList is rows with a cursor. It is a widget.LineSource, and takes the mouse.
type rowList struct {
	styles *widget.Styles
	lines  *widget.Lines
	rows   []row
	x      int // the column of the cursor, which chooses among entries side by side
}

func newRowList(s *widget.Styles) *rowList {
	l := &rowList{styles: s, lines: widget.NewLines(s)}
	l.lines.SetStill(true)
	l.lines.SetSource(l)
	return l
}

// Len implements widget.LineSource.
func (l *rowList) Len() int { return len(l.rows) }

// Skip implements widget.LineSource: the cursor passes over headings.
func (l *rowList) Skip(i int) bool { return l.rows[i].id == "" && len(l.rows[i].stops) == 0 }

// Line implements widget.LineSource.
func (l *rowList) Line(i int, on widget.Surface, w int) string {
	r := l.rows[i]
	mark := " "
	if on != widget.SurfacePlain {
		mark = "▌"
	}
	switch {
	case r.graph != nil:
		chosen := ""
		if e := l.entry(); e != nil {
			chosen = e.id
		}
		return widget.Place(" "+r.graph(w-1, chosen), w, 1)
	case r.draw == nil:
		return widget.Place(l.styles.Paint(widget.RoleAccent, mark)+r.text, w, 1)
	}
	t := widget.NewStrip(l.styles, on, w)
	t.Put(widget.RoleAccent, mark)
	r.draw(t)
	return t.String()
}

func (l *rowList) set(rows []row, stay bool) {
	id := ""
	if e := l.entry(); e != nil && stay {
		id = e.id
	}
	l.rows = rows
	l.lines.SetSource(l)
	at := 0
	for i, r := range rows {
		k := slices.IndexFunc(r.stops, func(s stop) bool { return s.id == id })
		if k >= 0 {
			at, l.x = i, r.stops[k].x
		}
		if id != "" && r.id == id {
			at = i
		}
	}
	if at == 0 {
		l.x = 0
	}
	l.lines.Go(at)
}

func (l *rowList) entry() *entry {
	i, ok := l.lines.At()
	if !ok || i >= len(l.rows) {
		return nil
	}
	if r := &l.rows[i]; len(r.stops) > 0 {
		return &r.stops[l.stop()].entry
	}
	return &l.rows[i].entry
}

func (l *rowList) stop() int {
	i, _ := l.lines.At()
	best := 0
	for k, s := range l.rows[i].stops {
		if s.x <= l.x {
			best = k
		}
	}
	return best
}

func (l *rowList) press(msg tea.KeyPressMsg) {
	i, ok := l.lines.At()
	if ok && len(l.rows[i].stops) > 0 {
		stops, k := l.rows[i].stops, l.stop()
		switch msg.String() {
		case "left", "h":
			l.x = stops[max(k-1, 0)].x
			return
		case "right", "l":
			l.x = stops[min(k+1, len(stops)-1)].x
			return
		}
	}
	l.lines.Update(msg)
}

// Click implements widget.Clickable.
func (l *rowList) Click(x, y int) (again, ok bool) {
	before := l.entry()
	if _, ok = l.lines.Click(x, y); ok {
		l.x = x - 1
	}
	return ok && before != nil && before.id == l.entry().id, ok
}

// Wheel implements widget.Clickable.
func (l *rowList) Wheel(up bool) { l.lines.Wheel(up) }

func (l *rowList) open() (tea.Cmd, bool) {
	e := l.entry()
	if e == nil || e.open == nil {
		return nil, false
	}
	return e.open(), true
}

func (l *rowList) setStyles(s *widget.Styles) {
	l.styles = s
	l.lines.SetStyles(s)
}

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
