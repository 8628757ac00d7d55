package schemamap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func mapOf(t testing.TB, name string) *mapScreen {
	t.Helper()
	return New(
		screentest.NewItemEnv(t, schemas.Open(t, name), &screentest.Memory{}, session.Developer), screen.Map{},
	).(*mapScreen)
}

func showMap(t *testing.T, size tuitest.Size, profile string) (*tuitest.Terminal, *screentest.Stage) {
	t.Helper()
	s := &screentest.Stage{Screen: mapOf(t, profile)}
	return tuitest.New(t, s, size), s
}

func TestMap(t *testing.T) {
	for _, size := range screentest.EverySize {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt, s := showMap(t, size, "authbridge")
				tt.Press("down")
				tt.Golden("pattern")
				tt.Press("enter")
				if to := screentest.TargetOf[screen.Patterns](t, s); to.Pattern.Title != "Verifications by client + status" {
					t.Errorf("enter opens %q", to.Pattern.Title)
				}
				tt.Press("down", "down", "down", "down", "down")
				if !tt.Has("✎ new") || !tt.Has("GSI1SK of Verification must be") {
					t.Errorf("a write does not show the key that it has to write anew:\n%s", tt.Screen())
				}
				tt.Golden("write")
				tt.Press("tab", "down", "right", "right", "right", "right")
				tt.Golden("cell")
				tt.Press("enter", "down")
				tt.Golden("readers")
				tt.Press("esc", "down")
				tt.Golden("sparse")
				tt.Press("left", "left", "left", "left", "left", "left", "up")
				tt.Golden("entity")
				tt.Press("up")
				tt.Golden("table")
				tt.Press("y")
				if text := screentest.Last[screen.CopyMsg](t, s).Text; !strings.Contains(
					text, "| Document | `CASE#{verificationId}` | `DOC#{documentId}` |",
				) {
					t.Errorf("copied\n%s", text)
				}
				tt.Press("esc", "/")
				tt.Enter("audit day")
				tt.Golden("found")
			})
		})
	}
}

// An index that nothing asks is said to be one, and entities that share their
// keys are marked.
func TestMapShowsWhatIsOdd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tt, _ := showMap(t, tuitest.Size{W: 200, H: 60}, "form-bridge")
		tt.Press("tab")
		for range 4 {
			tt.Press("down")
		}
		for range 6 {
			tt.Press("right")
		}
		tt.Golden("cell")
		if !tt.Has("⚠ no pattern") || !tt.Has("1 of 2 indexes without a pattern") {
			t.Errorf("the second index is asked by nothing:\n%s", tt.Screen())
		}
		if !tt.Has("RateLimitSite") || !tt.Has("≈") {
			t.Errorf("entities with the same keys are not marked:\n%s", tt.Screen())
		}
	})
}

// Every pattern of every profile lights up cells of the way that it goes, on
// the screen, and nothing else.
func TestMapLightsWhatEveryPatternReads(t *testing.T) {
	for _, name := range profiles.Names() {
		t.Run(name, func(t *testing.T) {
			s := mapOf(t, name)
			s.SetSize(120, 39)
			for _, p := range s.plan.profile.Patterns {
				if !s.list.Select(p.ID) {
					t.Fatalf("%s is not in the list", p.ID)
				}
				s.refresh()
				view := s.View()
				tuitest.Sound(t, view, 120, 39)
				if p.IsRead() && len(p.Returns) > 0 && !strings.Contains(view, "▸") {
					t.Errorf("%s: no entity is marked on the screen\n%s", p.ID, view)
				}
				b := s.plan.blocks[s.plan.blockOf(p.Table)]
				for _, c := range b.columns {
					lit := slices.ContainsFunc(b.entities, func(e *models.Entity) bool { return s.grid.lights(b, e, c) })
					if p.IsRead() && lit && c.index != p.Read.Index {
						t.Errorf("%s lights up %s", p.ID, c.source())
					}
					if _, asked := c.condition(p.Read); p.IsRead() && asked && c.index == p.Read.Index && len(p.Returns) > 0 && !lit {
						t.Errorf("%s asks for %s and does not light it up", p.ID, c.key.Name)
					}
				}
			}
		})
	}
}

// The reverse holds as well: a pattern is among those of every cell that it
// lights up.
func TestMapListsWhoReadsACell(t *testing.T) {
	for _, name := range profiles.Names() {
		s := mapOf(t, name)
		for _, b := range s.plan.blocks {
			for _, e := range b.entities {
				for i := range b.columns {
					readers := s.plan.readersOf(b, e, &b.columns[i])
					for _, p := range s.plan.profile.Patterns {
						s.grid.lit = p
						if s.grid.lights(b, e, b.columns[i]) && !slices.Contains(readers, p) {
							t.Errorf("%s: %s reads %s of %s and is not listed there", name, p.ID, b.columns[i].key.Name, e.Name)
						}
					}
				}
			}
		}
	}
}

// Wherever the cursor goes, in any terminal, it is on the screen and the screen
// is whole.
func TestMapAtEverySize(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out sequential drawing; go test without it runs this")
	}
	for _, name := range profiles.Names() {
		s := mapOf(t, name)
		for _, size := range []tuitest.Size{{W: 60, H: 14}, {W: 99, H: 30}, {W: 240, H: 68}} {
			s.SetSize(size.W, size.H)
			s.setFocus(paneGrid)
			s.move("g")
			for range 12 {
				s.move("right")
			}
			for range 120 {
				before := s.grid.at
				s.move("down")
				view := s.View()
				tuitest.Sound(t, view, size.W, size.H)
				if !strings.Contains(view, "▌") {
					t.Fatalf("%s at %v: the cursor at %v is not on the screen\n%s", name, size, s.grid.at, view)
				}
				if s.grid.at == before {
					break
				}
			}
			s.setFocus(paneList)
			tuitest.Sound(t, s.View(), size.W, size.H)
		}
	}
}

func TestMapOfEntity(t *testing.T) {
	env := screentest.NewItemEnv(t, schemas.Open(t, "tazco"), &screentest.Memory{}, session.Developer)
	e := env.Session.Profile().Entity("PendingApproval")
	s := New(env, screen.Map{Entity: e}).(*mapScreen)
	s.SetSize(120, 40)
	if _, at, _ := s.grid.spot(); at != e || !strings.Contains(ansi.Strip(s.View()), "▌ PendingApproval") {
		t.Errorf("the map is not opened on the entity:\n%s", s.View())
	}
}

func BenchmarkMap(b *testing.B) {
	s := mapOf(b, "tazco")
	s.SetSize(160, 50)
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			s.View()
		}
	})
	s.setFocus(paneGrid)
	b.Run("move", func(b *testing.B) {
		for b.Loop() {
			s.move("down")
			if s.grid.at.block == len(s.plan.blocks)-1 {
				s.move("g")
			}
			s.View()
		}
	})
}

func TestMapMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tt, s := showMap(t, tuitest.Size{W: 120, H: 40}, "authbridge")
		tt.ClickText("DOC#{documentId}")
		if !tt.Has("╭ Document · SK") {
			t.Errorf("a click does not choose the cell:\n%s", tt.Screen())
		}
		tt.ClickText("One document")
		tt.ClickText("One document")
		if to := screentest.TargetOf[screen.Patterns](t, s); to.Pattern.Title != "One document" {
			t.Errorf("a second click opens %q", to.Pattern.Title)
		}
	})
}
