package journal

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the journal.
func (s *journalScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Here is what this console changed, refused and revealed, the newest first. A line that somebody changes or takes out is noticed.",
		First:   "choose a change; u takes it back as a change of its own, enter opens its item.",
		Signs: []screen.Sign{
			{Glyph: "✓", Means: "committed: the change was made"},
			{Glyph: "?", Means: "the outcome is not known: v reads the items and finds out"},
			{Glyph: "≠", Means: "conflict: somebody else was faster, nothing was written"},
			{Glyph: "↶", Means: "committed, and taken back later"},
			{Glyph: "⊘", Means: "refused, with the reason"},
			{Glyph: "◉", Means: "personal data was shown, with the reason"},
			{Glyph: "✗", Means: "failed: nothing was written"},
		},
	}
}
