package item

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func TestHostileItems(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	base := screentest.Verification(t, p)
	table := p.Entity("Verification").Table
	keys := []string{
		"1", "2", "3", "4", "5", "v", "x", "tab", "enter", "right", "left", "down", "down", "down", "up", "pgdown", "G", "g",
		"y", "esc", "o", "esc", "R", "r", "/", "/", "z", "n", "N", "e", "日",
	}
	rapid.Check(t, func(rt *rapid.T) {
		it := screentest.HostileItem(rt, base)
		s := New(env, screen.Item{Table: table, Item: it}).(*itemScreen)
		w, h := rapid.IntRange(0, 150).Draw(rt, "w"), rapid.IntRange(0, 45).Draw(rt, "h")
		s.SetSize(w, h)
		s.Init()
		tuitest.RendersExactly(rt, s.View(), w, h)
		if rapid.Bool().Draw(rt, "read") {
			s.finishRead(screentest.With(it, map[string]types.AttributeValue{"status": screentest.ItemText("submitted")}), nil)
		}
		for _, r := range s.overview.rows {
			s.overview.expanded[r.path] = true
		}
		s.overview.fillRows()
		for range rapid.IntRange(0, 12).Draw(rt, "presses") {
			s.Update(screentest.Pressed(rapid.SampledFrom(keys).Draw(rt, "key")))
			tuitest.RendersExactly(rt, s.View(), w, h)
		}
		s.Title()
		s.Close()
	})
}
