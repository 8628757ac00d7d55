package lists

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func TestFindingsListsSchemaIssues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := screentest.NewItemEnv(t, schemas.Open(t, "authbridge"), &screentest.Memory{}, session.Developer)
		s := &screentest.Stage{Screen: Findings.Open(env, screen.Findings{})}
		tt := tuitest.New(t, s, tuitest.Size{W: 80, H: 24})
		tt.Press("down")
		tt.Golden("list")
		tt.Press("pgdown") // The user can scroll to the end of the text.
		tt.WaitFor("Source:")
		tt.Press("enter")
		tt.Golden("affected")
		tt.Press("down", "enter")
		if to := screentest.TargetOf[screen.Patterns](t, s); to.Pattern == nil || to.Pattern.Title != "Change the status of a verification" {
			t.Errorf("enter opened %v", to.Pattern)
		}
		tt.Press("enter", "end", "enter")
		if to := screentest.TargetOf[screen.Map](t, s); to.Entity == nil {
			t.Error("enter opened the map without an entity")
		}
		tt.Press("/")
		tt.Type("reviewer")
		tt.Press("tab", "y")
		text := screentest.Last[screen.CopyMsg](t, s).Text
		if !strings.Contains(text, " authbridge A") || !strings.Contains(text, "\nWorkaround\n") {
			t.Errorf("got copied text %q", text)
		}
	})
}

// Each schema issue has an explanation, and opens the parts that it names.
func TestEveryFindingHasLinks(t *testing.T) {
	for _, name := range profiles.Names() {
		synctest.Test(t, func(t *testing.T) {
			env := screentest.NewItemEnv(t, schemas.Open(t, name), &screentest.Memory{}, session.Developer)
			for _, f := range env.Session.Profile().Findings {
				s := Findings.Open(env, screen.Findings{ID: f.ID})
				s.SetSize(200, 60)
				answer(s, s.Init())
				view := strings.Join(strings.Fields(ansi.Strip(s.View())), " ")
				if !strings.Contains(view, f.Title) || !strings.Contains(view, name+" "+f.ID+" ·") {
					t.Errorf("%s: the screen lacks %s:\n%s", name, f.ID, view)
				}
				links := issueLinks(env, f)
				if want := len(f.Patterns) + len(f.Entities) + len(f.Tables); len(links) < want {
					t.Errorf("%s: %s names %d parts, but has %d links", name, f.ID, want, len(links))
				}
				for _, l := range links {
					if l.to == nil || l.title == "" {
						t.Errorf("%s: a link of %s has no target: %q", name, f.ID, l.title)
					}
				}
				s.Close()
			}
		})
	}
}
