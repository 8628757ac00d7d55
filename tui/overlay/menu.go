package overlay

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Menu is a box of entries.
type Menu struct {
	Title, Note string
	Key         string // the key that opened it and closes it again
	Entries     []MenuEntry
	At, top     int
	rows        int // seen at once
	box         Rect
}

// A MenuEntry is something to choose. Without a letter it is chosen with the
// arrows; without a run it is a heading.
type MenuEntry struct {
	Key, Label, Note string
	Run              func() tea.Cmd
}

// Add adds an entry that copies a text, which is made when the entry is chosen.
func (m *Menu) Add(key, label, note, what string, text func() models.Display) {
	m.Entries = append(m.Entries, MenuEntry{key, label, note, func() tea.Cmd {
		d := text()
		if d.Masked {
			what += " (masked)"
		}
		return screen.Send(screen.CopyMsg{Text: d.Text, What: what})
	}})
}

// Update moves in the menu, or chooses an entry.
func (m *Menu) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch key := press.String(); key {
	case "esc", "q", m.Key:
		return nil, true
	case "up", "shift+tab":
		m.move(-1)
	case "down", "tab":
		m.move(1)
	case "enter":
		return m.choose(m.At)
	default:
		for i, e := range m.Entries {
			if e.Key == key {
				return m.choose(i)
			}
		}
	}
	return nil, false
}

// move goes to the next entry in a direction, over headings, around the ends.
func (m *Menu) move(by int) {
	for range m.Entries {
		m.At = (m.At + by + len(m.Entries)) % len(m.Entries)
		if m.Entries[m.At].Run != nil {
			return
		}
	}
}

func (m *Menu) choose(i int) (cmd tea.Cmd, done bool) {
	if i >= len(m.Entries) || m.Entries[i].Run == nil {
		return nil, false
	}
	return m.Entries[i].Run(), true
}

// Click chooses the entry at x, y; beside the menu it closes it.
func (m *Menu) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !m.box.Has(x, y) {
		return nil, true
	}
	if i := m.top + y - m.box.Y - 1; i >= m.top && i < m.top+m.rows {
		return m.choose(i)
	}
	return nil, false
}

// Wheel moves the choice.
func (m *Menu) Wheel(up bool) { m.move(map[bool]int{true: -1, false: 1}[up]) }

// menuLabelMax is the widest that labels are made before notes are cut.
const menuLabelMax = 38

// Over draws the menu over a screen of w by h cells.
func (m *Menu) Over(s *widget.Styles, screen string, w, h int) string {
	label, note := 0, 0
	for _, e := range m.Entries {
		label = max(label, ansi.StringWidth(e.Label)+2)
		note = max(note, ansi.StringWidth(e.Note))
	}
	label = min(label, menuLabelMax)
	bw := min(w-4, max(label+note+8, ansi.StringWidth(m.Title)+24))
	m.rows = max(min(len(m.Entries), h-4), 1)
	m.top = min(max(m.top, m.At-m.rows+1), m.At, max(len(m.Entries)-m.rows, 0))
	bh := m.rows + 2
	m.box = widget.Centered(w, h, bw, bh)
	iw, _ := widget.PanelInner(bw, bh)
	label = min(label, max(iw-5, 0))
	lines := make([]string, 0, m.rows)
	for i := m.top; i < min(m.top+m.rows, len(m.Entries)); i++ {
		lines = append(lines, m.line(s, i, label, iw))
	}
	foot := m.Note
	if foot == "" {
		foot = "esc closes"
	}
	if m.top+m.rows < len(m.Entries) {
		foot = "↓ more · " + foot
	}
	box := widget.Panel{Title: m.Title, Note: foot, Focused: true}.Render(s, strings.Join(lines, "\n"), bw, bh)
	return widget.Overlay(widget.Dim(s, screen), box, m.box.X, m.box.Y)
}

func (m *Menu) line(s *widget.Styles, i, label, w int) string {
	e := m.Entries[i]
	if e.Run == nil {
		return s.PaintCell(widget.RoleTitle, widget.SurfacePlain, " "+e.Label, w, widget.AlignLeft)
	}
	on, bar := widget.SurfacePlain, "  "
	if i == m.At {
		on, bar = widget.SurfaceCursor, "▌ "
	}
	return s.PaintOn(widget.RoleAccent, on, bar) + s.PaintCell(widget.RoleKey, on, e.Key, 3, widget.AlignLeft) +
		s.PaintCell(widget.RoleText, on, e.Label, label, widget.AlignLeft) +
		s.PaintCell(widget.RoleMuted, on, e.Note, max(w-5-label, 0), widget.AlignLeft)
}

// Cursor is nil: nothing is typed into a menu.
func (m *Menu) Cursor() *tea.Cursor { return nil }

// SetStyles changes nothing: a menu is drawn with the styles that it is given.
func (m *Menu) SetStyles(*widget.Styles) {}
