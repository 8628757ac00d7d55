package item

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces an item.
func (s *itemScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Here is one item: what it is, what it says, how its keys came about, what happened to it, where one can go from it, and what may be changed.",
		First:   "press 1 to 7 to go through the tabs; a lists the changes that its state allows, and why the others are not possible.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "≠", Means: "differs from the list that it was opened from, or from what the attributes make of it"},
			{Glyph: "▸ ▾", Means: "a part that is folded, or open: enter turns it"},
			{Glyph: "›", Means: "leads to other items: enter goes there"},
			{Glyph: "▶ ◂", Means: "the state that the item is in, among all that there are"},
			screen.FindingSign,
		}, screen.StateSigns, screen.MaskSigns),
	}
}
