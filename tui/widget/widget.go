// Package widget provides the building blocks of every screen: themes and styles,
// actions with their keys, a grid for any number of rows, forms, lists, scrolling
// text, panels, bars, dialogs and toasts.
//
// A widget belongs here if two screens use it and it needs neither DynamoDB nor
// I/O. What shows a DynamoDB value or knows a profile belongs to tui/screens.
// All widgets follow these rules:
//
//   - SetSize sets the rectangle in cells; View returns exactly that many lines,
//     each exactly that wide. Negative sizes count as zero, and a widget without
//     cells draws "".
//   - Update takes a message and reports whether it used it. Coordinates passed
//     to Click are relative to the widget's top left corner.
//   - Text may come from hostile data: widgets make it printable. Only text that
//     is documented as "styled" may contain escape sequences.
//   - Colors come from Styles alone, as a Role on a Surface. No meaning is
//     conveyed by color only.
//   - Widths are those of grapheme clusters. Bubble Tea measures code points
//     until the terminal reports its mode: the root model returns GraphemeWidths
//     from Init.
package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// GraphemeWidths is a command for the root model's Init. It makes Bubble Tea's
// renderer measure text in grapheme clusters, as the widgets do, on terminals
// that do not report their width mode. Otherwise an emoji of several code points
// would shift the rest of its line.
func GraphemeWidths() tea.Msg {
	return tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset}
}

// Align is the alignment of text in its column.
type Align uint8

// The alignments.
const (
	AlignDefault Align = iota // the column's alignment; for a column, left
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
	for len(lines) < h {
		lines = append(lines, strings.Repeat(" ", w))
	}
	return lines
}

func joinLines(lines []string, w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	for len(lines) < h {
		lines = append(lines, strings.Repeat(" ", w))
	}
	return strings.Join(lines[:h], "\n")
}
