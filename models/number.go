package models

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// These are DynamoDB's limits for numbers: the significant digits, and the exponent of the first digit.
// Source: Amazon DynamoDB Developer Guide, "Supported data types", Number.
const (
	maxDigits   = 38
	maxExponent = 125
	minExponent = -130
)

// A decimal is a parsed number: ±d.ddd × 10^exponent. The digits have no leading or trailing zeros and are empty for
// zero.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// parseDecimal reads [+-]digits[.digits][e[+-]digits], where one side of the point may be empty.
func parseDecimal(text string) (d decimal, ok bool) {
	mantissa, power := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		if !isDigits(trimSign(text[i+1:])) {
			return decimal{}, false
		}
		// Out of range, Atoi returns the nearest int.
		power, _ = strconv.Atoi(text[i+1:])
		power = max(-1<<20, min(power, 1<<20))
	}
	unsigned := trimSign(mantissa)
	whole, fraction, _ := strings.Cut(unsigned, ".")
	all := whole + fraction
	if !isDigits(all) {
		return decimal{}, false
	}
	digits := strings.TrimLeft(all, "0")
	d.exponent = power + len(whole) - 1 - (len(all) - len(digits))
	d.digits = strings.TrimRight(digits, "0")
	d.negative = mantissa[0] == '-' && d.digits != ""
	return d, true
}

func trimSign(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

func (d decimal) compare(o decimal) int {
	sign := d.sign()
	switch {
	case sign != o.sign():
		return sign - o.sign()
	case sign == 0:
		return 0
	case d.exponent != o.exponent:
		return sign * (d.exponent - o.exponent)
	default:
		// Without trailing zeros, the longer of two digit strings with the same start is larger.
		return sign * strings.Compare(d.digits, o.digits)
	}
}

// CheckNumber returns an error if text is not a DynamoDB number. A number has at most 38 significant digits and is zero
// or has a magnitude from 1E-130 to 9.99E+125. The text may have a sign, a fraction and an exponent, and at most 256
// characters, which bounds the work on hostile text.
func CheckNumber(text string) error {
	if len(text) > 256 {
		return fmt.Errorf("number has %d characters; DynamoDB stores %d significant digits", len(text), maxDigits)
	}
	d, ok := parseDecimal(text)
	switch {
	case !ok:
		return fmt.Errorf("%q is not a number", Printable(text))
	case len(d.digits) > maxDigits:
		return fmt.Errorf("%s has %d significant digits; DynamoDB stores %d", text, len(d.digits), maxDigits)
	case d.digits != "" && (d.exponent > maxExponent || d.exponent < minExponent):
		return fmt.Errorf("%s is outside DynamoDB's range of 1E-130 to 9.99E+125", text)
	}
	return nil
}

// CanonicalNumber returns the number as DynamoDB returns it after a write: plain digits without a plus sign, an
// exponent or needless zeros. For example, it returns 1.5 for 1.50, 7 for 007 and 100 for 1e2. Keys must contain this
// form, because ddbdesk computes the key of a stored item from it. CanonicalNumber returns the same errors as
// CheckNumber.
func CanonicalNumber(text string) (string, error) {
	if err := CheckNumber(text); err != nil {
		return "", err
	}
	d, _ := parseDecimal(text)
	return d.String(), nil
}

// String returns the canonical form of a number within DynamoDB's range.
func (d decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	switch whole := d.exponent + 1; { // digits before the decimal point
	case whole <= 0:
		return sign + "0." + strings.Repeat("0", -whole) + d.digits
	case whole >= len(d.digits):
		return sign + d.digits + strings.Repeat("0", whole-len(d.digits))
	default:
		return sign + d.digits[:whole] + "." + d.digits[whole:]
	}
}

// CompareNumbers compares two numbers exactly and returns -1, 0 or 1. Text that is not a number sorts before every
// number. Two texts that are not numbers compare as text. It never converts digits to a float64, so it distinguishes
// numbers that differ only in the 38th digit.
func CompareNumbers(a, b string) int {
	x, okx := parseDecimal(a)
	y, oky := parseDecimal(b)
	switch {
	case okx && oky:
		return max(-1, min(x.compare(y), 1))
	case okx:
		return 1
	case oky:
		return -1
	default:
		return strings.Compare(a, b)
	}
}

// The first byte of a number key is one of these.
const (
	keyNegative byte = iota
	keyZero
	keyPositive
)

// AppendNumberKey appends a key to b. bytes.Compare orders these keys like the numbers: they contain the sign, the
// exponent and the digits, inverted for a negative number. ok is false if text is not a number; its key is then that of
// zero. The keys are for sorting in memory and have no meaning outside this process.
func AppendNumberKey(b []byte, text string) (key []byte, ok bool) {
	d, ok := parseDecimal(text)
	if !ok || d.digits == "" {
		return append(b, keyZero), ok
	}
	const maximum = 1<<15 - 1 // far beyond the exponent of every number that DynamoDB stores
	exponent := uint16(min(max(d.exponent, -maximum), maximum) + 1<<15)
	if !d.negative {
		b = append(b, keyPositive, byte(exponent>>8), byte(exponent))
		return append(b, d.digits...), true
	}
	b = append(b, keyNegative, byte(^exponent>>8), byte(^exponent))
	for i := range len(d.digits) {
		b = append(b, ^d.digits[i])
	}
	return append(b, 0xff), true // The longer of two keys with the same beginning is less.
}

// AddNumbers returns a + b, or a - b if subtract is set, as a plain decimal. It returns the error of CheckNumber for a,
// b or the result. Like DynamoDB, it never rounds: a result with more than 38 digits is an error.
func AddNumbers(a, b string, subtract bool) (string, error) {
	var terms [2]big.Rat
	for i, text := range []string{a, b} {
		if err := CheckNumber(text); err != nil {
			return "", err
		}
		terms[i].SetString(text)
	}
	if subtract {
		terms[1].Neg(&terms[1])
	}
	sum := new(big.Rat).Add(&terms[0], &terms[1])
	// The smallest number, 1E-130, may have 38 digits.
	text := strings.TrimRight(sum.FloatString(-minExponent+maxDigits), "0")
	text = strings.TrimSuffix(text, ".")
	return text, CheckNumber(text)
}

// numberSize counts a byte for every two significant digits, plus one. It ignores outer zeros, sign and exponent.
func numberSize(text string) int {
	d, _ := parseDecimal(text)
	return (len(d.digits)+1)/2 + 1
}
