package findings

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the findings.
func (s *findingsScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Defects and gaps of the schema document, and the workaround that ddbdesk applies.",
		First:   "select an issue, or search with /. Press enter to open the patterns, changes and entities that it affects.",
		Signs: []screen.Sign{
			{Glyph: "✗", Means: "impossible or wrong: the documented request fails or returns wrong results"},
			{Glyph: "!", Means: "integrity or security: data can become inconsistent, or visible to the wrong users"},
			{Glyph: "$", Means: "cost: slow and expensive"},
			{Glyph: "·", Means: "latent: works today and breaks with a small change"},
			{Glyph: "≠", Means: "contradiction: the document contradicts itself"},
			{Glyph: "?", Means: "gap: the document omits something"},
			{Glyph: "⚠", Means: "a pattern that does not run as documented because of this issue"},
		},
	}
}
