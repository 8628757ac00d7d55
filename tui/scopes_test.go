package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Every action is in the palette or has a key, has an explanation, and reacts to its keys.
func TestEveryActionIsReachableAndExplained(t *testing.T) {
	scopes := Scopes()
	all := scopes[0]
	for _, s := range scopes {
		if s.Title == "" || s.Does == "" {
			t.Errorf("%s has no title or description", s.Name)
		}
		if err := s.Actions.Clashes(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		for _, a := range s.Actions {
			if a.Name == "" || a.Desc == "" && a.Long == "" {
				t.Errorf("%s: the action %q has no name or description", s.Name, a.Name)
			}
			if a.Keys() == "" && s.Name != globalScope { // The palette contains it.
				t.Errorf("%s: the action %q has no key", s.Name, a.Name)
			}
			for _, key := range a.Binding.Keys() {
				if s.Name == globalScope || s.Types && widget.IsText(key) {
					continue
				}
				if other, taken := actionForKey(all.Actions, key); taken && other.Name != "actions" { // the menu of the screen
					t.Errorf("%s: %q is the key of %q and of the global action %q", s.Name, key, a.Name, other.Name)
				}
			}
		}
		for _, a := range s.Actions {
			for _, key := range a.Binding.Keys() {
				if piece, taken := actionForKey(s.Pieces, key); taken && a.Run != nil && piece.Name != a.Name {
					t.Errorf("%s: %q of %q replaces the movement key of %q", s.Name, key, a.Name, piece.Name)
				}
			}
		}
		for _, a := range s.Pieces {
			for _, key := range a.Binding.Keys() {
				if other, taken := actionForKey(all.Actions, key); taken {
					t.Errorf("%s: %q moves the cursor, but is the key of the global action %q", s.Name, key, other.Name)
				}
			}
		}
	}
}

func TestClashingKeysAreFound(t *testing.T) {
	type keys = map[string]map[string][]string
	for name, c := range map[string]struct {
		keys keys
		want []Clash
	}{
		"no clash":     {keys{"workbench": {"explain": {"X"}}, "everywhere": {"palette": {":", "ctrl+k"}}}, nil},
		"swapped keys": {keys{"workbench": {"explain": {"e"}, "edit-parameters": {"x"}}}, nil},
		"default key":  {keys{"workbench": {"explain": {"r"}}}, []Clash{{"workbench", "explain", "r", `it is "refresh"`}}},
		"configured key": {
			keys{"workbench": {"explain": {"X"}, "refresh": {"X"}}},
			[]Clash{{"workbench", "refresh", "X", `it is "explain"`}},
		},
		"movement key": {keys{"workbench": {"explain": {"j"}}}, []Clash{{"workbench", "explain", "j", `it is "down"`}}},
		"global key":   {keys{"workbench": {"explain": {"?"}}}, []Clash{{"workbench", "explain", "?", `it is "help" everywhere`}}},
		"key of a global action": {keys{"everywhere": {"help": {"x"}}}, []Clash{
			{"everywhere", "help", "x", `it is "explain" in workbench`}, {"everywhere", "help", "x", `it is "explain" in item`},
		}},
		"global action on a movement key": {keys{"everywhere": {"help": {"G"}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := Clashes(c.keys)
			if name == "global action on a movement key" {
				if len(got) == 0 || got[0].Reason != `it is "last" in workbench` {
					t.Errorf("got clashes %v", got)
				}
				return
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
