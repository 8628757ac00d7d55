package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the candidate closest to word, ignoring case, or false if no candidate is close. A close candidate
// shares a letter with word and is at most two edits away, or len(word)/3+1 if that is more, because a suggestion of an
// unrelated word misleads. If several candidates are equally close, Nearest returns the first one.
func Nearest(word string, candidates []string) (string, bool) {
	best, distance := "", max(3, len(word)/3+2)
	for _, c := range candidates {
		lowerWord, lowerCandidate := strings.ToLower(word), strings.ToLower(c)
		d := levenshtein.ComputeDistance(lowerWord, lowerCandidate)
		switch {
		case strings.HasPrefix(c, word) && word != "", differBySwap(lowerWord, lowerCandidate):
			d = min(d, 1)
		case !strings.ContainsAny(lowerCandidate, lowerWord), d > 1 && len(lowerWord) <= 4 && lowerWord[0] != lowerCandidate[0]:
			continue
		}
		if d < distance {
			best, distance = c, d
		}
	}
	return best, best != ""
}

func differBySwap(a, b string) bool {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return len(a) == len(b) && i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// NamesOf returns the name of each element, for Nearest and for messages.
func NamesOf[T any](list []T, name func(T) string) []string { return MapSlice(list, name) }

// MapSlice returns a slice with the result of calling convert for each element.
func MapSlice[T, R any](list []T, convert func(T) R) []R {
	results := make([]R, len(list))
	for i, x := range list {
		results[i] = convert(x)
	}
	return results
}

// First returns the first element for which matches returns true, or the zero value.
func First[T any](list []T, matches func(T) bool) T {
	x, _ := Find(list, matches)
	return x
}

// Find works like First, and reports whether an element matches.
func Find[T any](list []T, matches func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(list, matches); i >= 0 {
		return list[i], true
	}
	return found, false
}

// Filter returns the elements for which keep returns true, or nil.
func Filter[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
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

// AppendOnce appends x to a list that does not contain it yet.
func AppendOnce[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}
