package item

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces an item.
func (s *itemScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "One item: its attributes, keys, lifecycle, history, related queries and possible changes.",
		First:   "press 1 to 7 to switch tabs. Press a to list the changes that its state allows, and why others are unavailable.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "≠", Means: "differs from the list that it was opened from, or from the value that its attributes imply"},
			{Glyph: "▸ ▾", Means: "a folded or unfolded part; enter toggles it"},
			{Glyph: "›", Means: "leads to other items; enter opens them"},
			{Glyph: "▶ ◂", Means: "the current state of the item in its lifecycle"},
			screen.FindingSign,
		}, screen.StateSigns, screen.MaskSigns),
	}
}
