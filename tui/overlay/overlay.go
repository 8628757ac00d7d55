// Package overlay holds what lies over a screen and takes all keys until it is done: menus, questions
// and texts, and the host that a screen embeds to show one. What a dialog is about belongs to the
// package of the dialog.
package overlay

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An Overlay is a dialog, a menu or a text over a screen. One that is at something which must
// not be cut off has Holds and Wait as a screen.Holder has; one that has something to give up
// has Cancel or Close; one that scrolls has Wheel. It takes all keys and clicks while it is
// open.
type Overlay interface {
	// Update takes every message; done reports that the box is to be taken away.
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	// Over draws the box over a screen of w by h cells. It is called for every frame.
	Over(s *widget.Styles, background string, w, h int) string
	// Cursor is the terminal's cursor on what Over drew, nil for none.
	Cursor() *tea.Cursor
	Click(x, y int) (cmd tea.Cmd, done bool)
	SetStyles(s *widget.Styles)
}

// A Host is the place for a box. Screens embed it; a box is put there by
// assignment, at once, so that keys typed ahead go to it. The zero Host has no box and no
// panes.
type Host struct {
	Box   Overlay
	Left  func() tea.Cmd      // what follows when a box is done, nil for nothing
	Panes func() widget.Panes // the parts of the screen that take the mouse, nil for none
}

func (c *Host) panes() widget.Panes {
	if c.Box != nil || c.Panes == nil {
		return nil
	}
	return c.Panes()
}

// Click gives a click to the box, or to the pane at x, y.
func (c *Host) Click(x, y int) tea.Cmd {
	if c.Box != nil {
		was := c.Box
		cmd, done := was.Click(x, y)
		return c.after(was, cmd, done)
	}
	return c.panes().Click(x, y)
}

// Wheel gives a turn of the wheel to the box, or to the pane at x, y.
func (c *Host) Wheel(x, y int, up bool) tea.Cmd {
	if c.Box != nil {
		Wheel(c.Box, up)
		return nil
	}
	return c.panes().Wheel(x, y, up)
}

// Cursor returns the terminal's cursor in the box or in a pane, nil for none.
func (c *Host) Cursor() *tea.Cursor {
	if c.Box != nil {
		return c.Box.Cursor()
	}
	return c.panes().Cursor()
}

// Field reports whether a box lies over the screen, and whether text is typed into it.
func (c *Host) Field() (in, boxed bool) { return c.Box != nil && InField(c.Box), c.Box != nil }

// InField reports whether text is typed into a box. One that does not say so takes all keys.
func InField(box any) bool {
	b, ok := box.(interface{ Typing() bool })
	return !ok || b.Typing()
}

// Takes reports whether the box does something with a printable key.
func (c *Host) Takes(key string) bool { return c.Box != nil && Takes(c.Box, key) }

// Takes reports whether a box into which no text is typed does something with a printable key. One that does not say so may.
func Takes(box any, key string) bool {
	b, ok := box.(interface{ Takes(key string) bool })
	return !ok || b.Takes(key)
}

// Rest takes the cursor out of the form of the box, so that no letter of a word that opened it goes in.
func (c *Host) Rest() {
	if b, ok := c.Box.(interface{ FocusForm(on bool) }); ok && InField(c.Box) {
		b.FocusForm(false)
	}
}

// Confirming reports whether the user types the confirmation of a change.
func (c *Host) Confirming() bool {
	b, ok := c.Box.(interface{ TypedConfirmation() bool })
	return ok && b.TypedConfirmation()
}

// Boxed reports whether a box lies over the screen: nothing may take its place.
func (c *Host) Boxed() bool { return c.Box != nil }

// ToBox gives a message to the box. There must be a box.
func (c *Host) ToBox(msg tea.Msg) tea.Cmd {
	was := c.Box
	cmd, done := was.Update(msg)
	return c.after(was, cmd, done)
}

func (c *Host) after(was Overlay, cmd tea.Cmd, done bool) tea.Cmd {
	if !done {
		return cmd
	}
	if c.Box == was {
		c.Box = nil
	}
	if c.Left == nil {
		return cmd
	}
	return tea.Batch(cmd, c.Left())
}

