package attribute

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

// A number has at most maxDigits significant digits, and its first digit has a power of ten from minExponent to
// maxExponent.
// Source:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number
const (
	maxDigits   = 38
	maxExponent = 125
	minExponent = -130
)

// decimal is the exact number ±d.ddd × 10^exp. digits has no leading or trailing zeros and is empty for zero.
type decimal struct {
	negative bool
	digits   string
	exp      int
}

// parseDecimal enforces DynamoDB's limits: 38 significant digits and magnitudes from 1E-130 to 9.99E+125.
func parseDecimal(s string) (decimal, *apierror.Error) {
	mantissa, power := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa = s[:i]
		if !isDigits(trimSign(s[i+1:])) {
			return decimal{}, notANumberError(s)
		}
		// If the text is out of range, Atoi returns the nearest int, which must not overflow below.
		power, _ = strconv.Atoi(s[i+1:])
		power = max(-1<<28, min(power, 1<<28))
	}
	whole, fraction, _ := strings.Cut(trimSign(mantissa), ".")
	all := whole + fraction
	if !isDigits(all) {
		return decimal{}, notANumberError(s)
	}
	digits := strings.TrimLeft(all, "0")
	if digits == "" { // DynamoDB also checks the exponent of the last digit of a zero
		return decimal{}, decimal{exp: power - len(fraction)}.checkRange()
	}
	d := decimal{
		negative: mantissa[0] == '-', digits: strings.TrimRight(digits, "0"),
		exp: power + len(whole) - 1 - (len(all) - len(digits)),
	}
	return d, d.checkRange()
}

func trimSign(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func (d decimal) checkRange() *apierror.Error {
	switch {
	case d.exp > maxExponent:
		return apierror.Invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
	case d.exp < minExponent:
		return apierror.Invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	case len(d.digits) > maxDigits:
		return apierror.Invalid("Attempting to store more than 38 significant digits in a Number")
	}
	return nil
}

func notANumberError(s string) *apierror.Error {
	if s == "" {
		return apierror.Invalid("The parameter cannot be converted to a numeric value")
	}
	return apierror.Invalid("The parameter cannot be converted to a numeric value: %s", s)
}

// String returns the normal form: plain digits without an exponent.
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

func (d decimal) compare(o decimal) int {
	sign := d.sign()
	return cmp.Or(
		cmp.Compare(sign, o.sign()),
		sign*cmp.Compare(d.exp, o.exp),
		// Without trailing zeros, the longer of two digit strings with the same start is larger.
		sign*strings.Compare(d.digits, o.digits),
	)
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

// scaled returns the integer d / 10^scale. scale must not exceed the place of the last digit.
func (d decimal) scaled(scale int) *big.Int {
	zeros := d.exp - len(d.digits) + 1 - scale
	n, _ := new(big.Int).SetString(d.digits+strings.Repeat("0", zeros), 10)
	if d.negative {
		n.Neg(n)
	}
	return n
}

// Plus returns the sum of two values of kind N. It returns DynamoDB's error if the sum is too large, too small or too
// precise for a stored number.
func (v Value) Plus(o Value) (Value, error) {
	d := mustDecimal(v.Str).plus(mustDecimal(o.Str))
	if err := d.checkRange(); err != nil {
		return Value{}, err
	}
	return Value{Kind: N, Str: d.String()}, nil
}

// Minus returns the difference of two values of kind N, with the same errors as Plus.
func (v Value) Minus(o Value) (Value, error) {
	negated := mustDecimal(o.Str)
	negated.negative = !negated.negative
	return v.Plus(Value{Kind: N, Str: negated.String()})
}

func mustDecimal(s string) decimal {
	d, err := parseDecimal(s)
	if err != nil {
		panic("embedded: stored number is not a number: " + s)
	}
	return d
}

// NormalNumber validates a number and returns its normal form. Most numbers are short integers without a leading zero,
// which are already in normal form.
func NormalNumber(s string) (string, *apierror.Error) {
	if len(s) < 16 && s != "" && s[0] >= '1' && s[0] <= '9' && isDigits(s) {
		return s, nil
	}
	d, err := parseDecimal(s)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}
