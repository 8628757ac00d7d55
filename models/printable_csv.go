package models

import (
	"slices"
	"strings"
)

// CSVCell returns s as a CSV cell that no spreadsheet evaluates. Text that starts
// like a formula gets a leading apostrophe, which makes it text: it starts with =
// + - @ or their full-width forms, perhaps after blanks and double quotes, or with
// a tab or a line break. The same goes for text after a semicolon, tab or line
// break inside s, because spreadsheets with decimal commas split cells there even
// within quotes. Plain numbers do not change. encoding/csv does the quoting. The apostrophe
// changes the data, so use it for files that people open and not for those that a program reads
// back.
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

func startsFormula(s string) bool {
	s = strings.TrimLeft(s, " \u00a0\u3000\"")
	if s == "" || !strings.ContainsRune("=+-@", rune(s[0])) && !wideSign(s) {
		return false
	}
	if end := strings.IndexAny(s, cellEnds); end >= 0 {
		s = s[:end]
	}
	_, isNumber := parseDecimal(strings.TrimRight(s, " "))
	return !isNumber
}

func wideSign(s string) bool {
	return slices.ContainsFunc([]string{"＝", "＋", "－", "＠"}, func(sign string) bool { return strings.HasPrefix(s, sign) })
}
