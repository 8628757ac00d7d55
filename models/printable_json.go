package models

import (
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// PrintableJSON writes Misleading characters in JSON text as \uXXXX. The JSON
// keeps its meaning, because such characters occur in strings only. The text must
// end with a complete character. It is returned unchanged if it has none. The caller must not
// change text afterwards, because the result may be the same slice.
func PrintableJSON(text []byte) []byte {
	var out []byte
	done := 0
	for i := PrintableASCII(text, 0); i < len(text); i = PrintableASCII(text, i) {
		r, size := utf8.DecodeRune(text[i:])
		if r >= 0x7f && Misleading(r) {
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

// Misleading reports whether a terminal executes the character or shows nothing
// for it: control and format characters, line and paragraph separators.
func Misleading(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
