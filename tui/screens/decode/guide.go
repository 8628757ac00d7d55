package decode

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the decoder.
func (s *decodeScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Here one finds out what a key is, or an id, or an item as JSON: what it belongs to, what its parts mean, and which questions it answers.",
		First:   "paste it. Enter on a pattern below asks that question.",
		Signs: []screen.Sign{
			{Glyph: "▸", Means: "the part of the key that the line beside it explains"},
			{Glyph: "{name}", Means: "a part of a key that differs from item to item"},
			{Glyph: "•••", Means: "personal data inside the key, hidden"},
		},
	}
}
