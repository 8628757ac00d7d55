package item

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
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
		tuitest.Sound(rt, s.View(), w, h)
		if rapid.Bool().Draw(rt, "read") {
			s.Update(itemReadMsg{
				task: s.read.task,
				item: screentest.With(it, map[string]types.AttributeValue{"status": screentest.ItemText("submitted")}),
			})
		}
		for _, r := range s.overview.rows {
			s.overview.open[r.path] = true
		}
		s.overview.fillRows()
		for range rapid.IntRange(0, 12).Draw(rt, "presses") {
			s.Update(screentest.Pressed(rapid.SampledFrom(keys).Draw(rt, "key")))
			tuitest.Sound(rt, s.View(), w, h)
		}
		s.Title()
		s.Close()
	})
}

// Every sensitive value of every entity of every profile, in attributes and in
// the keys that repeat them, stays off every tab, the title and the clipboard.
func TestNothingSensitiveIsShown(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out sequential drawing; go test without it runs this")
	}
	if n := (screentest.Marking{}).TryAll(t, false, noLeak); n < 50 {
		t.Errorf("only %d sensitive values were tried", n)
	}
}

func TestSecretsStayHiddenWhenRevealed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out sequential drawing; go test without it runs this")
	}
	if n := (screentest.Marking{SecretsOnly: true}).TryAll(t, true, noLeak); n < 4 {
		t.Errorf("only %d secrets were tried", n)
	}
}

func noLeak(t *testing.T, env *screen.Env, table *models.Table, it models.Item, what string) {
	t.Helper()
	s := New(env, screen.Item{Table: table, Item: it}).(*itemScreen)
	defer s.Close()
	s.SetSize(200, 200)
	s.Init()
	s.Update(itemReadMsg{task: s.read.task, item: it})
	for range 4 {
		for _, r := range s.overview.rows {
			s.overview.open[r.path] = true
		}
		s.overview.fillRows()
	}
	check := screentest.FindsMarker(t, what)
	check("title", s.Title())
	for _, plain := range []bool{true, false} {
		s.plain = plain
		s.retell()
		for i, t := range s.seen {
			s.bar.Active = i
			s.turn(0)
			check(t.title(), s.View())
		}
		check("summary", s.ticket())
		if s.facts.entity != nil {
			check("queues", s.queueSheet().(*overlay.Sheet).Over(env.Styles, "", 200, 200))
		}
	}
	s.bar.Active = 0
	s.turn(0)
	for i := range s.overview.rows {
		s.overview.fields.Select(i)
		check("explanation of "+s.overview.rows[i].path, s.overview.explanation().Over(env.Styles, "", 160, 60))
		for _, e := range s.copyMenu().Entries {
			if e.Key == "v" {
				check("copy of "+s.overview.rows[i].path, copied(e))
			}
		}
	}
	for _, e := range s.copyMenu().Entries {
		check("copy of "+e.Label, copied(e))
	}
	for i := range s.facts.relations {
		s.related.list.Select(strconv.Itoa(i))
		check("about a related pattern", s.related.detail(300, 20))
	}
	s.bar.Active = len(s.seen) - 1
	s.turn(0)
	s.active.enter().run()
	check("plain JSON", strings.Join(tuitest.Draw(s.active.view(), 200, 200), ""))
	s.bar.Active = 0
	s.turn(0)
	s.overview.search().run()
	if s.Update(screentest.PasteOf(screentest.Marker)); s.search.found > 0 {
		t.Errorf("%s: a search finds what is hidden", what)
	}
}

// copied is what an entry of a copy menu puts on the clipboard.
func copied(e overlay.MenuEntry) string {
	if e.Run == nil {
		return ""
	}
	if msg, ok := e.Run()().(screen.CopyMsg); ok {
		return msg.Text
	}
	return ""
}
