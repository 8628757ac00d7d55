package overlay

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Menu is a box of at least one entry. Entry keys have priority over navigation keys.
type Menu struct {
	NoInput
	Title, Note string
	Key         string // key that opened the menu, and closes it
	Entries     []MenuEntry
	At          int    // index of the entry under the cursor
	DetailRows  int    // number of lines reserved below the entries for Detail
	Back        func() // runs if the user leaves without a choice; may be nil

	top  int // index of the first visible entry
	rows int // number of visible entries
	box  widget.Rect
}

// NewSort returns a menu of the columns to sort by, and the unsorted order as column -1. by is the current sort column.
// The menu omits columns without a title.
func NewSort(unsorted string, titles []string, by int, order widget.Order, sort func(col int) tea.Cmd) *Menu {
	m := &Menu{Title: "Sort by", Key: "s", Note: "enter sort, again to reverse"}
	add := func(label, note string, col int) {
		if col == by {
			m.At = len(m.Entries)
		} else {
			note = ""
		}
		m.Entries = append(m.Entries, MenuEntry{Label: label, Note: note, Run: func() tea.Cmd { return sort(col) }})
	}
	add(unsorted, "✓", -1)
	for i, title := range titles {
		if title = strings.TrimSpace(title); title != "" {
			add(title, order.Arrow(), i)
		}
	}
	return m
}

// A MenuEntry is a choice. An entry without Run is a heading; an entry with More expands into further entries.
type MenuEntry struct {
	Key   string // key that chooses the entry; "" if it has none
	Label string
	Note  string
	Bad   bool   // Note is a warning
	Why   string // reason why the entry is unavailable, or ""
	Run   func() tea.Cmd
	More  []MenuEntry // entries that this entry shows below itself, or hides again

	// Detail describes the entry in lines of at most w cells; may be nil. Rule is the note in the line above them.
	Detail func(s *widget.Styles, w int) []string
	Rule   string

	expanded bool
	hidesWhy bool // a heading above already shows Why
}

// NewActionEntry returns the entry of an action. run may differ from the action's own. An unavailable action has a
// short label, which leaves room for the reason.
func NewActionEntry(key string, a widget.Action, run func() tea.Cmd) MenuEntry {
	label, note, _ := strings.Cut(a.Sentence(), ": ")
	if a.Why() != "" && a.Desc != "" {
		label = strings.ToUpper(a.Desc[:1]) + a.Desc[1:]
	}
	return MenuEntry{Key: key, Label: label, Note: note, Why: a.Why(), Run: run}
}

func (e MenuEntry) isSelectable() bool { return e.Run != nil || len(e.More) > 0 }

// AddUnavailable adds headings with the shared reason why no entry is available, then the entries without the reason.
// It does not modify entries.
func (m *Menu) AddUnavailable(reason string, entries []MenuEntry) {
	lead := "⊘ "
	for part := range strings.SplitSeq(reason, "; ") {
		m.Entries, lead = append(m.Entries, MenuEntry{Label: lead + part, Bad: true}), "  "
	}
	for _, e := range entries {
		e.hidesWhy = true
		m.Entries = append(m.Entries, e)
	}
	m.Begin()
}

// Begin moves the cursor to the first available entry.
func (m *Menu) Begin() {
	m.At = -1
	m.move(1)
}

// Add adds an entry that copies the result of text, which the menu calls when the user chooses the entry. The text must
// already be masked; its Display reports whether it was.
func (m *Menu) Add(key, label, note, subject string, text func() models.Display) {
	m.Entries = append(m.Entries, MenuEntry{Key: key, Label: label, Note: note, Run: func() tea.Cmd {
		d, copiedName := text(), subject
		if d.Masked {
			copiedName += " (masked)"
		}
		return screen.Send(screen.CopyMsg{Text: d.Text, What: copiedName})
	}})
}

