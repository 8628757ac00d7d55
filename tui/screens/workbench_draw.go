// This file holds small helpers for drawing.

package screens

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func itoa(n int) string { return strconv.Itoa(n) }

// blankLine is w blanks.
func blankLine(w int) string { return strings.Repeat(" ", max(w, 0)) }

// pad moves a block one cell to the right and fits it into w by h cells.
func pad(block string, w, h int) string {
	if w <= 1 || h <= 0 {
		return widget.Place("", w, h)
	}
	return widget.Columns(widget.Place("", 1, h), widget.Place(block, w-1, h))
}

// moved returns the cursor at another origin, nil for none.
func moved(c *tea.Cursor, x, y int) *tea.Cursor {
	if c == nil {
		return nil
	}
	at := *c
	at.X += x
	at.Y += y
	return &at
}

// plural spells a number of things: "1 page", "3 pages".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if strings.HasSuffix(one, "y") {
		return thousands(n) + " " + one[:len(one)-1] + "ies"
	}
	return thousands(n) + " " + one + "s"
}

// thousands groups the digits of n: 12,345.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
