// This file keeps what a terminal would act on out of JSON: control characters,
// bidirectional overrides, invisible characters.

package models

import (
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// PrintableJSON spells characters that lead a terminal or an eye astray as
// \uXXXX, which loses nothing: in JSON they stand inside strings only. text must
// end with a whole character. It is returned as it is when there is nothing to
// spell.
func PrintableJSON(text []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if Misleading(r) {
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

// Misleading reports whether a terminal acts on the character, or an eye cannot
// see it: control and format characters, line and paragraph separators.
func Misleading(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
