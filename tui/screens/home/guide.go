package home

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the profiles.
func (h *Home) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Here are the schemas that ddbdesk knows. Each is read from a document that says which items there are, how they are found, and what may change.",
		First:   "choose one with the arrows and press enter. Nothing is asked of a database before that.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "{name}", Means: "a part of a key that differs from item to item"},
			{Glyph: "⌕", Means: "an index: another way to find the same items"},
		}, screen.StateSigns),
	}
}
