package tui

import (
	"testing"
	"testing/synctest"
)

// Every documented pattern of zentriqvision needs an organization. The listing finds one, at a cost that is shown first.
func TestListingFindsWhatEveryPatternNeeds(t *testing.T) {
	d := newDesk(t, "zentriqvision")
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wide)
		pick(tt, "All Organization items")
		tt.WaitFor("because no documented pattern")
		tt.Reach("Read the whole table?", "enter")
		tt.WaitFor("RCU")
		tt.Reach("3 items", "tab", "enter")
		tt.Reach("1 Overview", "enter")
	})
}
