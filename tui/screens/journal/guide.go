package journal

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the journal.
func (s *journalScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Changes, refusals and reveals on this machine, newest first. ddbdesk detects a modified or removed entry.",
		First:   "select a change. Press u to undo it with a new change, or enter to open its item.",
		Signs: []screen.Sign{
			{Glyph: "✓", Means: "committed: the change was applied"},
			{Glyph: "?", Means: "unknown outcome: v reads the items to determine it"},
			{Glyph: "≠", Means: "conflict: the item had changed, nothing was written"},
			{Glyph: "↶", Means: "committed and later undone"},
			{Glyph: "⊘", Means: "refused, with the reason"},
			{Glyph: "◉", Means: "personal data was shown, with the reason"},
			{Glyph: "✗", Means: "failed: nothing was written"},
		},
	}
}
