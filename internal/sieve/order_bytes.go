// This file spells what rows are ordered by as bytes: a million keys take little
// memory then, and are compared quickly.

package sieve

import (
	"encoding/binary"
	"math"
	"strings"
)

// MissingByte is the first byte of the key of a row without a value, and of no
// other.
const MissingByte = 0xff

// Append appends the key as bytes that compare as Compare does in ascending order.
func (k Key) Append(b []byte) []byte {
	if k.Missing() {
		return append(b, MissingByte)
	}
	b = append(b, byte(k.rank)+1)
	switch k.rank {
	case rankNumber:
		return appendDecimal(b, k.text)
	case rankTime:
		b = binary.BigEndian.AppendUint64(b, uint64(int64(k.num))^1<<63)
		return binary.BigEndian.AppendUint32(b, uint32(k.sub))
	case rankState, rankDocument:
		b = binary.BigEndian.AppendUint64(b, floatBits(k.num))
	default:
	}
	return append(b, k.text...)
}

// floatBits are bits that compare as floats do.
func floatBits(f float64) uint64 {
	bits := math.Float64bits(f + 0) // No negative zero.
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// The first byte of a number.
const (
	belowZero byte = iota
	zero
	aboveZero
)

// appendDecimal appends a number to its last digit: the sign, the power of ten,
// the digits; all turned round when it is negative.
func appendDecimal(b []byte, text string) []byte {
	d, ok := readDecimal(text)
	switch {
	case !ok || d.digits == "":
		return append(b, zero)
	case !d.negative:
		b = binary.BigEndian.AppendUint16(append(b, aboveZero), d.biased())
		return append(b, d.digits...)
	}
	b = binary.BigEndian.AppendUint16(append(b, belowZero), ^d.biased())
	for i := range len(d.digits) {
		b = append(b, ^d.digits[i])
	}
	return append(b, 0xff) // Of two with the same beginning the longer is less.
}

// A decimal is 0.digits times ten to the power. The digits begin and end with
// another than 0; zero has none.
type decimal struct {
	negative bool
	digits   string
	power    int
}

// maxPower is further than any number that a database holds.
const maxPower = 30_000

func (d decimal) biased() uint16 { return uint16(min(max(d.power, -maxPower), maxPower) + 1<<15) }

// readDecimal reads digits with an optional sign, point and exponent.
func readDecimal(text string) (d decimal, ok bool) {
	text, d.negative = strings.CutPrefix(text, "-")
	if !d.negative {
		text = strings.TrimPrefix(text, "+")
	}
	mantissa, exponent := text, ""
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		mantissa, exponent = text[:at], text[at+1:]
		if d.power, ok = readPower(exponent); !ok {
			return decimal{}, false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0123456789") != "" {
		return decimal{}, false
	}
	d.digits = whole + fraction
	d.power += len(whole)
	leading := len(d.digits) - len(strings.TrimLeft(d.digits, "0"))
	d.power -= leading
	d.digits = strings.TrimRight(d.digits[leading:], "0")
	return d, true
}

// readPower reads the digits behind an e; more than maxPower is as good as that.
func readPower(text string) (power int, ok bool) {
	text, negative := strings.CutPrefix(text, "-")
	if !negative {
		text = strings.TrimPrefix(text, "+")
	}
	if text == "" {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		power = min(10*power+int(c-'0'), 2*maxPower)
	}
	if negative {
		power = -power
	}
	return power, true
}
