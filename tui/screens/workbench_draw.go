package screens

import (
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// plural spells a number of things: "1 page", "3,000 pages".
func plural(n int, one string) string { return thousands(n) + " " + english.PluralWord(n, one, "") }

// thousands groups the digits of n: 12,345.
func thousands(n int) string { return humanize.Comma(int64(n)) }
