package tui

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// Every documented pattern of zentriqvision needs an organization. The listing finds one, at a cost that is shown first.
func TestListingFindsWhatEveryPatternNeeds(t *testing.T) {
	atDesk(t, "zentriqvision", func(_ *testing.T, tt *tuitest.Terminal) {
		pick(tt, "All Organization items")
		tt.WaitFor("because no documented pattern")
		tt.Reach("Read the whole table?", "enter")
		tt.WaitFor("RCU")
		tt.Reach("3 items", "tab", "enter")
		tt.Reach("1 Overview", "enter")
	})
}
