// This file is the line in which a search is typed.

package widget

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// Find is a text that is searched for. While it is typed it takes the keys.
type Find struct {
	in     input
	typing bool
	shift  int
}

// NewFind returns an empty search.
func NewFind() *Find { return &Find{in: newInput()} }

// Start lets the text be typed.
func (f *Find) Start() {
	f.typing = true
	f.in.focus()
}

// Stop ends the typing; the text stays.
func (f *Find) Stop() {
	f.typing = false
	f.in.blur()
}

// Clear ends the search.
func (f *Find) Clear() {
	f.Stop()
	f.in.set("")
}

// Typing reports whether the text is being typed.
func (f *Find) Typing() bool { return f.typing }

// Text is what is searched for, "" for nothing.
func (f *Find) Text() string { return f.in.value() }

// Needle is the text as Strip.Lit and Occurrences take it.
func (f *Find) Needle() string { return Fold(f.Text()) }

// Update takes what is typed or pasted; changed reports another text.
func (f *Find) Update(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	if !f.typing {
		return nil, false
	}
	return f.in.update(msg)
}

// Shown is the text, or the part of it around the cursor, in at most w cells,
// and the cell of the cursor in it. It is printable, and not styled.
func (f *Find) Shown(w int) (text string, cursor int) {
	text, cursor = f.in.shown()
	if w <= 0 {
		return "", 0
	}
	f.shift = min(f.shift, cursor)
	if cursor >= f.shift+w {
		f.shift = cursor - w + 1
	}
	if ansi.StringWidth(text) < w {
		f.shift = 0
	}
	return models.Printable(ansi.Cut(text, f.shift, f.shift+w)), cursor - f.shift
}

// Caret is the terminal's cursor at a cell.
func Caret(x, y int) *tea.Cursor { return caret(x, y) }
