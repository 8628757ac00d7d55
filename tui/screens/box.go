package screens

import (
	"time"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A box is a dialog, a menu or a text over a screen. One that is at something
// which must not be cut off has Holds and Wait as a Holder has; one that has
// something to give up has cancel or close; one that scrolls has wheel.
type box interface {
	// update takes every message; done reports that the box is to be taken away.
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	// over draws the box over a screen of w by h cells.
	Over(s *widget.Styles, background string, w, h int) string
	// cursor is the terminal's cursor on what over drew, nil for none.
	Cursor() *tea.Cursor
	Click(x, y int) (cmd tea.Cmd, done bool)
	SetStyles(s *widget.Styles)
}

// A cover is the place for a box. Screens embed it; a box is put there by
// assignment, at once, so that keys typed ahead go to it.
type cover struct {
	box  box
	left func() tea.Cmd // what follows when a box is done, nil for nothing
	deaf time.Time      // until then, text is meant for a box that was left
}

// inFlight reports whether a key is text that was typed for the box that has
// just been left: on production that may be the rest of an id or a number, and
// the letters below it change items.
func (c *cover) inFlight(msg tea.Msg) bool {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || press.Text == "" || !c.listening() {
		return false
	}
	c.deaf = time.Now().Add(graceFor) // It goes on.
	return true
}

// listening reports whether text may still come for a box that was left.
func (c *cover) listening() bool { return time.Now().Before(c.deaf) }

// Boxed reports whether a box lies over the screen: nothing may take its place.
func (c *cover) Boxed() bool { return c.box != nil }

// toBox gives a message to the box.
func (c *cover) toBox(msg tea.Msg) tea.Cmd {
	was := c.box
	cmd, done := was.Update(msg)
	return c.after(was, cmd, done)
}

// clickBox gives a click to the box.
func (c *cover) clickBox(x, y int) tea.Cmd {
	was := c.box
	cmd, done := was.Click(x, y)
	return c.after(was, cmd, done)
}

// after takes a box away that is done, unless another took its place.
func (c *cover) after(was box, cmd tea.Cmd, done bool) tea.Cmd {
	if !done {
		return cmd
	}
	if c.box == was {
		c.box = nil
	}
	if b, ok := was.(interface{ typedConfirmation() bool }); ok && b.typedConfirmation() {
		c.deaf = time.Now().Add(graceFor)
	}
	if c.left == nil {
		return cmd
	}
	return tea.Batch(cmd, c.left())
}

// wheelBox scrolls the box, if it does.
func (c *cover) wheelBox(up bool) {
	if w, ok := c.box.(interface{ Wheel(up bool) }); ok {
		w.Wheel(up)
	}
}

// cancelBox stops what the box does; one that does nothing is taken away.
func (c *cover) cancelBox() {
	if b, ok := c.box.(interface{ cancel() bool }); ok && !b.cancel() {
		return
	}
	c.box = nil
}

// closeBox gives up what the box may give up when its screen is left for good.
func (c *cover) closeBox() {
	if b, ok := c.box.(interface{ close() }); ok {
		b.close()
	}
}

// drawBox draws the box over the screen, which stays as it is without one.
func (c *cover) drawBox(s *widget.Styles, screen string, w, h int) string {
	if c.box == nil {
		return screen
	}
	return c.box.Over(s, screen, w, h)
}

// styleBox changes the theme of the box.
func (c *cover) styleBox(s *widget.Styles) {
	if c.box != nil {
		c.box.SetStyles(s)
	}
}

// Holds says what of the box must not be cut off, "" for nothing.
func (c *cover) Holds() string {
	if h, ok := c.box.(interface{ Holds() string }); ok {
		return h.Holds()
	}
	return ""
}

// Wait returns once what the box writes has its outcome.
func (c *cover) Wait() {
	if w, ok := c.box.(interface{ Wait() }); ok {
		w.Wait()
	}
}
