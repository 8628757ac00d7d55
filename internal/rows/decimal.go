package rows

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// A decimal is 0.digits × 10^power, exactly. The digits neither begin nor end with
// 0; zero has none.
type decimal struct {
	negative bool
	digits   string
	power    int
}

// maxPower exceeds the exponent of every number that DynamoDB stores.
const maxPower = 30_000

// readDecimal reads digits with an optional sign, point and exponent.
func readDecimal(text string) (d decimal, ok bool) {
	text, d.negative = cutSign(text)
	mantissa := text
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		mantissa = text[:at]
		if d.power, ok = readExponent(text[at+1:]); !ok {
			return decimal{}, false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0123456789") != "" {
		return decimal{}, false
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	d.power += len(whole) - (len(whole) + len(fraction) - len(digits))
	d.digits = strings.TrimRight(digits, "0")
	return d, true
}

// readExponent reads the digits after an e. Exponents beyond maxPower are limited.
func readExponent(text string) (power int, ok bool) {
	text, negative := cutSign(text)
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	for _, c := range []byte(text) {
		power = min(10*power+int(c-'0'), 2*maxPower)
	}
	if negative {
		power = -power
	}
	return power, true
}

func cutSign(text string) (rest string, negative bool) {
	if rest, negative = strings.CutPrefix(text, "-"); negative {
		return rest, true
	}
	return strings.TrimPrefix(text, "+"), false
}

// The first byte of an appended decimal.
const (
	belowZero byte = iota
	zero
	aboveZero
)

// append appends the decimal as bytes whose order is that of numbers: the sign,
// the power, the digits; inverted when it is negative.
func (d decimal) append(b []byte) []byte {
	power := uint16(min(max(d.power, -maxPower), maxPower) + 1<<15)
	switch {
	case d.digits == "":
		return append(b, zero)
	case !d.negative:
		b = binary.BigEndian.AppendUint16(append(b, aboveZero), power)
		return append(b, d.digits...)
	}
	b = binary.BigEndian.AppendUint16(append(b, belowZero), ^power)
	for i := range len(d.digits) {
		b = append(b, ^d.digits[i])
	}
	return append(b, 0xff) // Of two with the same beginning, the longer is less.
}

// test returns a test whether a number, compared with d, satisfies an operator.
func (d decimal) test(op string) func(text string) bool {
	limit := d.append(nil)
	return func(text string) bool {
		var b [64]byte // DynamoDB's numbers have at most 38 digits.
		n, ok := readDecimal(text)
		return ok && satisfies(op, bytes.Compare(n.append(b[:0]), limit))
	}
}
