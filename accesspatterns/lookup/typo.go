package lookup

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// maxCorrections is the maximum number of suggested corrections.
const maxCorrections = 3

// Corrections returns texts that differ from text by one typing error: one character too many, too few or wrong, or two
// swapped characters. Its candidates are the known values, such as the IDs of recent items, and text with the
// documented prefix of an attribute or key. It returns at most three texts, known values first, and never text itself.
func Corrections(entities []*models.Entity, known []string, text string) []string {
	var list []string
	add := func(correct string) {
		if correct != text && !slices.Contains(list, correct) {
			list = append(list, correct)
		}
	}
	for _, k := range known {
		if IsOneTypo(k, text) {
			add(k)
		}
	}
	for _, prefix := range (Schema{Entities: entities}).literalPrefixes() {
		if len(prefix) < 3 || strings.HasPrefix(text, prefix) {
			continue
		}
		for _, n := range []int{len(prefix), len(prefix) + 1, len(prefix) - 1} {
			if n < len(text) && (IsOneTypo(text[:n], prefix) || strings.EqualFold(text[:n], prefix)) {
				add(prefix + text[n:])
				break
			}
		}
	}
	return list[:min(len(list), maxCorrections)]
}

// IsOneTypo reports whether two texts differ by exactly one typing error; see Corrections. The comparison is
// case-sensitive. It returns false for equal texts.
func IsOneTypo(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) < len(y) {
		x, y = y, x
	}
	if len(x)-len(y) > 1 {
		return false
	}
	i := 0
	for i < len(y) && x[i] == y[i] {
		i++
	}
	switch {
	case len(x) == len(y) && i == len(x):
		return false
	case len(x) > len(y):
		return slices.Equal(x[i+1:], y[i:])
	case slices.Equal(x[i+1:], y[i+1:]):
		return true
	}
	return x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
}
