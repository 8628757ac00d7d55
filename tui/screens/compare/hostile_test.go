package compare

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func TestHostileComparisons(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out sequential drawing; go test without it runs this")
	}
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	base, table := screentest.Verification(t, p), p.Entity("Verification").Table
	keys := []string{"d", "n", "N", "s", "o", "enter", "right", "left", "down", "down", "up", "pgdown", "G", "y", "esc", "/", "x", "日"}
	rapid.Check(t, func(rt *rapid.T) {
		left, right := screentest.HostileItem(rt, base), screentest.HostileItem(rt, base)
		s := newCompare(env, screen.Compare{Table: table, Item: left, Row: right, Rows: []models.Item{right}})
		w, h := rapid.IntRange(0, 150).Draw(rt, "w"), rapid.IntRange(0, 45).Draw(rt, "h")
		s.SetSize(w, h)
		tuitest.Sound(rt, s.View(), w, h)
		s.loaded(compareLoadedMsg{
			screen: s, req: s.choice.load.req,
			side: compareSide{title: screentest.HostileText.Draw(rt, "title"), table: table, item: right},
		})
		tuitest.Sound(rt, s.View(), w, h)
		for range rapid.IntRange(0, 12).Draw(rt, "presses") {
			s.Update(screentest.Pressed(rapid.SampledFrom(keys).Draw(rt, "key")))
			tuitest.Sound(rt, s.View(), w, h)
		}
		s.Update(screentest.PasteOf(screentest.HostileText.Draw(rt, "paste")))
		tuitest.Sound(rt, s.View(), w, h)
		s.Close()
	})
}

// Personal data stays out of comparisons.
func TestNothingSensitiveIsCompared(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out sequential drawing; go test without it runs this")
	}
	if n := (screentest.Marking{}).TryAll(t, false, noLeakInComparison); n < 50 {
		t.Errorf("only %d sensitive values were tried", n)
	}
}

// noLeakInComparison looks at the item beside another state of it, and beside
// nothing but its key.
func noLeakInComparison(t *testing.T, env *screen.Env, table *models.Table, it models.Item, what string) {
	t.Helper()
	check := screentest.FindsMarker(t, what)
	key, _ := table.PrimaryKey(it)
	for _, other := range []models.Item{screentest.With(it, map[string]types.AttributeValue{"odd": screentest.ItemText("x")}), key} {
		c := newCompare(env, screen.Compare{Table: table, Item: it, Row: other, Rows: []models.Item{other}})
		c.SetSize(240, 200)
		check("choices", c.View())
		c.loaded(compareLoadedMsg{screen: c, req: c.choice.load.req, side: compareSide{title: "other", table: table, item: other}})
		for range 4 {
			for i := range c.found.diff.rows {
				c.found.diff.folds[c.found.diff.rows[i].path] = true
			}
			c.refresh()
		}
		check("comparison", c.View())
		for i := range c.found.diff.rows {
			c.goTo(i)
			check("detail of a comparison", c.found.rows.detail(&c.found.diff.rows[i], 200, 8))
			check("a difference", compareText(&c.found.diff.rows[i]).Text)
		}
		check("all differences", c.differencesText().Text)
		c.Close()
	}
}
