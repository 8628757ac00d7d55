// This file keeps what a terminal would act on out of JSON and CSV: control
// characters, bidirectional overrides, invisible characters.

package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
)

// jsonWriter spells such characters as \uXXXX, which loses nothing: they stand
// inside strings only. Each Write holds whole characters.
type jsonWriter struct{ w io.Writer }

func (j jsonWriter) Write(text []byte) (int, error) {
	if _, err := j.w.Write(escapeUnseen(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

func escapeUnseen(text []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if acts(r) {
			out = append(out, text[done:i]...)
			for _, u := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, u)
			}
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// acts reports whether a terminal, or an eye, is led astray by the character.
func acts(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// csvCell is a cell as terminals and spreadsheets may have it. Line breaks and
// tabs are text: the cell is quoted.
func csvCell(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, l := range lines {
		parts := strings.Split(l, "\t")
		for j, p := range parts {
			parts[j] = models.Printable(p)
		}
		lines[i] = strings.Join(parts, "\t")
	}
	return models.CSVCell(strings.Join(lines, "\n"))
}
