package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/dialogs/palette"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A layer is a box above the visible screen.
type layer interface {
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	Click(x, y int) (cmd tea.Cmd, done bool)
	Wheel(up bool)
	Cursor() *tea.Cursor
	SetStyles(s *widget.Styles)
}

// layers are the boxes above the visible screen, the lowest first; each is nil while it is closed.
// The topmost open box takes all input, and the screen below it none.
type layers struct {
	help    *overlay.Sheet
	palette *palette.Palette
	dialog  *overlay.Dialog // a dialog of the console itself, such as a one-time code
}

func (m *Model) openBoxes() []layer {
	var list []layer
	if m.layers.dialog != nil {
		list = append(list, m.layers.dialog)
	}
	if m.layers.palette != nil {
		list = append(list, m.layers.palette)
	}
	if m.layers.help != nil {
		list = append(list, m.layers.help)
	}
	return list
}

func (m *Model) topBox() layer {
	if list := m.openBoxes(); len(list) > 0 {
		return list[0]
	}
	return nil
}

func (m *Model) removeBox(box layer) {
	switch box {
	case m.layers.dialog:
		m.layers.dialog = nil
	case m.layers.palette:
		m.layers.palette = nil
	case m.layers.help:
		m.layers.help = nil
	}
}

func (m *Model) closeAll() { m.layers.help, m.layers.palette, m.layers.dialog = nil, nil, nil }

func (m *Model) toTopBox(msg tea.Msg) tea.Cmd {
	box := m.topBox()
	cmd, done := box.Update(msg)
	m.boxDone(box, done)
	return cmd
}

func (m *Model) boxDone(box layer, done bool) {
	if done {
		m.removeBox(box)
		m.nextDialog()
	}
}

// draw calls view below the palette only if the screen may have changed.
func (m *Model) draw(view func() string, w, h int) string {
	var body string
	switch {
	case m.layers.palette != nil:
		body = m.layers.palette.Over(view, w, h)
	case m.layers.help != nil:
		body = m.layers.help.Over(m.styles, view(), w, h)
	default:
		body = view()
	}
	if m.layers.dialog != nil {
		body = m.layers.dialog.Over(m.styles, body, w, h)
	}
	return body
}

func (m *Model) openHelp() tea.Cmd {
	top := m.top().screen
	m.layers.help = overlay.NewHelp(m.styles, top,
		widget.HelpGroup{Title: "This screen", Actions: top.Actions()},
		widget.HelpGroup{Title: "Moving", Actions: widget.NavigationActions()},
		widget.HelpGroup{Title: "Everywhere", Actions: append(widget.Actions{
			{Name: "cancel", Binding: bind("ctrl+c", "ctrl+c"), Long: "cancel what is running; twice quits"},
		}, m.actions...)})
	return nil
}

func (m *Model) cursor() *tea.Cursor {
	var c *tea.Cursor
	if box := m.topBox(); box != nil {
		c = box.Cursor()
	} else if p, ok := m.top().screen.(screen.Pointer); ok {
		c = p.Cursor()
	}
	return widget.MoveCursor(c, 0, 1)
}
