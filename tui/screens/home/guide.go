package home

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the profiles.
func (h *Home) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "The schemas that ddbdesk knows. Each profile describes the items of a database, how to query them, and " +
			"how they can change.",
		First: "select a profile and press enter. ddbdesk sends no request before that.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "{name}", Means: "a placeholder: a part of a key that differs between items"},
			{Glyph: "⌕", Means: "an index: another way to query the same items"},
		}, screen.StateSigns),
	}
}
