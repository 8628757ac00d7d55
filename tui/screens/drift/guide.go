package drift

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces drift.
func (s *driftScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Items whose index keys or times are inconsistent, for example after a status change that did not update " +
			"the index. Queries miss such items or return them in the wrong place.",
		First: "choose a table or an entity and press enter. ddbdesk reads every item once, which is expensive for a " +
			"large table; esc stops it.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "→", Means: "the stored value and the expected one"},
			{Glyph: "✓", Means: "consistent, or repaired"},
			{Glyph: "✗", Means: "not repaired, with the reason"},
		}, screen.GridSigns),
	}
}
