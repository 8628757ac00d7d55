// Package overlay contains the boxes that cover a screen and receive all keys until they close: menus, questions and
// texts. It also contains the host that a screen embeds to show one. Other packages define the content of dialogs.
package overlay

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An Overlay is a dialog, a menu or a text over a screen. It receives all keys and clicks while it is open. An Overlay
// with work that must not be interrupted implements Holds and Wait like screen.Holder; with cancellable work it
// implements Cancel or Close; with content to scroll it implements Wheel.
type Overlay interface {
	// Update handles every message. done reports whether the host must close the box.
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	// Over draws the box over a screen of w by h cells. The host calls it for every frame.
	Over(s *widget.Styles, background string, w, h int) string
	// Cursor returns the position of the terminal cursor in the last drawing, or nil.
	Cursor() *tea.Cursor
	Click(x, y int) (cmd tea.Cmd, done bool)
	SetStyles(s *widget.Styles)
}

// A Host shows a box. Screens embed it and assign Box immediately, so that keys typed ahead reach the box. The zero
// Host has no box and no panes.
type Host struct {
	Box    Overlay
	Closed func() tea.Cmd      // runs after a box closes; may be nil
	Panes  func() widget.Panes // returns the panes that handle the mouse; may be nil
}

func (c *Host) panes() widget.Panes {
	if c.Box != nil || c.Panes == nil {
		return nil
	}
	return c.Panes()
}

// Click passes a click to the box, or to the pane at x, y.
func (c *Host) Click(x, y int) tea.Cmd {
	if c.Box != nil {
		old := c.Box
		cmd, done := old.Click(x, y)
		return c.finishUpdate(old, cmd, done)
	}
	return c.panes().Click(x, y)
}

// Wheel passes a wheel turn to the box, or to the pane at x, y.
func (c *Host) Wheel(x, y int, up bool) tea.Cmd {
	if c.Box != nil {
		Wheel(c.Box, up)
		return nil
	}
	return c.panes().Wheel(x, y, up)
}

// Cursor returns the terminal cursor in the box or a pane, or nil.
func (c *Host) Cursor() *tea.Cursor {
	if c.Box != nil {
		return c.Box.Cursor()
	}
	return c.panes().Cursor()
}

// Field returns whether a box covers the screen (boxed), and whether the user is typing text into it (in).
func (c *Host) Field() (in, boxed bool) { return c.Box != nil && InField(c.Box), c.Box != nil }

// InField reports whether the user is typing text into a box. It assumes so for a box without a Typing method.
func InField(box any) bool {
	b, ok := box.(interface{ Typing() bool })
	return !ok || b.Typing()
}

// AcceptsKey reports whether the box uses a printable key.
func (c *Host) AcceptsKey(key string) bool { return c.Box != nil && AcceptsKey(c.Box, key) }

// AcceptsKey reports whether a box without text input uses a printable key. It assumes so if the box lacks the method.
func AcceptsKey(box any, key string) bool {
	b, ok := box.(interface{ AcceptsKey(key string) bool })
	return !ok || b.AcceptsKey(key)
}

// FocusFields moves the focus to the fields of a box. With on false, it moves the focus from optional fields to the
// buttons, so that the rest of a word that opened the box is not typed into it.
func (c *Host) FocusFields(on bool) {
	if b, ok := c.Box.(interface{ FocusFields(on bool) }); ok {
		b.FocusFields(on)
	}
}

// Confirming reports whether the user is typing the confirmation of a change.
func (c *Host) Confirming() bool {
	b, ok := c.Box.(interface{ TypedConfirmation() bool })
	return ok && b.TypedConfirmation()
}

// Boxed reports whether a box covers the screen. A covered screen must not be replaced.
func (c *Host) Boxed() bool { return c.Box != nil }

// ToBox passes a message to the box, which must exist.
func (c *Host) ToBox(msg tea.Msg) tea.Cmd {
	old := c.Box
	cmd, done := old.Update(msg)
	return c.finishUpdate(old, cmd, done)
}

