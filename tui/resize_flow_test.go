package tui

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

func TestListsFillATerminalThatGrows(t *testing.T) {
	for name, keys := range map[string][]string{
		"moves of an item": {"3"},
		"menu of changes":  {"o"},
		"things to take":   {"y"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newChangeFixture(t, session.Admin, "", "in_review")
				tt := o.enter(tuitest.Size{W: 80, H: 16})
				tt.Press(keys...)
				tt.Press(strings.Fields(strings.Repeat("down ", 30))...)
				tt.Resize(160, 50)
				all := tt.Screen()
				tt.Press(strings.Fields(strings.Repeat("up ", 30))...)
				tt.Press(strings.Fields(strings.Repeat("down ", 30))...)
				if got := tt.Screen(); got != all {
					t.Errorf("it shows\n%s\nand after going up and down\n%s", all, got)
				}
			})
		})
	}
}
