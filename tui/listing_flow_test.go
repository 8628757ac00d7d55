package tui

import (
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// Every documented pattern of zentriqvision needs an organization. The listing finds one, at a cost that is shown first.
func TestListingFindsWhatEveryPatternNeeds(t *testing.T) {
	d := newDesk(t, "zentriqvision")
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, tuitest.Size{W: 120, H: 40})
		pick(tt, "All Organization items")
		tt.WaitFor("because no documented pattern")
		tt.Reach("Read the whole table?", "enter")
		tt.WaitFor("RCU")
		tt.Reach("3 items", "tab", "enter")
		tt.Reach("1 Overview", "enter")
	})
}
