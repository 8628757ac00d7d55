package workbench

import (
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the workbench.
func (b *Workbench) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Here are the questions of the document, its patterns. Choose one, fill in what it asks for, and see the items that it finds.",
		First:   "choose a pattern at the left and press enter; tab goes on to the form and the rows. A key pasted into any field fills in all that it holds.",
		Signs: screen.Signs([]screen.Sign{
			screen.FindingSign,
			{Glyph: "name*", Means: "a value that must be given"},
			{Glyph: "▾", Means: "a value to choose: space opens the list"},
			{Glyph: "→", Means: "the request as DynamoDB gets it, while one types"},
		}, screen.GridSigns, results.FilterSigns, screen.StateSigns, screen.MaskSigns),
	}
}
