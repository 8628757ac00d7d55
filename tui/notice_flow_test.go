package tui

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// A notice is on the bottom line, so that it covers neither a border nor a dialog, and is gone after a while.
func TestNoticeCoversNothing(t *testing.T) {
	inQueue(t, 1, func(t *testing.T, _ *queueFixture, tt *tuitest.Terminal) {
		above := func() string {
			lines := strings.Split(strings.TrimRight(tt.Screen(), "\n"), "\n")
			return strings.Join(lines[:len(lines)-1], "\n")
		}
		before := above()
		tt.Reach("no change was made here", "u")
		if after := above(); after != before {
			t.Errorf("the notice covers the screen:\n%s", after)
		}
		tt.WaitGone("no change was made here")
		tt.WaitFor("1 waiting")
	})
}
