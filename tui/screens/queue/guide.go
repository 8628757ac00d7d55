package queue

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the queues.
func (s *queueScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Items that need a decision, oldest first. The queue refreshes automatically and marks new items.",
		First:   "press enter to open an item, or the letter of an action to run it. Press space to mark several items.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "↻", Means: "refreshes automatically; t stops it"},
			{Glyph: "‖", Means: "does not refresh; t starts it"},
			{Glyph: "new", Means: "new since the last refresh; a gray row has left the queue"},
		}, screen.GridSigns, screen.StateSigns, screen.MaskSigns),
	}
}
