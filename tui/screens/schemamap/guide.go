package schemamap

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the schema map.
func (s *mapScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "The whole schema: entities as rows, keys and indexes as columns. It shows what an index can find, and " +
			"which keys a change must update.",
		First: "select a pattern to see what it reads. Press tab to move to the map, where a cell lists the patterns that read it.",
		Signs: []screen.Sign{
			{Glyph: "{name}", Means: "a placeholder; it has the same color everywhere on the map"},
			{Glyph: "▸", Means: "the pattern returns these"},
			{Glyph: "=  …", Means: "the condition of the pattern: this value, or a prefix; what it fixes is underlined below"},
			{Glyph: "↑ ↓", Means: "the sort order of the pattern"},
			{Glyph: "✎ new", Means: "a key that must be updated with this change"},
			{Glyph: "·", Means: "no such key: the entity is not in that index"},
			{Glyph: "≈", Means: "can have the same key as another entity"},
			{Glyph: "⌕", Means: "an index: another way to query the same items"},
			{Glyph: "⚠", Means: "an index that no pattern uses"},
			{Glyph: "made up", Means: "an invented example: no item has this key"},
		},
	}
}
