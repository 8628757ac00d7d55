package compare

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the comparison.
func (s *compareScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Two items, or two states of one item, side by side: what is equal, what differs, and what only one of them has.",
		First:   "choose what to compare with, or paste a key or an item.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "≠", Means: "different on both sides"},
			{Glyph: "◂", Means: "only at the left"},
			{Glyph: "▸", Means: "only at the right, or a folded part"},
			{Glyph: "▾", Means: "an unfolded part"},
		}, screen.StateSigns, screen.MaskSigns),
	}
}
