package workbench

import (
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the workbench.
func (b *Workbench) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "The access patterns of the schema. Select one, enter its parameters, and run it.",
		First: "select a pattern and press enter; tab moves to the form and the rows. Paste a key into any field to fill " +
			"in all its values.",
		Signs: screen.Signs([]screen.Sign{
			screen.FindingSign,
			{Glyph: "name*", Means: "a required parameter"},
			{Glyph: "▾", Means: "a list of values; space opens it"},
			{Glyph: "→", Means: "the request as DynamoDB receives it, updated while you type"},
		}, screen.GridSigns, results.FilterSigns, screen.StateSigns, screen.MaskSigns),
	}
}
