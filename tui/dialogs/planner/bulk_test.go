package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// The dialog for many items holds its frame in every phase at every size.
func TestBulkHoldsItsFrame(t *testing.T) {
	for _, name := range profiles.Names() {
		env := screentest.BenchEnv(t, name)
		for _, q := range env.Session.Profile().Queues {
			for _, a := range q.Actions {
				for _, size := range []tuitest.Size{{W: 60, H: 14}, {W: 80, H: 22}, {W: 200, H: 58}} {
					x := NewBulkBox(env, changes.Bulk{Action: a, Items: BulkItems(q.Pattern.Table, make([]models.Item, 12))})
					background := widget.Place("", size.W, size.H)
					tuitest.Sound(t, x.Over(env.Styles, background, size.W, size.H), size.W, size.H)
					x.Phase = BulkRuns
					tuitest.Sound(t, x.Over(env.Styles, background, size.W, size.H), size.W, size.H)
					for i := range 12 {
						x.run.HeardOf(changes.BulkOutcome{
							Index: i, Key: fmt.Sprintf("\x1b[31m%d ✋🏽", i), Status: changes.BulkStatuses()[i%6],
							Why: strings.Repeat("because ", i*i),
						})
					}
					x.Phase = BulkDone
					tuitest.Sound(t, x.Over(env.Styles, background, size.W, size.H), size.W, size.H)
				}
			}
		}
	}
}
