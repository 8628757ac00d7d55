package models

import "math/bits"

// Text is looked at eight bytes at a time: most of it is letters and digits, and very many
// rows are looked at several times on their way to a file.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// eightBytes returns the first bytes in little-endian order; the compiler makes one load of it.
func eightBytes[T string | []byte](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// PlainJSON returns the offset of the first quote, backslash or control character of text
// from at on, or the length of text: what is before it stands for itself in a JSON string. It
// says nothing about characters beyond ASCII; see needsNoEscape and Misleading.
func PlainJSON(text string, at int) int {
	for ; at+8 <= len(text); at += 8 {
		w := eightBytes(text[at:])
		quote, slash := w^ones*'"', w^ones*'\\'
		// The lowest of the high bits marks the first such byte; those above it may be wrong.
		found := ((w-ones*' ')&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for ; at < len(text); at++ {
		if c := text[at]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return at
}

// PrintableASCII returns the offset of the first byte of text from at on that is not a
// printable ASCII character, or the length of text.
func PrintableASCII[T string | []byte](text T, at int) int {
	for ; at+8 <= len(text); at += 8 {
		w := eightBytes(text[at:])
		if found := ((w-ones*' ')&^w | (w + ones) | w) & highs; found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for ; at < len(text); at++ {
		if c := text[at]; c < ' ' || c > '~' {
			break
		}
	}
	return at
}
