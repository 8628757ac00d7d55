package overlay

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Box is a dialog in the middle of the screen: text, a form where something has to be
// entered, and buttons, of which the first cancels and the last confirms. Dialogs embed
// it and act on the buttons that Choose and ClickAt return.
type Box struct {
	Dialog *widget.Dialog
	Form   *widget.Form // nil if nothing has to be entered
	// Submit, when not nil, is what enter in the form does. Otherwise enter chooses the
	// last button.
	Submit func()

	bare   bool // the form has one line: a field without help
	onForm bool
	formY  int // line of the form in the body
	rect   widget.Rect
}

// OnForm reports whether the form has the keyboard, and not the buttons.
func (b *Box) OnForm() bool { return b.onForm }

// FocusForm gives the keyboard to the form or to the buttons. It must not be called without a
// form.
func (b *Box) FocusForm(on bool) {
	b.onForm = on
	b.Form.SetFocused(on)
}

// Choose gives a message to the form or to the buttons. The choice is empty unless a
// button was chosen or the dialog was closed with esc. An unavailable button gives a choice
// with Why and no name.
func (b *Box) Choose(msg tea.Msg) (tea.Cmd, widget.Choice) {
	press, isKey := msg.(tea.KeyPressMsg)
	if b.onForm {
		return b.chooseOnForm(msg, press.String())
	}
	if !isKey {
		return nil, widget.Choice{}
	}
	key := press.String()
	first := len(b.Dialog.Buttons) > 0 && b.Dialog.Focused() == b.Dialog.Buttons[0].Name
	if b.Form != nil && (key == "up" || key == "shift+tab" && first) {
		b.FocusForm(true)
		return nil, widget.Choice{Used: true}
	}
	return nil, b.Dialog.Update(press)
}

func (b *Box) chooseOnForm(msg tea.Msg, key string) (tea.Cmd, widget.Choice) {
	cmd, used := b.Form.Update(msg)
	if used {
		return cmd, widget.Choice{}
	}
	switch key {
	case "esc":
		return nil, widget.Choice{Closed: true}
	case "tab", "down", "shift+tab":
		b.FocusForm(false)
	case "enter":
		if b.Submit != nil {
			b.Submit()
			break
		}
		last := b.Dialog.Buttons[len(b.Dialog.Buttons)-1]
		if last.Disabled != nil {
			if why := last.Disabled(); why != "" {
				return nil, widget.Choice{Why: why}
			}
		}
		return nil, widget.Choice{Name: last.Name}
	}
	return cmd, widget.Choice{}
}

// ClickAt gives a click to the form or to the buttons. inside is false for a click beside
// the dialog. Positions are those of the screen, as the last Draw placed the dialog.
func (b *Box) ClickAt(x, y int) (chosen widget.Choice, inside bool) {
	if !b.rect.Has(x, y) {
		return widget.Choice{}, false
	}
	left, top := b.Dialog.BodyAt()
	if b.Form != nil && b.Form.Click(x-b.rect.X-left, y-b.rect.Y-top-b.formY) {
		b.FocusForm(true)
		return widget.Choice{}, true
	}
	return b.Dialog.Click(x-b.rect.X, y-b.rect.Y, b.rect.W, b.rect.H), true
}

// Draw draws the dialog over a screen of w by h cells: styled lines of at most wide cells,
// the form, and the lines below it. It changes the size of the form and remembers where
// everything is, for clicks and the cursor.
func (b *Box) Draw(s *widget.Styles, background string, w, h, wide int, above, below []string) string {
	lines := slices.Clone(above)
	b.formY = len(lines)
	if b.Form != nil {
		height := b.Form.Height(wide)
		if b.bare {
			height = 1
		}
		b.Form.SetSize(wide, height)
		lines = append(lines, strings.Split(b.Form.View(), "\n")...)
	}
	lines = append(lines, below...)
	b.Dialog.Body = widget.Place(strings.Join(lines, "\n"), wide, len(lines))
	bw, bh := b.Dialog.Size(w, h)
	b.rect = widget.Centered(w, h, bw, bh)
	view := widget.Overlay(widget.Dim(s, background), b.Dialog.Render(s, bw, bh), b.rect.X, b.rect.Y)
	if b.Form == nil {
		return view
	}
	if popup, x, y, open := b.Form.Popup(); open {
		left, top := b.Dialog.BodyAt()
		view = widget.OverlayInside(view, popup, b.rect.X+left+x, b.rect.Y+top+b.formY+y)
	}
	return view
}

// Cursor returns the terminal's cursor in the form, nil without one.
func (b *Box) Cursor() *tea.Cursor {
	if !b.onForm {
		return nil
	}
	x, y := b.Dialog.BodyAt()
	return widget.MoveCursor(b.Form.Cursor(), b.rect.X+x, b.rect.Y+y+b.formY)
}

// SetStyles changes the theme.
func (b *Box) SetStyles(s *widget.Styles) {
	if b.Form != nil {
		b.Form.SetStyles(s)
	}
}
