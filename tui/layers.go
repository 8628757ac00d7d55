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
	m *Model

	help    *overlay.Sheet
	palette *palette.Palette
	dialog  *overlay.Dialog // a dialog of the console itself, such as a one-time code
}

func (l *layers) open() []layer {
	var list []layer
	if l.dialog != nil {
		list = append(list, l.dialog)
	}
	if l.palette != nil {
		list = append(list, l.palette)
	}
	if l.help != nil {
		list = append(list, l.help)
	}
	return list
}

func (l *layers) top() layer {
	if list := l.open(); len(list) > 0 {
		return list[0]
	}
	return nil
}

func (l *layers) remove(box layer) {
	switch box {
	case l.dialog:
		l.dialog = nil
	case l.palette:
		l.palette = nil
	case l.help:
		l.help = nil
	}
}

func (l *layers) closeAll() { l.help, l.palette, l.dialog = nil, nil, nil }

func (l *layers) take(msg tea.Msg) tea.Cmd {
	box := l.top()
	cmd, done := box.Update(msg)
	l.finished(box, done)
	return cmd
}

func (l *layers) finished(box layer, done bool) {
	if done {
		l.remove(box)
		l.m.dialogs.nextDialog()
	}
}

// draw calls view below the palette only if the screen may have changed.
func (l *layers) draw(view func() string, w, h int) string {
	var body string
	switch {
	case l.palette != nil:
		body = l.palette.Over(view, w, h)
	case l.help != nil:
		body = l.help.Over(l.m.styles, view(), w, h)
	default:
		body = view()
	}
	if l.dialog != nil {
		body = l.dialog.Over(l.m.styles, body, w, h)
	}
	return body
}

func (l *layers) openHelp() tea.Cmd {
	top := l.m.screens.top().screen
	l.help = overlay.NewHelp(l.m.styles, top,
		widget.HelpGroup{Title: "This screen", Actions: top.Actions()},
		widget.HelpGroup{Title: "Moving", Actions: widget.NavigationActions()},
		widget.HelpGroup{Title: "Everywhere", Actions: append(widget.Actions{
			{Name: "cancel", Binding: bind("ctrl+c", "ctrl+c"), Long: "cancel what is running; twice quits"},
		}, l.m.actions...)})
	return nil
}

func (l *layers) cursor() *tea.Cursor {
	var c *tea.Cursor
	if box := l.top(); box != nil {
		c = box.Cursor()
	} else if p, ok := l.m.screens.top().screen.(screen.Pointer); ok {
		c = p.Cursor()
	}
	return widget.MoveCursor(c, 0, 1)
}
