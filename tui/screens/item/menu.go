package item

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// actionMenu is a box with the offers of an entity.
type actionMenu struct {
	s      *itemScreen
	offers []changes.Offer
	at     int
	top    int
	rows   int // seen at once
	box    overlay.Rect
}

func (s *itemScreen) actionMenu() *actionMenu {
	m := &actionMenu{s: s, offers: s.moves.offers}
	for i, o := range m.offers { // The cursor starts on what can be done.
		if o.Why == "" {
			m.at = i
			break
		}
	}
	return m
}

func (ms *itemMoves) menuDisabled() string {
	switch {
	case ms.s.facts.entity == nil:
		return "no entity matches the item: nothing is known of how it may be changed"
	case len(ms.offers) == 0:
		return "the document gives no change of " + ms.s.facts.name
	}
	return ""
}

// offerActions are the offers as entries of the key table, for the palette and
// the help. They have no keys of their own.
func (ms *itemMoves) offerActions() widget.Actions {
	list := make(widget.Actions, 0, len(ms.offers))
	for _, o := range ms.offers {
		list = append(list, widget.Action{
			Name: "change-" + o.Action.ID, Binding: key.NewBinding(key.WithHelp("a", "")), Long: o.Action.Title, Danger: true,
			Disabled: func() string { return o.Why }, Run: func() tea.Cmd { return ms.change(o.Action, o.Args) },
		})
	}
	return list
}

func (m *actionMenu) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch press.String() {
	case "esc", "q", "a":
		return nil, true
	case "up", "k", "shift+tab":
		m.at = max(m.at-1, 0)
	case "down", "j", "tab":
		m.at = min(m.at+1, len(m.offers)-1)
	case "home", "g":
		m.at = 0
	case "end", "G":
		m.at = len(m.offers) - 1
	case "enter":
		return m.choose()
	}
	return nil, false
}

// choose opens the dialog in the menu's place.
func (m *actionMenu) choose() (cmd tea.Cmd, done bool) {
	o := m.offers[m.at]
	if o.Why != "" {
		return screen.Send(screen.NoticeMsg{Text: o.Action.Title + ": " + o.Why}), false
	}
	return m.s.moves.change(o.Action, o.Args), false
}

// menuDetail is how many lines tell about the action under the cursor.
const menuDetail = 4

func (m *actionMenu) Over(st *widget.Styles, background string, w, h int) string {
	bw := min(w-4, 96)
	inner := bw - 2
	m.rows = max(min(len(m.offers), h-menuDetail-5), 1)
	m.top = min(max(m.top, m.at-m.rows+1), m.at, max(len(m.offers)-m.rows, 0))
	title := 0
	for _, o := range m.offers {
		title = max(title, ansi.StringWidth(o.Action.Title))
	}
	title = min(title, inner/2)
	lines := make([]string, 0, m.rows+menuDetail+1)
	for i := m.top; i < m.top+m.rows; i++ {
		lines = append(lines, m.line(st, i, inner, title))
	}
	o := m.offers[m.at]
	note := o.Action.Entity.Name + " · " + o.Action.ID
	lines = append(lines, widget.Rule(st, "", note, inner))
	var detail []string
	if o.Why != "" {
		detail = append(detail, widget.Wrap(st, widget.RoleWarn, "⊘ "+o.Why, inner-2)...)
	} else if known := m.s.env.Tables.ObstacleToChange(o.Action); known != nil {
		detail = append(detail, present.AsksAgain(st, known, inner-2)...)
	}
	detail = append(detail, widget.Wrap(st, widget.RoleText, o.Action.Description, inner-2)...)
	for i := range menuDetail {
		line := ""
		if i < len(detail) {
			line = " " + detail[i]
		}
		lines = append(lines, line)
	}
	bh := min(len(lines)+2, h)
	m.box = overlay.Rect{X: (w - bw) / 2, Y: max((h-bh)/2, 0), W: bw, H: bh}
	const hint = "enter plans it, nothing is written yet"
	p := widget.Panel{Title: models.PrintableCell("Change "+m.s.Title(), max(bw-len(hint)-10, 12)), Note: hint, Focused: true}
	return widget.Overlay(widget.Dim(st, background), p.Render(st, strings.Join(lines, "\n"), bw, bh), m.box.X, m.box.Y)
}

func (m *actionMenu) line(st *widget.Styles, i, w, title int) string {
	o := m.offers[i]
	on, bar := widget.SurfacePlain, "  "
	if i == m.at {
		on, bar = widget.SurfaceCursor, "▌ "
	}
	name, role, about := widget.RoleStrong, widget.RoleMuted, o.Action.Description
	if to := o.Action.To(); to != "" && o.Action.Lifecycle != nil {
		about = "→ " + to + "  " + about
	}
	if o.Why != "" {
		name, role, about = widget.RoleFaint, widget.RoleFaint, "⊘ "+o.Why
	} else if known := present.ChangeObstacle(m.s.env, o.Action); known != "" {
		role, about = widget.RoleBad, "✗ "+known
	}
	return st.PaintOn(widget.RoleAccent, on, bar) + st.PaintCell(name, on, o.Action.Title, title, widget.AlignLeft) +
		st.PaintCell(role, on, "  "+about, max(w-title-2, 0), widget.AlignLeft)
}

func (m *actionMenu) Cursor() *tea.Cursor { return nil }

func (m *actionMenu) SetStyles(*widget.Styles) {}

func (m *actionMenu) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !m.box.Has(x, y) {
		return nil, true
	}
	i := m.top + y - m.box.Y - 1
	if i < m.top || i >= m.top+m.rows {
		return nil, false
	}
	if i == m.at {
		return m.choose()
	}
	m.at = i
	return nil, false
}
