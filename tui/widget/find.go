package widget

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

// Find is the text of a search. While it is being typed it takes the keys.
type Find struct {
	in     input
	typing bool
}

// NewFind returns an empty search.
func NewFind() *Find { return &Find{in: newInput()} }

// Start begins typing.
func (f *Find) Start() {
	f.typing = true
	f.in.focus()
}

// Stop ends typing; the text stays.
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

// Text returns the search text, "" for none.
func (f *Find) Text() string { return f.in.value() }

// Needle returns the text as Strip.Highlight and Occurrences take it.
func (f *Find) Needle() string { return Fold(f.Text()) }

// Update handles keys and pastes while typing; changed reports whether the text
// changed. It uses all keys while typing, so the screen takes enter and esc before.
func (f *Find) Update(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	if !f.typing {
		return nil, false
	}
	return f.in.update(msg)
}

// Shown returns the text, or the part of it around the cursor, in at most w cells,
// and the cell of the cursor in it. The text is printable and not styled.
func (f *Find) Shown(w int) (text string, cursor int) {
	if w <= 0 {
		return "", 0
	}
	text, cursor = f.in.visible(w)
	return models.Printable(text), cursor
}

// Caret returns the terminal's cursor at a cell.
func Caret(x, y int) *tea.Cursor { return caret(x, y) }
