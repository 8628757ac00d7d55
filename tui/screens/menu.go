package screens

import (
	"strings"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A menu is a box of entries.
type menu struct {
	title, note string
	key         string // the key that opened it and closes it again
	entries     []menuEntry
	at, top     int
	rows        int // seen at once
	box         rect
}

// A menuEntry is something to choose. Without a letter it is chosen with the
// arrows; without a run it is a heading.
type menuEntry struct {
	key, label, note string
	run              func() tea.Cmd
}

// add adds an entry that copies a text, which is made when it is chosen.
func (m *menu) add(key, label, note, what string, text func() string) {
	m.entries = append(m.entries, menuEntry{key, label, note, func() tea.Cmd {
		t := text()
		if holdsMasked(t) {
			what += " (masked)"
		}
		return Send(CopyMsg{Text: t, What: what})
	}})
}

// holdsMasked reports whether a text has values in it that the masker hid.
func holdsMasked(text string) bool {
	return strings.Contains(text, "•••") || strings.Contains(text, "[secret]")
}

func (m *menu) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch key := press.String(); key {
	case "esc", "q", m.key:
		return nil, true
	case "up", "shift+tab":
		m.move(-1)
	case "down", "tab":
		m.move(1)
	case "enter":
		return m.choose(m.at)
	default:
		for i, e := range m.entries {
			if e.key == key {
				return m.choose(i)
			}
		}
	}
	return nil, false
}

// move goes to the next entry in a direction, over headings, around the ends.
func (m *menu) move(by int) {
	for range m.entries {
		m.at = (m.at + by + len(m.entries)) % len(m.entries)
		if m.entries[m.at].run != nil {
			return
		}
	}
}

func (m *menu) choose(i int) (cmd tea.Cmd, done bool) {
	if i >= len(m.entries) || m.entries[i].run == nil {
		return nil, false
	}
	return m.entries[i].run(), true
}

func (m *menu) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !m.box.has(x, y) {
		return nil, true
	}
	if i := m.top + y - m.box.y - 1; i >= m.top && i < m.top+m.rows {
		return m.choose(i)
	}
	return nil, false
}

func (m *menu) Wheel(up bool) { m.move(map[bool]int{true: -1, false: 1}[up]) }

// menuLabelMax is the widest that labels are made before notes are cut.
const menuLabelMax = 38

func (m *menu) Over(s *widget.Styles, screen string, w, h int) string {
	label, note := 0, 0
	for _, e := range m.entries {
		label = max(label, ansi.StringWidth(e.label)+2)
		note = max(note, ansi.StringWidth(e.note))
	}
	label = min(label, menuLabelMax)
	bw := min(w-4, max(label+note+8, ansi.StringWidth(m.title)+24))
	m.rows = max(min(len(m.entries), h-4), 1)
	m.top = min(max(m.top, m.at-m.rows+1), m.at, max(len(m.entries)-m.rows, 0))
	bh := m.rows + 2
	m.box = rect{(w - bw) / 2, (h - bh) / 2, bw, bh}
	iw, _ := widget.PanelInner(bw, bh)
	label = min(label, max(iw-5, 0))
	lines := make([]string, 0, m.rows)
	for i := m.top; i < min(m.top+m.rows, len(m.entries)); i++ {
		lines = append(lines, m.line(s, i, label, iw))
	}
	foot := m.note
	if foot == "" {
		foot = "esc closes"
	}
	if m.top+m.rows < len(m.entries) {
		foot = "↓ more · " + foot
	}
	box := widget.Panel{Title: m.title, Note: foot, Focused: true}.Render(s, strings.Join(lines, "\n"), bw, bh)
	return widget.Overlay(widget.Dim(s, screen), box, m.box.x, m.box.y)
}

func (m *menu) line(s *widget.Styles, i, label, w int) string {
	e := m.entries[i]
	if e.run == nil {
		return s.PaintCell(widget.RoleTitle, widget.SurfacePlain, " "+e.label, w, widget.AlignLeft)
	}
	on, bar := widget.SurfacePlain, "  "
	if i == m.at {
		on, bar = widget.SurfaceCursor, "▌ "
	}
	return s.PaintOn(widget.RoleAccent, on, bar) + s.PaintCell(widget.RoleKey, on, e.key, 3, widget.AlignLeft) +
		s.PaintCell(widget.RoleText, on, e.label, label, widget.AlignLeft) +
		s.PaintCell(widget.RoleMuted, on, e.note, max(w-5-label, 0), widget.AlignLeft)
}

func (m *menu) Cursor() *tea.Cursor { return nil }

func (m *menu) SetStyles(*widget.Styles) {}
