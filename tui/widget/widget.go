// Package widget contains the building blocks of all screens: themes and styles, actions with their keys, a grid for
// any number of rows, forms, lists, scrolling text, panels, bars, dialogs and toasts.
//
// A widget belongs here if at least two screens use it and it needs neither DynamoDB nor I/O. Code that shows DynamoDB
// values or uses a schema belongs in tui/screens. All widgets follow these rules:
//
//   - SetSize sets the rectangle in cells; View returns exactly that many lines,
//     each exactly that wide. Negative sizes count as zero, and a widget without
//     cells draws "".
//   - Update receives a message and reports whether it used it. Coordinates passed
//     to Click are relative to the widget's top left corner.
//   - Text may come from hostile data: widgets make it printable. Only text that
//     is documented as "styled" may contain escape sequences.
//   - Colors come only from Styles, as a Role on a Surface. No meaning is
//     conveyed by color only.
//   - Widths count grapheme clusters. Bubble Tea measures code points
//     until the terminal reports its mode: the root model returns GraphemeWidths
//     from Init.
package widget

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// GraphemeWidths is a command for the root model's Init. It makes Bubble Tea's renderer measure text in grapheme
// clusters, like the widgets do, on terminals that do not report their width mode. Otherwise an emoji of several code
// points would shift the rest of its line.
func GraphemeWidths() tea.Msg {
	return tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset}
}

// Align is the alignment of text within a column.
type Align uint8

// These are the alignments.
const (
	AlignDefault Align = iota // the column's alignment; in a column, left
	AlignLeft
	AlignRight
)

const blanks = "                                                                "

func writeBlanks(b *strings.Builder, n int) {
	for ; n > len(blanks); n -= len(blanks) {
		b.WriteString(blanks)
	}
	if n > 0 {
		b.WriteString(blanks[:n])
	}
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

func cellText(text string, w int) (string, int) {
	if w <= 0 {
		return "", 0
	}
	if len(text) <= w && isPlain(text) {
		return text, len(text)
	}
	text = models.PrintableCell(text, w)
	return text, models.Width(text)
}

func writeCell(b *strings.Builder, text string, w int, align Align) {
	text, used := cellText(text, w)
	if align == AlignRight {
		writeBlanks(b, w-used)
	}
	b.WriteString(text)
	if align != AlignRight {
		writeBlanks(b, w-used)
	}
}

func textWidth(text string, limit int) int {
	_, w := cellText(text, limit)
	return w
}

func fitStyled(line string, w int) string {
	if w <= 0 {
		return ""
	}
	used := models.Width(line)
	if used > w {
		line = ansi.Truncate(line, w, "…")
		used = models.Width(line)
	}
	if used == w && !strings.Contains(line, "\x1b") {
		return line
	}
	var b strings.Builder
	b.Grow(len(line) + w - used + 4)
	b.WriteString(line)
	if strings.Contains(line, "\x1b") && !strings.HasSuffix(line, "\x1b[m") {
		b.WriteString("\x1b[m")
	}
	writeBlanks(&b, w-used)
	return b.String()
}

func fitBlock(block string, w, h int) []string {
	if w <= 0 || h <= 0 {
		return nil
	}
	lines := make([]string, 0, h)
	for line := range strings.SplitSeq(block, "\n") {
		if len(lines) == h {
			break
		}
		lines = append(lines, fitStyled(line, w))
	}
	return padLines(lines, w, h)
}

func padLines(lines []string, w, h int) []string {
	for len(lines) < h {
		lines = append(lines, strings.Repeat(" ", w))
	}
	return lines
}

func joinLines(lines []string, w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	return strings.Join(padLines(lines, w, h)[:h], "\n")
}

// moves contains the keys that all scrolling widgets share, with the destination of each from a row.
var moves = []struct {
	Action
	to func(w *window, at int) int
}{
	{moveAction("up", "↑/k", "up", "up", "k"), func(_ *window, at int) int { return at - 1 }},
	{moveAction("down", "↓/j", "down", "down", "j"), func(_ *window, at int) int { return at + 1 }},
	{moveAction("page-up", "pgup", "page up", "pgup", "ctrl+b"), func(w *window, at int) int { return at - max(w.height-1, 1) }},
	{moveAction("page-down", "pgdn", "page down", "pgdown", "ctrl+f"), func(w *window, at int) int { return at + max(w.height-1, 1) }},
	{moveAction("half-up", "ctrl+u", "half a page up", "ctrl+u"), func(w *window, at int) int { return at - max(w.height/2, 1) }},
	{moveAction("half-down", "ctrl+d", "half a page down", "ctrl+d"), func(w *window, at int) int { return at + max(w.height/2, 1) }},
	{moveAction("first", "g", "first", "home", "g"), func(*window, int) int { return 0 }},
	{moveAction("last", "G", "last", "end", "G"), func(w *window, _ int) int { return w.rowCount }},
}

func moveAction(name, help, desc string, keys ...string) Action {
	return Action{Name: name, Binding: key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc)), Desc: desc}
}

