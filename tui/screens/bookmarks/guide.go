package bookmarks

import (
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Guide introduces the bookmarks.
func (s *bookmarksScreen) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Bookmarked items and queries. They are stored in a file that a team can share.",
		First:   "press enter to open a bookmark. Press b on an item or a query to add one.",
		Signs:   screen.MaskSigns,
	}
}