// Update moves the cursor or chooses an entry. A navigation letter moves the cursor unless it is the key of an entry.
// The key of a folded entry unfolds it first.
func (m *Menu) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	key := press.String()
	for i, e := range m.Entries {
		if e.Key == key {
			return m.choose(i)
		}
		if folded := indexOfKey(e.More, key); folded >= 0 && !e.expanded {
			m.toggleFold(i)
			return m.choose(i + 1 + folded)
		}
	}
	if key == "esc" || key == m.Key {
		if m.Back != nil {
			m.Back()
		}
		return nil, true
	}
	switch key {
	case "up", "shift+tab", "k":
		m.move(-1)
	case "down", "tab", "j":
		m.move(1)
	case "home", "g":
		m.Begin()
	case "end", "G":
		m.At = len(m.Entries)
		m.move(-1)
	case "enter":
		return m.choose(m.At)
	case "space", "z":
		m.toggleFold(m.At)
	}
	return nil, false
}

// AcceptsKey reports whether a printable key moves the cursor, chooses an entry or closes the menu.
func (m *Menu) AcceptsKey(key string) bool {
	return key == m.Key || slices.Contains([]string{"j", "k", "g", "G", "space", "z"}, key) ||
		slices.ContainsFunc(m.Entries, func(e MenuEntry) bool { return e.Key == key || indexOfKey(e.More, key) >= 0 })
}

func indexOfKey(list []MenuEntry, key string) int {
	return slices.IndexFunc(list, func(e MenuEntry) bool { return e.Key == key })
}

func (m *Menu) toggleFold(i int) {
	if i < 0 || i >= len(m.Entries) || len(m.Entries[i].More) == 0 {
		return
	}
	e := &m.Entries[i]
	if e.expanded = !e.expanded; e.expanded {
		m.Entries = slices.Insert(m.Entries, i+1, e.More...)
	} else {
		m.Entries = slices.Delete(m.Entries, i+1, i+1+len(e.More))
	}
}

func (m *Menu) move(by int) {
	for range m.Entries {
		m.At = (m.At + by + len(m.Entries)) % len(m.Entries)
		if m.Entries[m.At].isSelectable() {
			return
		}
	}
}

func (m *Menu) choose(i int) (cmd tea.Cmd, done bool) {
	if i < 0 || i >= len(m.Entries) || !m.Entries[i].isSelectable() {
		return nil, false
	}
	m.At = i
	if len(m.Entries[i].More) > 0 {
		m.toggleFold(i)
		return nil, false
	}
	if e := m.Entries[i]; e.Why != "" {
		return screen.Send(screen.NoticeMsg{Text: e.Label + ": " + e.Why}), false
	}
	return m.Entries[i].Run(), true
}

// Click chooses the entry at x, y. A click outside closes the menu.
func (m *Menu) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !m.box.Has(x, y) {
		return nil, true
	}
	if i := m.top + y - m.box.Y - 1; i >= m.top && i < m.top+m.rows {
		return m.choose(i)
	}
	return nil, false
}

// Wheel moves the cursor, which wraps around at both ends.
func (m *Menu) Wheel(up bool) { m.move(map[bool]int{true: -1, false: 1}[up]) }

const (
	minMenuNote       = 24 // cells reserved for notes beside a long label
	detailedMenuWidth = 96 // minimum width of a menu with descriptions
)

