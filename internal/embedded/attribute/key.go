// The encoding of key values: the order of the bytes is the order of the values, and the encoding of a value is never
// a prefix of another one, so that a value is also a range.

package attribute

import "bytes"

const (
	negativeNumber = 0x01
	zeroNumber     = 0x02
	positiveNumber = 0x03

	textEscape = 0x00 // a zero byte is written 00 ff
	textZero   = 0xff
	textEnd    = 0x01 // 00 01 ends a text and sorts before any longer text
)

// AppendKeyPart appends the order-preserving form of a key value (S, N or B). The encoding is
// stored in files, so it must not change. A key value of another kind has none.
func AppendKeyPart(dst []byte, v Value) []byte {
	if v.Kind == N {
		return appendKeyNumber(dst, mustDecimal(v.Str))
	}
	return append(AppendKeyPrefix(dst, v.Str), textEscape, textEnd)
}

// AppendKeyPrefix appends a text without its end: the prefix of every key whose text
// starts with it.
func AppendKeyPrefix(dst []byte, s string) []byte {
	for i := range len(s) {
		dst = append(dst, s[i])
		if s[i] == textEscape {
			dst = append(dst, textZero)
		}
	}
	return dst
}

// KeyPartSize returns the size of the encoding of a key value of a kind at the start of data, or -1 if it has no end.
func KeyPartSize(k Kind, data []byte) int {
	if k == N {
		return keyNumberSize(data)
	}
	for i := 0; i+1 < len(data); i++ {
		at := bytes.IndexByte(data[i:], textEscape)
		if at < 0 {
			break
		}
		if i += at + 1; i < len(data) && data[i] == textEnd {
			return i + 1
		}
	}
	return -1
}

func keyNumberSize(data []byte) int {
	if len(data) == 0 {
		return -1
	}
	last := byte(0)
	switch data[0] {
	case zeroNumber:
		return 1
	case negativeNumber:
		last = 0xff
	}
	const digits = 2 // after the sign and the exponent
	if len(data) < digits {
		return -1
	}
	if at := bytes.IndexByte(data[digits:], last); at >= 0 {
		return digits + at + 1
	}
	return -1
}

// appendKeyNumber appends sign, exponent and digit pairs. The bytes of a negative number are the complement of its
// absolute value, which reverses the order. A pair of digits is one byte from 1 to 100, so 0 can end a number and
// sorts before every further digit.
func appendKeyNumber(dst []byte, d decimal) []byte {
	if d.digits == "" {
		return append(dst, zeroNumber)
	}
	flip := byte(0)
	if d.negative {
		dst = append(dst, negativeNumber)
		flip = 0xff
	} else {
		dst = append(dst, positiveNumber)
	}
	dst = append(dst, byte(d.exp-minExponent)^flip)
	for i := 0; i < len(d.digits); i += 2 {
		pair := (d.digits[i] - '0') * 10
		if i+1 < len(d.digits) {
			pair += d.digits[i+1] - '0'
		}
		dst = append(dst, (pair+1)^flip)
	}
	return append(dst, 0^flip)
}
