// This file keeps exported cells from being run as formulas by a spreadsheet.

package models

import "strings"

// CSVCell returns s as a CSV cell that no spreadsheet runs: text that starts
// like a formula (= + - @, a tab or a line break, or the full-width forms of
// the signs) gets a leading apostrophe, which spreadsheets show as text. Plain
// numbers, negative ones and ones with an exponent included, stay untouched.
// Quoting is left to encoding/csv.
func CSVCell(s string) string {
	if s == "" || !startsFormula(s) || isPlainNumber(s) {
		return s
	}
	return "'" + s
}

func startsFormula(s string) bool {
	switch s[0] {
	case '=', '+', '-', '@', '\t', '\r', '\n':
		return true
	}
	for _, sign := range [...]string{"＝", "＋", "－", "＠"} {
		if strings.HasPrefix(s, sign) {
			return true
		}
	}
	return false
}

// isPlainNumber reports [+-]digits[.digits][e[+-]digits], the form in which
// DynamoDB writes numbers.
func isPlainNumber(s string) bool {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(s), "e")
	if hasExponent && !isDigits(trimSign(exponent)) {
		return false
	}
	whole, fraction, hasFraction := strings.Cut(trimSign(mantissa), ".")
	return isDigits(whole) && (!hasFraction || isDigits(fraction))
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
