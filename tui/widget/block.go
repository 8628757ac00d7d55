package widget

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Bind returns a binding of keys; help names them in hints and in the help.
func Bind(help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, ""))
}

// BlankLine is a line of w blanks.
func BlankLine(w int) string { return strings.Repeat(" ", max(w, 0)) }

// Indent moves a block one cell to the right and fits it into w by h cells.
func Indent(block string, w, h int) string {
	if w <= 1 || h <= 0 {
		return Place("", w, h)
	}
	return Columns(Place("", 1, h), Place(block, w-1, h))
}

// MoveCursor returns the cursor relative to another origin, nil for none. c is not changed.
func MoveCursor(c *tea.Cursor, x, y int) *tea.Cursor {
	if c == nil {
		return nil
	}
	at := *c
	at.X += x
	at.Y += y
	return &at
}
