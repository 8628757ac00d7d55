package item

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// ran runs a command and those that it is made of, but no tick, and returns the
// messages that the screen would get.
func ran(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
		return nil
	case tea.BatchMsg:
		return ran(msg[0]) // The rest are ticks of spinners.
	default:
		return []tea.Msg{msg}
	}
}

// opened is the item screen after its item was read, on a tab.
func opened(t *testing.T, env *screen.Env, table *models.Table, it models.Item, tab int) *itemScreen {
	t.Helper()
	s := New(env, screen.Item{Table: table, Item: it}).(*itemScreen)
	t.Cleanup(s.Close)
	s.Watch(false) // What nobody looks at is not counted in passing, which waits its turn.
	s.bar.Active = tab
	s.SetSize(120, 38)
	for todo := ran(s.Init()); len(todo) > 0; todo = todo[1:] {
		todo = append(todo, ran(s.Update(todo[0]))...)
	}
	return s
}

func TestTimelineOfEveryProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out sequential drawing; go test without it runs this")
	}
	for _, name := range profiles.Names() {
		t.Run(name, func(t *testing.T) {
			p := schemas.Open(t, name)
			env, from := screentest.Seeded(t, p)
			entries := map[*models.Entity]int{}
			tried := map[*models.Entity]int{}
			screentest.EveryItem(t, env, from, func(table *models.Table, it models.Item) {
				r, ok := env.Session.Recognize(table, it)
				if !ok || tried[r.Entity] >= 2 {
					return
				}
				tried[r.Entity]++
				s := opened(t, env, table, it, tabTimeline)
				if s.timeline.err != nil {
					t.Errorf("%s: %v", r.Entity.Name, s.timeline.err)
				}
				entries[r.Entity] += s.timeline.Len()
				for _, size := range screentest.ChangeSizes {
					s.SetSize(size.W, size.H)
					view := s.View()
					tuitest.Sound(t, view, size.W, size.H)
					if text := strings.Join(
						tuitest.Draw(view, size.W, size.H), "\n",
					); s.timeline.Len() == 0 && !strings.Contains(text, "history") &&
						!strings.Contains(text, "No entry in") {
						t.Errorf("nothing says why there is nothing:\n%s", text)
					}
				}
			})
			found := 0
			for _, n := range entries {
				found += n
			}
			if len(p.Trails) > 0 && found == 0 {
				t.Error("no entry of any trail was found")
			}
		})
	}
}
