package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the candidate closest to word, ignoring case, or false if no candidate is close. A close candidate
// shares a letter with word and is at most two edits away, or len(word)/3+1 if that is more, because a suggestion of an
// unrelated word misleads. A candidate that begins with word counts as one edit. If several candidates are equally
// close, Nearest returns the one with the fewest edits, or the first one.
func Nearest(word string, candidates []string) (string, bool) {
	limit := max(3, len(word)/3+2)
	best, distance, edits := "", limit, limit
	for _, c := range candidates {
		lowerWord, lowerCandidate := strings.ToLower(word), strings.ToLower(c)
		all := Edits(lowerWord, lowerCandidate)
		d := all
		switch {
		case strings.HasPrefix(c, word) && word != "":
			d = min(d, 1)
		case !strings.ContainsAny(lowerCandidate, lowerWord), d > 1 && len(lowerWord) <= 4 && lowerWord[0] != lowerCandidate[0]:
			continue
		}
		if d < distance || d == distance && all < min(edits, limit) {
			best, distance, edits = c, d, all
		}
	}
	return best, best != ""
}

// Edits returns the number of inserted, deleted and replaced characters between two texts. Two swapped neighbors count as
// one edit if the texts have no other difference.
func Edits(a, b string) int {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) && i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
		return 1
	}
	return levenshtein.ComputeDistance(a, b)
}

// DidYouMean returns the hint `; did you mean "x"?` with the candidate from Nearest, or "". The hint includes the
// separator, so the caller appends it directly to a message.
func DidYouMean(word string, candidates []string) string {
	if c, ok := Nearest(word, candidates); ok {
		return `; did you mean "` + c + `"?`
	}
	return ""
}

// Limited returns at most n elements of a list of texts. If there are more, it appends how many.
func Limited(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(slices.Clone(list[:n]), fmt.Sprintf("and %d more", len(list)-n))
}
