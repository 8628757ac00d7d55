// This file finds the word that was probably meant.

package models

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the candidate closest to word, whatever its case; false when
// none is close enough to be meant: half of the letters and two more may
// differ, but one must be shared.
func Nearest(word string, candidates []string) (string, bool) {
	best, distance := "", len(word)/2+2
	for _, c := range candidates {
		wanted, have := strings.ToLower(word), strings.ToLower(c)
		d := levenshtein.ComputeDistance(wanted, have)
		switch {
		case strings.HasPrefix(c, word) && word != "":
			d = min(d, 1)
		case !strings.ContainsAny(have, wanted):
			continue
		}
		if d < distance {
			best, distance = c, d
		}
	}
	return best, best != ""
}

// DidYouMean returns `; did you mean "x"?`, or "" when nothing is close.
func DidYouMean(word string, candidates []string) string {
	if c, ok := Nearest(word, candidates); ok {
		return `; did you mean "` + c + `"?`
	}
	return ""
}
