package bookmarks

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the bookmarks.
func (s *bookmarksScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Here are the items and questions that were given a name. They stand in a file that can be shared with colleagues.",
		First:   "press enter to open one. b on an item, or on a question that was asked, adds it here.",
		Signs:   screen.MaskSigns,
	}
}