// Wheel scrolls a box, if it does.
func Wheel(box any, up bool) {
	if w, ok := box.(interface{ Wheel(up bool) }); ok {
		w.Wheel(up)
	}
}

// CancelBox stops what the box does; one that does nothing is taken away. A Cancel that returns
// false says that the box goes on, such as a change that was sent.
func (c *Host) CancelBox() {
	if b, ok := c.Box.(interface{ Cancel() bool }); ok && !b.Cancel() {
		return
	}
	c.Box = nil
}

// CloseBox gives up what the box may give up when its screen is left for good. The box is not
// taken away: the screen is not used afterwards.
func (c *Host) CloseBox() {
	if b, ok := c.Box.(interface{ Close() }); ok {
		b.Close()
	}
}

// DrawBox draws the box over the screen, which stays as it is without one. The box dims the
// screen and covers its middle.
func (c *Host) DrawBox(s *widget.Styles, screen string, w, h int) string {
	if c.Box == nil {
		return screen
	}
	return c.Box.Over(s, screen, w, h)
}

// StyleBox changes the theme of the box.
func (c *Host) StyleBox(s *widget.Styles) {
	if c.Box != nil {
		c.Box.SetStyles(s)
	}
}

// Holds describes what of the box must not be cut off, "" for nothing.
func (c *Host) Holds() string {
	if h, ok := c.Box.(interface{ Holds() string }); ok {
		return h.Holds()
	}
	return ""
}

// Wait returns once what the box writes has its outcome. It may take as long as a request; it
// is called when the program ends.
func (c *Host) Wait() {
	if w, ok := c.Box.(interface{ Wait() }); ok {
		w.Wait()
	}
}

// ShowMsg asks for a box over the screen that sends it. What the box returns does not reach that screen, other than as a message.
type ShowMsg struct{ Box Overlay }

// Leave tells a box that there is no answer. It is for one that a command waits for, such as a request for a password.
func Leave(box any) {
	if l, ok := box.(interface{ Leave() }); ok {
		l.Leave()
	}
}

// IsMenu reports whether a box is a menu: nothing waits for its answer.
func IsMenu(box any) bool {
	_, ok := box.(interface{ Begin() })
	return ok
}

// IsMenu reports whether the box is a menu.
func (c *Host) IsMenu() bool { return IsMenu(c.Box) }

// Still is a part of a box into which nothing is typed, and which is drawn with the styles that it is given.
type Still struct{}

// Typing is false: no key is text.
func (Still) Typing() bool { return false }

// Cursor is nil: nothing is typed.
func (Still) Cursor() *tea.Cursor { return nil }

// SetStyles changes nothing.
func (Still) SetStyles(*widget.Styles) {}

// GraceFor is how long a plan, or an outcome, takes no enter and no space after
// it appeared: keys that were pressed before it could be read are in flight.
const GraceFor = 400 * time.Millisecond

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
	rests  bool // the form was left before anything was entered: tab goes back to it
	formY  int  // line of the form in the body
	rect   widget.Rect
}

// Typing reports whether text is typed into the form.
func (b *Box) Typing() bool { return b.onForm && b.Form.Typing() }

// Takes is false: no letter chooses a button.
func (b *Box) Takes(string) bool { return false }

// OnForm reports whether the form has the keyboard, and not the buttons.
func (b *Box) OnForm() bool { return b.onForm }

// FocusForm gives the keyboard to the form or to the buttons. It must not be called without a
// form.
func (b *Box) FocusForm(on bool) {
	b.onForm, b.rests = on, !on
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
	if b.Form != nil && (key == "up" || key == "down" || first && key == "shift+tab" || b.rests && key == "tab") {
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
		b.rests = false
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
	note := b.Dialog.Note
	if b.rests && b.Form != nil {
		b.Dialog.Note = "tab to the fields"
	}
	view := widget.Overlay(widget.Dim(s, background), b.Dialog.Render(s, bw, bh), b.rect.X, b.rect.Y)
	b.Dialog.Note = note
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