// Over draws the menu over a screen of w by h cells.
func (m *Menu) Over(s *widget.Styles, background string, w, h int) string {
	label, note, key, titleOnly := 0, 0, 0, 0 // titleOnly is the width of a title without a note, which spans the whole line
	for _, e := range m.Entries {
		if !e.isSelectable() {
			continue
		}
		if title := ansi.StringWidth(e.title()) + 2; e.note() == "" {
			titleOnly = max(titleOnly, title)
		} else {
			label = max(label, title)
		}
		note = max(note, ansi.StringWidth(e.note()))
		for _, sub := range e.More { // Reserve the width, so that the box does not grow when the entry expands.
			note = max(note, ansi.StringWidth(sub.note()))
		}
		if e.Key != "" {
			key = 3
		}
	}
	label = min(label, max(w-12-min(note, minMenuNote), 0))
	bw := min(w-4, max(max(label+note, titleOnly)+8, ansi.StringWidth(m.Title)+ansi.StringWidth(cmp.Or(m.Note, closeHint))+9))
	detailHeight := 0
	if m.DetailRows > 0 {
		bw, detailHeight = min(w-4, max(min(bw, 4*w/5), detailedMenuWidth)), m.DetailRows+1
	}
	m.rows = max(min(len(m.Entries), h-4-detailHeight), 1)
	m.top = min(max(m.top, m.At-m.rows+1), m.At, max(len(m.Entries)-m.rows, 0))
	bh := min(m.rows+detailHeight+2, h)
	m.box = widget.Centered(w, h, bw, bh)
	iw, _ := widget.PanelInner(bw, bh)
	label = min(label, max(iw-2-key, 0))
	lines := make([]string, 0, m.rows+detailHeight)
	for i := m.top; i < min(m.top+m.rows, len(m.Entries)); i++ {
		lines = append(lines, m.line(s, i, key, label, iw))
	}
	if m.DetailRows > 0 {
		lines = append(lines, m.detail(s, iw))
	}
	footer := cmp.Or(m.Note, closeHint)
	if m.top+m.rows < len(m.Entries) {
		footer = "↓ more · " + footer
	}
	title := models.PrintableCell(m.Title, max(bw-ansi.StringWidth(footer)-10, 12))
	box := widget.Panel{Title: title, Note: footer, Focused: true}.Render(s, strings.Join(lines, "\n"), bw, bh)
	return widget.Overlay(widget.Dim(s, background), box, m.box.X, m.box.Y)
}

// closeHint is the default note of a menu.
const closeHint = "esc close"

func (m *Menu) detail(s *widget.Styles, w int) string {
	e, text := m.Entries[m.At], ""
	if e.Detail != nil {
		text = strings.Join(e.Detail(s, w-2), "\n")
	}
	return widget.Rows(widget.Rule(s, "", e.Rule, w), widget.Indent(text, w, m.DetailRows))
}

func (m *Menu) line(s *widget.Styles, i, key, label, w int) string {
	e := m.Entries[i]
	if !e.isSelectable() {
		role := widget.RoleTitle
		if e.Bad {
			role = widget.RoleWarn
		}
		return s.PaintCell(role, widget.SurfacePlain, " "+e.Label, w, widget.AlignLeft)
	}
	surface, bar := widget.SurfacePlain, "  "
	if i == m.At {
		surface, bar = widget.SurfaceCursor, "▌ "
	}
	labelRole, noteRole := widget.RoleText, widget.RoleMuted
	switch {
	case len(e.More) > 0:
		labelRole = widget.RoleMuted
	case e.hidesWhy:
		labelRole, noteRole = widget.RoleMuted, widget.RoleFaint
	case e.Why != "":
		labelRole, noteRole = widget.RoleFaint, widget.RoleFaint
	case e.Bad:
		noteRole = widget.RoleBad
	}
	title := models.Truncate(e.title(), max(label-2, 0)) // two blanks before the note
	if e.note() == "" {
		title, label = e.title(), w-2-key
	}
	return s.PaintOn(widget.RoleAccent, surface, bar) + s.PaintCell(widget.RoleKey, surface, e.Key, key, widget.AlignLeft) +
		s.PaintCell(labelRole, surface, title, label, widget.AlignLeft) +
		s.PaintCell(noteRole, surface, e.note(), max(w-2-key-label, 0), widget.AlignLeft)
}

func (e MenuEntry) title() string {
	if len(e.More) == 0 {
		return e.Label
	}
	return map[bool]string{false: "▸ ", true: "▾ "}[e.expanded] + e.Label
}

func (e MenuEntry) note() string {
	if e.Why == "" || e.hidesWhy {
		return e.Note
	}
	return "⊘ " + e.Why
}
