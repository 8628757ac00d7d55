// This file adds numbers exactly: 38 digits do not fit into a float64.

package models

import (
	"fmt"
	"math/big"
	"strings"
)

// AddNumbers returns a + b, or a - b with subtract, as a plain decimal. The
// error is that of CheckNumber, for a, b or the sum.
func AddNumbers(a, b string, subtract bool) (string, error) {
	for _, text := range []string{a, b} {
		if err := CheckNumber(text); err != nil {
			return "", err
		}
	}
	x, xok := new(big.Rat).SetString(a)
	y, yok := new(big.Rat).SetString(b)
	if !xok || !yok {
		return "", fmt.Errorf("%q and %q are no numbers", Printable(a), Printable(b))
	}
	sum := new(big.Rat)
	if subtract {
		sum.Sub(x, y)
	} else {
		sum.Add(x, y)
	}
	text := sum.FloatString(fractionDigits)
	text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	if text == "" || text == "-" || text == "-0" {
		text = "0"
	}
	return text, CheckNumber(text)
}

// fractionDigits is the most digits after the point that a DynamoDB number
// has: 38 significant ones of 1E-130.
const fractionDigits = 130 + 38
