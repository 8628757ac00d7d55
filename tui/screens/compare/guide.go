package compare

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the comparison.
func (s *compareScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Here are two items side by side, or two states of one: what is equal, what differs, and what only one of them has.",
		First:   "choose what to compare with, or paste another key or item.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "≠", Means: "different on both sides"},
			{Glyph: "◂", Means: "only at the left"},
			{Glyph: "▸", Means: "only at the right, or a part that is folded"},
			{Glyph: "▾", Means: "a part that is open"},
		}, screen.StateSigns, screen.MaskSigns),
	}
}