func (c *Host) finishUpdate(old Overlay, cmd tea.Cmd, done bool) tea.Cmd {
	if !done {
		return cmd
	}
	if c.Box == old {
		c.Box = nil
	}
	if c.Closed == nil {
		return cmd
	}
	return tea.Batch(cmd, c.Closed())
}

// Wheel scrolls a box that can scroll.
func Wheel(box any, up bool) {
	if w, ok := box.(interface{ Wheel(up bool) }); ok {
		w.Wheel(up)
	}
}

// CancelBox cancels the box's work, or closes a box without work. A box whose Cancel returns false stays open, for
// example while it writes a change.
func (c *Host) CancelBox() {
	if b, ok := c.Box.(interface{ Cancel() bool }); ok && !b.Cancel() {
		return
	}
	c.Box = nil
}

// CloseBox cancels the box's work when its screen closes. The box stays in place, because the screen is not used
// afterward.
func (c *Host) CloseBox() {
	if b, ok := c.Box.(interface{ Close() }); ok {
		b.Close()
	}
}

// DrawBox draws the box over the middle of the dimmed screen. Without a box it returns the screen unchanged.
func (c *Host) DrawBox(s *widget.Styles, screen string, w, h int) string {
	if c.Box == nil {
		return screen
	}
	return c.Box.Over(s, screen, w, h)
}

// StyleBox sets the theme of the box.
func (c *Host) StyleBox(s *widget.Styles) {
	if c.Box != nil {
		c.Box.SetStyles(s)
	}
}

// Holds describes the box's work that must not be interrupted, or returns "" if there is none.
func (c *Host) Holds() string {
	if h, ok := c.Box.(interface{ Holds() string }); ok {
		return h.Holds()
	}
	return ""
}

// Wait blocks until the box's writes have an outcome, which may take as long as a request. The root calls it when the
// program ends.
func (c *Host) Wait() {
	if w, ok := c.Box.(interface{ Wait() }); ok {
		w.Wait()
	}
}

// ShowMsg opens a box over the screen that sends it. The screen receives the box's results only as messages.
type ShowMsg struct{ Box Overlay }

// Leave closes a box without an answer. A command may be waiting for the answer, for example for a password.
func Leave(box any) {
	if l, ok := box.(interface{ Leave() }); ok {
		l.Leave()
	}
}

// IsMenu reports whether a box is a menu. Nothing waits for a menu's answer.
func IsMenu(box any) bool {
	_, ok := box.(interface{ Begin() })
	return ok
}

// IsMenu reports whether the box is a menu.
func (c *Host) IsMenu() bool { return IsMenu(c.Box) }

// NoInput is embedded in boxes without text input. Its SetStyles does nothing, because these boxes use the styles
// passed to Over.
type NoInput struct{}

// Typing returns false.
func (NoInput) Typing() bool { return false }

// Cursor returns nil.
func (NoInput) Cursor() *tea.Cursor { return nil }

// SetStyles does nothing.
func (NoInput) SetStyles(*widget.Styles) {}

// GracePeriod is how long a new plan or outcome ignores enter and space, which the user may have pressed before seeing
// it.
const GracePeriod = 400 * time.Millisecond

// A Box is a dialog in the middle of the screen: a text, an optional form, and buttons. The first button cancels and
// the last one confirms. Dialogs embed Box and act on the results of Choose and ClickAt.
type Box struct {
	Dialog *widget.Dialog
	Form   *widget.Form // nil if there are no inputs; enter in the form chooses the last button

	singleField bool // the form is a single field without help
	onForm      bool
	tabReturns  bool // the user left the form before typing: tab returns to it
	formY       int  // line of the form within the body
	rect        widget.Rect
}

// Typing reports whether the user is typing text into the form.
func (b *Box) Typing() bool { return b.onForm && b.Form.Typing() }

// AcceptsKey returns false, because letters do not choose buttons.
func (b *Box) AcceptsKey(string) bool { return false }

// OnForm reports whether the form, rather than the buttons, has the keyboard focus.
func (b *Box) OnForm() bool { return b.onForm }

// FocusForm moves the keyboard focus to the form if on is true, otherwise to the buttons. The box must have a form.
func (b *Box) FocusForm(on bool) {
	b.onForm, b.tabReturns = on, !on
	b.Form.SetFocused(on)
}

