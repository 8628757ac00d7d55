// Package widget holds the pieces that every screen of the console is made of:
// colours and styles, the key map as data, a grid for any number of rows, a
// form, lists, lines that are drawn when they are seen, panels, bars, dialogs and
// toasts.
//
// The pieces know nothing of DynamoDB and do no I/O. They share these rules:
//
//   - SetSize gives a widget its rectangle in cells; View returns exactly that
//     many lines, each exactly that wide. Sizes below zero count as zero, and a
//     widget without cells draws "".
//   - Update takes a message and reports whether it was used. Coordinates given
//     to Click are relative to the widget's own top left corner.
//   - Text from outside may be hostile: widgets make it printable themselves.
//     Only where a text is documented as "styled" may it hold escape sequences.
//   - Colours come from Styles alone, as a Role on a Surface; nothing is told
//     by colour only.
//   - Widths are those of grapheme clusters. Bubble Tea measures differently
//     until the terminal says otherwise: the root model returns
//     GraphemeWidths from Init.
package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// GraphemeWidths is a command for the root model's Init. It makes Bubble Tea's
// renderer measure text in grapheme clusters, as the widgets do, on terminals
// that do not report their width mode; otherwise an emoji of several code
// points would move the rest of its line.
func GraphemeWidths() tea.Msg {
	return tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset}
}

// Align is the side to which text is moved in its column.
type Align uint8

// The alignments.
const (
	AlignDefault Align = iota // the column's alignment; left for a column
	AlignLeft
	AlignRight
)

const blanks = "                                                                "

// writeBlanks appends n spaces.
func writeBlanks(b *strings.Builder, n int) {
	for ; n > len(blanks); n -= len(blanks) {
		b.WriteString(blanks)
	}
	if n > 0 {
		b.WriteString(blanks[:n])
	}
}

// isPlain reports text of printable ASCII, which is as wide as it is long.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// cellText returns the start of text that fits w cells, printable, and its width.
func cellText(text string, w int) (string, int) {
	if w <= 0 {
		return "", 0
	}
	if len(text) <= w && isPlain(text) {
		return text, len(text)
	}
	text = models.PrintableCell(text, w)
	return text, ansi.StringWidth(text)
}

// writeCell appends text in exactly w cells.
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

// textWidth is the width of text once it is printable, limit at most.
func textWidth(text string, limit int) int {
	_, w := cellText(text, limit)
	return w
}

// fitStyled cuts or pads a styled line to exactly w cells and ends its styles.
func fitStyled(line string, w int) string {
	if w <= 0 {
		return ""
	}
	used := ansi.StringWidth(line)
	if used > w {
		line = ansi.Truncate(line, w, "…")
		used = ansi.StringWidth(line)
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

// fitBlock cuts or pads a styled block to exactly w by h cells.
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

// joinLines joins exactly h lines, blank ones for those that are missing.
func joinLines(lines []string, w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	for len(lines) < h {
		lines = append(lines, strings.Repeat(" ", w))
	}
	return strings.Join(lines[:h], "\n")
}
