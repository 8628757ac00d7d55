package findings

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func newFindingsOf(t testing.TB, name string) *findingsScreen {
	t.Helper()
	return New(
		screentest.NewItemEnv(t, schemas.Open(t, name), &screentest.Memory{}, session.Developer),
		screen.Findings{},
	).(*findingsScreen)
}

func TestFindings(t *testing.T) {
	for _, size := range screentest.EverySize {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &screentest.Stage{Screen: newFindingsOf(t, "authbridge")}
				tt := tuitest.New(t, s, size)
				tt.Press("down")
				tt.Golden("list")
				tt.Press("enter", "down")
				tt.Golden("touches")
				tt.Press("enter")
				if to := screentest.TargetOf[screen.Patterns](
					t, s,
				); to.Pattern == nil || to.Pattern.Title != "Change the status of a verification" {
					t.Errorf("enter opens %v", to.Pattern)
				}
				tt.Press("end", "enter")
				if to := screentest.TargetOf[screen.Map](t, s); to.Entity == nil {
					t.Error("an entity opens the map without it")
				}
				tt.Press("esc", "/")
				tt.Type("reviewer")
				tt.Golden("search")
				tt.Press("enter", "y")
				if text := screentest.Last[screen.CopyMsg](t, s).Text; !strings.HasPrefix(text, "authbridge A") || !strings.Contains(
					text, "\nWorkaround: ",
				) {
					t.Errorf("copied %q", text)
				}
				tt.Press("esc")
				if s.Screen.(*findingsScreen).list.Filter() != "" {
					t.Error("esc does not end the search")
				}
			})
		})
	}
}

// A long explanation is read to its end and back without leaving the list.
func TestFindingsScroll(t *testing.T) {
	s := newFindingsOf(t, "authbridge")
	s.SetSize(80, 22)
	s.Update(screentest.Pressed("down"))
	s.View()
	at := s.selected()
	if s.text.AtEnd() {
		t.Fatal("the explanation fits, so nothing is tested")
	}
	s.Update(screentest.Pressed("pgdown"))
	s.View()
	if s.selected() != at || !s.text.AtEnd() {
		t.Error("pgdn does not scroll the explanation")
	}
	s.Update(screentest.Pressed("pgup"))
	if s.selected() != at || s.text.Top() != 0 {
		t.Error("pgup does not scroll it back")
	}
	s.Update(screentest.Pressed("pgup"))
	if s.selected() == at {
		t.Error("at the beginning of the text pgup does not move in the list")
	}
}

// Every finding of every profile is in the list, is explained, and leads to the
// parts that it names, each of which can be opened.
func TestEveryFindingLeadsSomewhere(t *testing.T) {
	for _, name := range profiles.Names() {
		s := newFindingsOf(t, name)
		s.SetSize(200, 60)
		opened := map[string]bool{}
		for _, f := range s.env.Session.Profile().Findings {
			if !s.list.Select(f.ID) {
				t.Errorf("%s: %s is not in the list", name, f.ID)
				continue
			}
			s.refresh()
			view := strings.Join(strings.Fields(ansi.Strip(s.View())), " ")
			if !strings.Contains(view, f.Title) {
				t.Errorf("%s: the title of %s is not to be seen", name, f.ID)
			}
			if want := len(f.Patterns) + len(f.Entities) + len(f.Tables); len(s.links) < want {
				t.Errorf("%s: %s names %d parts and leads to %d", name, f.ID, want, len(s.links))
			}
			for _, l := range s.links {
				to := l.row.Section + l.row.Value
				if opened[to] {
					continue
				}
				opened[to] = true
				if l.to == nil {
					t.Errorf("%s: %s leads to nothing with %q", name, f.ID, l.row.Value)
				}
			}
		}
	}
}

func TestFindingsAtEverySize(t *testing.T) {
	for _, name := range []string{"form-bridge", "tazco"} {
		s := newFindingsOf(t, name)
		for _, size := range []tuitest.Size{{W: 60, H: 14}, {W: 80, H: 22}, {W: 99, H: 30}, {W: 100, H: 30}, {W: 240, H: 68}} {
			s.SetSize(size.W, size.H)
			for range 5 {
				s.Update(screentest.Pressed("down"))
				tuitest.Sound(t, s.View(), size.W, size.H)
			}
			s.Update(screentest.Pressed("tab"))
			tuitest.Sound(t, s.View(), size.W, size.H)
			s.Update(screentest.Pressed("tab"))
		}
	}
}

func BenchmarkFindings(b *testing.B) {
	s := newFindingsOf(b, "tazco")
	s.SetSize(160, 50)
	for b.Loop() {
		s.View()
	}
}
