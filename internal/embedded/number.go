package embedded

import (
	"math/big"
	"strings"
)

const (
	maxDigits   = 38
	maxExponent = 125
	minExponent = -130
)

// decimal is the exact number ±d.ddd × 10^exp. Its digits have neither leading nor
// trailing zeros; zero has none.
type decimal struct {
	negative bool
	digits   string
	exp      int
}

// parseDecimal reads a number with an optional fraction and exponent, within the service's
// limits: 38 significant digits, magnitudes from 1E-130 to 9.99E+125.
func parseDecimal(s string) (decimal, *apiError) {
	rest, negative := s, false
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		negative = rest[0] == '-'
		rest = rest[1:]
	}
	mantissa, power := rest, 0
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		var ok bool
		if power, ok = parseExponent(rest[i+1:]); !ok {
			return decimal{}, notANumber(s)
		}
		mantissa = rest[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if !allDigits(whole) || !allDigits(fraction) || whole+fraction == "" {
		return decimal{}, notANumber(s)
	}
	all := whole + fraction
	digits := strings.TrimLeft(all, "0")
	exp := len(whole) - (len(all) - len(digits)) - 1 + power
	d := decimal{negative: negative, digits: strings.TrimRight(digits, "0"), exp: exp}
	if d.digits == "" { // the service checks the exponent of a zero, too
		return decimal{}, decimal{exp: power}.inRange()
	}
	return d, d.inRange()
}

// inRange checks the limits of the service.
func (d decimal) inRange() *apiError {
	switch {
	case d.exp > maxExponent:
		return invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
	case d.exp < minExponent:
		return invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	case len(d.digits) > maxDigits:
		return invalid("Attempting to store more than 38 significant digits in a Number")
	}
	return nil
}

func notANumber(s string) *apiError {
	if s == "" {
		return invalid("The parameter cannot be converted to a numeric value")
	}
	return invalid("The parameter cannot be converted to a numeric value: %s", s)
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// parseExponent reads the part after E. It caps huge values: they must not overflow an
// int, and fail the range check later.
func parseExponent(s string) (int, bool) {
	sign := 1
	if s != "" && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if s == "" || !allDigits(s) {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if n = n*10 + int(s[i]-'0'); n > 1<<28 {
			return sign << 28, true
		}
	}
	return sign * n, true
}

// String returns the normal form of the service: plain digits without an exponent.
func (d decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	var b strings.Builder
	if d.negative {
		b.WriteByte('-')
	}
	point := d.exp + 1 // digits before the decimal point
	switch {
	case point <= 0:
		b.WriteString("0.")
		b.WriteString(strings.Repeat("0", -point))
		b.WriteString(d.digits)
	case point >= len(d.digits):
		b.WriteString(d.digits)
		b.WriteString(strings.Repeat("0", point-len(d.digits)))
	default:
		b.WriteString(d.digits[:point])
		b.WriteByte('.')
		b.WriteString(d.digits[point:])
	}
	return b.String()
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// compare orders two decimals: -1, 0 or 1.
func (d decimal) compare(o decimal) int {
	s, t := d.sign(), o.sign()
	switch {
	case s != t && s < t:
		return -1
	case s != t:
		return 1
	case s == 0:
		return 0
	case d.exp != o.exp && d.exp < o.exp:
		return -s
	case d.exp != o.exp:
		return s
	}
	// Without trailing zeros, the longer of two digit strings with the same start is the
	// larger.
	return s * strings.Compare(d.digits, o.digits)
}

// plus adds exactly. The caller checks the range of the result.
func (d decimal) plus(o decimal) decimal {
	if d.digits == "" {
		return o
	}
	if o.digits == "" {
		return d
	}
	scale := min(d.exp-len(d.digits), o.exp-len(o.digits)) + 1
	sum := new(big.Int).Add(d.scaled(scale), o.scaled(scale))
	if sum.Sign() == 0 {
		return decimal{}
	}
	digits := new(big.Int).Abs(sum).String()
	return decimal{
		negative: sum.Sign() < 0, digits: strings.TrimRight(digits, "0"),
		exp: scale + len(digits) - 1,
	}
}

func (d decimal) minus(o decimal) decimal {
	o.negative = !o.negative
	return d.plus(o)
}

// scaled returns the integer d / 10^scale. scale must not exceed the place of the last
// digit.
func (d decimal) scaled(scale int) *big.Int {
	zeros := d.exp - len(d.digits) + 1 - scale
	n, _ := new(big.Int).SetString(d.digits+strings.Repeat("0", zeros), 10)
	if d.negative {
		n.Neg(n)
	}
	return n
}

// mustDecimal reads a number in normal form.
func mustDecimal(s string) decimal {
	d, err := parseDecimal(s)
	if err != nil {
		panic("embedded: stored number is not a number: " + s)
	}
	return d
}

// normalNumber checks a number and returns its normal form.
func normalNumber(s string) (string, *apiError) {
	if len(s) < 16 && s != "" && s[0] >= '1' && s[0] <= '9' && allDigits(s) {
		return s, nil
	}
	d, err := parseDecimal(s)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}