// Choose passes a message to the form or the buttons. The returned choice is empty unless the user chose a button or
// pressed esc. The choice of an unavailable button has a Why and an empty name.
func (b *Box) Choose(msg tea.Msg) (tea.Cmd, widget.Choice) {
	press, isKey := msg.(tea.KeyPressMsg)
	if b.onForm {
		return b.chooseOnForm(msg, press.String())
	}
	if !isKey {
		return nil, widget.Choice{}
	}
	key := press.String()
	onFirst := len(b.Dialog.Buttons) > 0 && b.Dialog.Focused() == b.Dialog.Buttons[0].Name
	if b.Form != nil && (key == "up" || key == "down" || onFirst && key == "shift+tab" || b.tabReturns && key == "tab") {
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
		b.tabReturns = false
	case "enter":
		last := b.Dialog.Buttons[len(b.Dialog.Buttons)-1]
		if last.Disabled != nil {
			if reason := last.Disabled(); reason != "" {
				return nil, widget.Choice{Why: reason}
			}
		}
		return nil, widget.Choice{Name: last.Name}
	}
	return cmd, widget.Choice{}
}

// ClickAt passes a click to the form or the buttons. inside is false for a click outside of the dialog. x and y are
// relative to the screen on which Draw last drew the dialog.
func (b *Box) ClickAt(x, y int) (chosen widget.Choice, inside bool) {
	if !b.rect.Has(x, y) && (b.Form == nil || !b.Form.Choosing()) {
		return widget.Choice{}, false
	}
	left, top := b.Dialog.BodyAt()
	if b.Form != nil && b.Form.Click(x-b.rect.X-left, y-b.rect.Y-top-b.formY) {
		b.FocusForm(true)
		return widget.Choice{}, true
	}
	return b.Dialog.Click(x-b.rect.X, y-b.rect.Y, b.rect.W, b.rect.H), true
}

// Draw draws the dialog over a screen of w by h cells: lines of at most contentWidth cells, the form, and the lines
// below it. It resizes the form and records all positions for clicks and the cursor.
func (b *Box) Draw(s *widget.Styles, background string, w, h, contentWidth int, above, below []string) string {
	lines := slices.Clone(above)
	b.formY = len(lines)
	if b.Form != nil {
		height := b.Form.Height(contentWidth)
		if b.singleField {
			height = 1
		}
		b.Form.SetSize(contentWidth, height)
		lines = append(lines, strings.Split(b.Form.View(), "\n")...)
	}
	lines = append(lines, below...)
	b.Dialog.Body = widget.Place(strings.Join(lines, "\n"), contentWidth, len(lines))
	bw, bh := b.Dialog.Size(w, h)
	b.rect = widget.Centered(w, h, bw, bh)
	focused := b.Dialog.Focused()
	if b.onForm { // Highlight the button that enter in the form chooses.
		b.Dialog.Focus(b.Dialog.Buttons[len(b.Dialog.Buttons)-1].Name)
	}
	defer b.Dialog.Focus(focused)
	note := b.Dialog.Note
	if b.tabReturns && b.Form != nil {
		b.Dialog.Note = "tab to the fields"
	}
	view := widget.Overlay(widget.Dim(s, background), b.Dialog.Render(s, bw, bh), b.rect.X, b.rect.Y)
	b.Dialog.Note = note
	if b.Form == nil {
		return view
	}
	left, top := b.Dialog.BodyAt()
	return b.Form.OverPopup(view, b.rect.X+left, b.rect.Y+top+b.formY)
}

// Cursor returns the terminal cursor in the form, or nil.
func (b *Box) Cursor() *tea.Cursor {
	if !b.onForm {
		return nil
	}
	x, y := b.Dialog.BodyAt()
	return widget.MoveCursor(b.Form.Cursor(), b.rect.X+x, b.rect.Y+y+b.formY)
}

// SetStyles sets the theme.
func (b *Box) SetStyles(s *widget.Styles) {
	if b.Form != nil {
		b.Form.SetStyles(s)
	}
}
