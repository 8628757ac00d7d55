package models

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width returns how many terminal cells a line takes, its styles not counted. It is
// ansi.StringWidth, which looks for characters of several code points everywhere and
// takes a quarter of the time of a frame: most lines are ASCII, frames and styles, where
// each code point is a character of one cell.
func Width(line string) int {
	cells := 0
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c >= 0x20 && c < 0x7f:
			cells++
			i++
		case c == 0x1b:
			n := styleLength(line[i:])
			if n == 0 {
				return ansi.StringWidth(line)
			}
			i += n
		default:
			r, n := utf8.DecodeRuneInString(line[i:])
			if !isOneCell(r) {
				return ansi.StringWidth(line)
			}
			cells++
			i += n
		}
	}
	return cells
}

// styleLength returns the length of the style ("\x1b[…m") that s starts with, 0 for another escape sequence
// and for text.
func styleLength(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

// isOneCell reports characters that take one cell and combine with no other of these or of ASCII: those that
// frames and most texts consist of, not all.
func isOneCell(r rune) bool {
	switch {
	case r < 0x2010:
		return r >= 0xc0 && r <= 0x24f || r == 0xb7
	case r < 0x2190:
		return r <= 0x2027
	case r <= 0x2193, r >= 0x2500 && r <= 0x259f:
		return true
	}
	return r == 0x2315 || r == 0x25b8 || r == 0x25be || r == 0x25cf || r == 0x25cb
}
