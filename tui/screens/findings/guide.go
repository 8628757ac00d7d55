package findings

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the findings.
func (s *findingsScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Here is everything that the schema document gets wrong or leaves open, in plain words, and what ddbdesk does instead.",
		First:   "go through the list, or search with /. Enter goes to the patterns, changes and entities that a finding touches.",
		Signs: []screen.Sign{
			{Glyph: "✗", Means: "impossible or wrong: asked as the document has it, there is no answer or one not to be trusted"},
			{Glyph: "!", Means: "integrity or security: data can disagree with itself, or be seen by the wrong people"},
			{Glyph: "$", Means: "cost: slow and dear"},
			{Glyph: "·", Means: "latent: works today, and breaks with a small change"},
			{Glyph: "≠", Means: "contradiction: the document says two things"},
			{Glyph: "?", Means: "gap: the document leaves something out"},
			{Glyph: "⚠", Means: "a pattern that is not run as the document has it because of this"},
		},
	}
}
