package schemamap

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the schema map.
func (s *mapScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Here is the whole schema: entities down, their keys and indexes across. It shows what an index can find, and what a change has to keep up.",
		First:   "go through the patterns and see what each reads. tab goes onto the map, where a cell lists the patterns that read it.",
		Signs: []screen.Sign{
			{Glyph: "{name}", Means: "a part that differs from item to item; it has one colour in the whole map"},
			{Glyph: "▸", Means: "the pattern finds these"},
			{Glyph: "=  …", Means: "what the pattern asks of a key: this value, or a beginning; underlined below is what it fixes"},
			{Glyph: "↑ ↓", Means: "the order in which it reads"},
			{Glyph: "✎ new", Means: "a key that has to be written anew with this change"},
			{Glyph: "·", Means: "has no such key: is not in that index"},
			{Glyph: "≈", Means: "can have the same key as another entity"},
			{Glyph: "⌕", Means: "an index: another way to find the same items"},
			{Glyph: "⚠", Means: "an index that no pattern asks"},
			{Glyph: "made up", Means: "an example: no item has this key"},
		},
	}
}
