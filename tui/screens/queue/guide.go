package queue

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the queues.
func (s *queueScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Here is what waits for somebody, the oldest first. It looks again by itself and marks what is new.",
		First:   "press enter to read an item, or the letter of a change to decide it; space marks several for one decision.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "↻", Means: "it is looked at again by itself; t stops that"},
			{Glyph: "‖", Means: "it is not looked at again before t"},
			{Glyph: "new", Means: "came since it was looked at before; what is grey has left the queue"},
		}, screen.GridSigns, screen.StateSigns, screen.MaskSigns),
	}
}
