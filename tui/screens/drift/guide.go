package drift

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces drift.
func (s *driftScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Here are items whose keys or times no longer agree with what they say, as when a status was changed and the index was forgotten. Lists leave such items out, or show them in the wrong place.",
		First:   "choose where to look and press enter. Every item is read once, which costs money on a large table; esc stops it.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "→", Means: "what is stored, and what it should be"},
			{Glyph: "✓", Means: "in order, or repaired"},
			{Glyph: "✗", Means: "not repaired, with the reason"},
		}, screen.GridSigns),
	}
}