// NavigationActions returns the keys that move in every list, grid and tree, for the help screen.
func NavigationActions() []Action {
	list := make([]Action, len(moves))
	for i, m := range moves {
		list[i] = m.Action
	}
	return list
}

// wheelLines is the number of lines that one wheel notch scrolls.
const wheelLines = 3

// A window is a cursor over n rows. height rows are visible, starting at top.
type window struct {
	top, cursor      int
	rowCount, height int
	hasNoCursor      bool // without a cursor: only top moves, for example in a pager
	keepsCursor      bool // the wheel does not move the cursor, which may leave the view
	wheelScrolled    bool // the wheel scrolled, so the cursor may be out of view
}

func (w *window) resize(n, height int) {
	w.rowCount, w.height = max(n, 0), max(height, 0)
	w.cursor = min(max(w.cursor, 0), max(w.rowCount-1, 0))
	if !w.hasNoCursor && !w.wheelScrolled {
		w.reveal()
	}
	w.top = min(max(w.top, 0), max(w.rowCount-w.height, 0))
}

func (w *window) reveal() {
	if w.cursor < w.top {
		w.top = w.cursor
	}
	if w.height > 0 && w.cursor >= w.top+w.height {
		w.top = w.cursor - w.height + 1
	}
}

func (w *window) move(by int) {
	if w.hasNoCursor {
		w.moveTo(w.top + by)
	} else {
		w.moveTo(w.cursor + by)
	}
}

func (w *window) moveTo(row int) {
	w.wheelScrolled = false
	if w.hasNoCursor {
		w.top = row
	} else {
		w.cursor = row
	}
	w.resize(w.rowCount, w.height)
}

func (w *window) wheel(lines int) {
	w.top = min(max(w.top+lines, 0), max(w.rowCount-w.height, 0))
	switch {
	case w.keepsCursor:
		w.wheelScrolled = true
	case !w.hasNoCursor:
		w.cursor = min(max(w.cursor, w.top), max(w.top+w.height-1, w.top))
	}
	w.resize(w.rowCount, w.height)
}

func (w *window) update(msg tea.Msg) bool {
	press, ok := msg.(tea.KeyPressMsg)
	for _, m := range moves {
		if !ok || !key.Matches(press, m.Binding) {
			continue
		}
		at := w.cursor
		if w.hasNoCursor {
			at = w.top
		}
		w.moveTo(m.to(w, at))
		return true
	}
	return false
}

func (w *window) thumb() (from, to int) {
	if w.height <= 0 || w.rowCount <= w.height {
		return 0, 0
	}
	size := max(w.height*w.height/w.rowCount, 1)
	room := w.height - size
	from = (w.top*room + (w.rowCount-w.height)/2) / (w.rowCount - w.height)
	return from, from + size
}
