package rows

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Looking for a word without copying a text finds what copying it finds.
func TestContainsFold(t *testing.T) {
	part := rapid.StringOf(rapid.SampledFrom([]rune("abABzZ[@é\u212a ")))
	rapid.Check(t, func(t *rapid.T) {
		text, word := part.Draw(t, "text"), strings.ToLower(part.Draw(t, "word"))
		if got, want := containsFold(text, word), strings.Contains(strings.ToLower(text), word); got != want {
			t.Fatalf("%q in %q: %v, want %v", word, text, got, want)
		}
	})
}
