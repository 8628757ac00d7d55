// This file walks over the schema map, and proves for every profile that what a
// pattern reads is on it.

package screens

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

var guideSizes = []tuitest.Size{{W: 80, H: 24}, {W: 120, H: 40}, {W: 200, H: 60}}

func mapOf(t testing.TB, name string) *mapScreen {
	t.Helper()
	return NewMap(newItemEnv(t, openProfile(t, name), &memory{}, session.Developer)).(*mapScreen)
}

func showMap(t *testing.T, size tuitest.Size, profile string) (*tuitest.Terminal, *stage) {
	t.Helper()
	s := &stage{screen: mapOf(t, profile)}
	return tuitest.New(t, s, size), s
}

func TestMap(t *testing.T) {
	for _, size := range guideSizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt, s := showMap(t, size, "authbridge")
				tt.Press("down")
				tt.Golden("pattern")
				tt.Press("enter")
				if open := last[OpenMsg](t, s); open.Screen.Title() != "Verifications by client + status" {
					t.Errorf("enter opens %q", open.Screen.Title())
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
				if text := last[CopyMsg](t, s).Text; !strings.Contains(text, "| Document | `CASE#{verificationId}` | `DOC#{documentId}` |") {
					t.Errorf("copied\n%s", text)
				}
				tt.Press("esc", "/")
				tt.Type("audit day")
				tt.Press("enter")
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
					lit := slices.ContainsFunc(b.entities, func(e *models.Entity) bool { return s.lights(b, e, c) })
					if p.IsRead() && lit && c.index != p.Read.Index {
						t.Errorf("%s lights up %s", p.ID, c.way())
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
						s.lit = p
						if s.lights(b, e, b.columns[i]) && !slices.Contains(readers, p) {
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
		t.Skip("draws one frame after the other: nothing runs beside it")
	}
	for _, name := range profiles.Names() {
		s := mapOf(t, name)
		for _, size := range []tuitest.Size{{W: 60, H: 14}, {W: 99, H: 30}, {W: 240, H: 68}} {
			s.SetSize(size.W, size.H)
			s.setFocus(mapGrid)
			s.move("g")
			for range 12 {
				s.move("right")
			}
			for range 120 {
				before := s.at
				s.move("down")
				view := s.View()
				tuitest.Sound(t, view, size.W, size.H)
				if !strings.Contains(view, "▌") {
					t.Fatalf("%s at %v: the cursor at %v is not on the screen\n%s", name, size, s.at, view)
				}
				if s.at == before {
					break
				}
			}
			s.setFocus(mapList)
			tuitest.Sound(t, s.View(), size.W, size.H)
		}
	}
}

func TestMapOfEntity(t *testing.T) {
	env := newItemEnv(t, openProfile(t, "tazco"), &memory{}, session.Developer)
	e := env.Session.Profile().Entity("PendingApproval")
	s := NewMapOf(env, e).(*mapScreen)
	s.SetSize(120, 40)
	if _, at, _ := s.spot(); at != e || !strings.Contains(ansi.Strip(s.View()), "▌ PendingApproval") {
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
	s.setFocus(mapGrid)
	b.Run("move", func(b *testing.B) {
		for b.Loop() {
			s.move("down")
			if s.at.block == len(s.plan.blocks)-1 {
				s.move("g")
			}
			s.View()
		}
	})
}

// A profile may have a table and nothing else yet.
func TestMapOfABareProfile(t *testing.T) {
	p, err := profiles.Load("bare.yaml", []byte("name: bare\ntitle: Bare\ntables:\n  t:\n    name: T\n    partition_key: PK\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	env := newItemEnv(t, p, &memory{}, session.Developer)
	for _, s := range []Screen{NewMap(env), NewFindings(env)} {
		s.SetSize(80, 22)
		for _, key := range []string{"down", "enter", "tab", "down", "right", "enter", "tab", "y", "G", "g"} {
			s.Update(pressed(key))
			tuitest.Sound(t, s.View(), 80, 22)
		}
	}
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
		if open := last[OpenMsg](t, s); open.Screen.Title() != "One document" {
			t.Errorf("a second click opens %q", open.Screen.Title())
		}
	})
}

// From an item the map opens on its entity, the findings on the first about it.
func TestExplainAnItem(t *testing.T) {
	p := openProfile(t, "authbridge")
	env := newItemEnv(t, p, &memory{}, session.Developer)
	item := NewItem(env, p.Entity("Verification").Table, verification(t, p))
	m := NewMapFrom(env, item).(*mapScreen)
	if _, e, _ := m.spot(); e != p.Entity("Verification") || m.focus != mapGrid {
		t.Errorf("the map opens on %v", m.at)
	}
	f := NewFindingsFrom(env, item).(*findingsScreen)
	if got := f.chosen(); got == nil || !slices.Contains(got.Entities, "Verification") {
		t.Errorf("the findings open on %v", got)
	}
	if s := NewMapFrom(env, NewJournal(env)).(*mapScreen); s.focus != mapList {
		t.Error("from elsewhere the map does not begin with the patterns")
	}
}

// Whatever a profile is written in, no line is wider than the screen.
func TestExplainInAnyScript(t *testing.T) {
	const words = `"検証ケース 🧑‍🚀 שלום مرحبا e\u0301"`
	p, err := profiles.Load("any.yaml", []byte(strings.ReplaceAll(`
name: any
title: WORDS
description: WORDS
tables:
  t:
    name: T
    description: WORDS
    partition_key: PK
    sort_key: SK
    indexes:
      GSI1: {partition_key: GSI1PK, sort_key: GSI1SK, label: WORDS}
entities:
  Thing:
    table: t
    title: WORDS
    keys: {PK: "検証#{id}", SK: "META", GSI1PK: "{id}"}
    attributes:
      id: {type: S, required: true, description: WORDS}
patterns:
  get-thing:
    title: WORDS
    group: WORDS
    operation: get
    table: t
    key: {PK: "検証#{id}", SK: META}
    returns: [Thing]
    safe: WORDS
    order_note: WORDS
findings:
  X01:
    kind: GAP
    title: WORDS
    text: WORDS
    behaviour: WORDS
    source: WORDS
    patterns: [get-thing]
    entities: [Thing]
    tables: [t]
`, "WORDS", words)), nil)
	if err != nil {
		t.Fatal(err)
	}
	env := newItemEnv(t, p, &memory{}, session.Developer)
	for _, s := range []Screen{NewMap(env), NewFindings(env), NewMapOf(env, p.Entity("Thing"))} {
		for _, size := range []tuitest.Size{{W: 60, H: 14}, {W: 80, H: 22}, {W: 120, H: 38}} {
			s.SetSize(size.W, size.H)
			for _, key := range []string{"down", "tab", "right", "right", "down", "right", "tab", "down"} {
				tuitest.Sound(t, s.View(), size.W, size.H)
				s.Update(pressed(key))
			}
		}
	}
}
