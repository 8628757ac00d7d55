package compare

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func TestHostileComparisons(t *testing.T) {
	if testing.Short() {
		t.Skip("-short skips tests that draw one frame after another")
	}
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	base, table := screentest.Verification(t, p), p.Entity("Verification").Table
	keys := []string{"1", "2", "v", "s", "enter", "right", "left", "down", "down", "up", "pgdown", "G", "y", "esc", "/", "x", "日", "="}
	rapid.Check(t, func(rt *rapid.T) {
		left, right := screentest.HostileItem(rt, base), screentest.HostileItem(rt, base)
		c := newComparison(env, screen.Compare{Table: table, Item: left, Row: right, Rows: []models.Item{right}})
		w, h := rapid.IntRange(0, 150).Draw(rt, "w"), rapid.IntRange(0, 45).Draw(rt, "h")
		c.SetSize(w, h)
		tuitest.RendersExactly(rt, c.View(), w, h)
		read(t, c, side{title: screentest.HostileText.Draw(rt, "title"), table: table, item: right})
		tuitest.RendersExactly(rt, c.View(), w, h)
		for range rapid.IntRange(0, 12).Draw(rt, "presses") {
			c.Update(screentest.Pressed(rapid.SampledFrom(keys).Draw(rt, "key")))
			tuitest.RendersExactly(rt, c.View(), w, h)
		}
		c.Update(screentest.PasteOf(screentest.HostileText.Draw(rt, "paste")))
		tuitest.RendersExactly(rt, c.View(), w, h)
		c.Close()
	})
}
