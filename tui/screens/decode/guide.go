package decode

import (
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the decoder.
func (s *decodeScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Explains a key, an ID or an item as JSON: the entity, the meaning of each part, and the patterns that it can run.",
		First:   "paste the text. Press enter on a pattern to run it.",
		Signs: []screen.Sign{
			{Glyph: "▸", Means: "the part of the key that this line explains"},
			{Glyph: "{name}", Means: "a placeholder: a part of a key that differs between items"},
			{Glyph: models.MaskedText, Means: "masked personal data in the key"},
		},
	}
}
