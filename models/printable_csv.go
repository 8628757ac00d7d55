// This file keeps exported cells from being run as formulas by a spreadsheet.

package models

import "strings"

// CSVCell returns s as a CSV cell that no spreadsheet runs: text that starts
// like a formula (= + - @ or their full-width forms, also behind blanks and
// double quotes; a tab or a line break) gets a leading apostrophe, which
// spreadsheets show as text. So does what starts like one behind a semicolon, a
// tab or a line break inside of s: where commas are for decimals, spreadsheets
// part cells there, whatever the quotes. Plain numbers, negative ones and ones
// with an exponent included, stay untouched. Quoting is left to encoding/csv.
func CSVCell(s string) string {
	if s == "" {
		return s
	}
	if startsFormula(s) || strings.ContainsRune(lineEnds, rune(s[0])) {
		s = "'" + s
	}
	at := strings.IndexAny(s, cellEnds)
	if at < 0 {
		return s
	}
	var out strings.Builder
	for at >= 0 {
		out.WriteString(s[:at+1])
		s = s[at+1:]
		if startsFormula(s) {
			out.WriteByte('\'')
		}
		at = strings.IndexAny(s, cellEnds)
	}
	out.WriteString(s)
	return out.String()
}

const (
	lineEnds = "\t\r\n"
	cellEnds = ";" + lineEnds
)

// startsFormula reports whether a spreadsheet that begins a cell with s would run
// it.
func startsFormula(s string) bool {
	s = strings.TrimLeft(s, " \u00a0\u3000\"")
	if s == "" || !strings.ContainsRune("=+-@", rune(s[0])) && !wideSign(s) {
		return false
	}
	if end := strings.IndexAny(s, cellEnds); end >= 0 {
		s = s[:end]
	}
	return !isPlainNumber(strings.TrimRight(s, " "))
}

func wideSign(s string) bool {
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
