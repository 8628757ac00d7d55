package rows

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// containsFold gives the same result as a search in a folded copy, but does not copy the text.
func TestContainsFold(t *testing.T) {
	part := rapid.StringOf(rapid.SampledFrom([]rune("abABzZ[@é\u212a ")))
	rapid.Check(t, func(t *rapid.T) {
		text, word := part.Draw(t, "text"), strings.ToLower(part.Draw(t, "word"))
		if got, want := containsFold(text, word), strings.Contains(strings.ToLower(text), word); got != want {
			t.Fatalf("containsFold(%q, %q) = %v, want %v", text, word, got, want)
		}
	})
}
