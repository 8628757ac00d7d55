package tui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// everywhere is the scope of the actions that belong to no screen.
const everywhere = "everywhere"

//go:generate go run ../internal/tools/keydoc -out ../docs/keys.md

// Scopes lists every table of keys without a session, that of everywhere first.
func Scopes() []screen.Scope {
	first := screen.Scope{
		Name: everywhere, Title: "Everywhere", Does: "On every screen, except while you type text.",
		Actions: (&Model{}).wire().makeActions(),
	}
	return append([]screen.Scope{first}, screens.Scopes()...)
}

// A Clash is a chosen key that would reach another action than the one it was
// chosen for, or take its key away from it.
type Clash struct {
	Scope, Action, Key string
	Why                string
}

// Clashes finds them among keys by scope and action. Keys that nobody chose do
// not clash.
func Clashes(chosen map[string]map[string][]string) []Clash {
	keys := widget.NewKeymap(chosen)
	scopes := Scopes()
	for i, s := range scopes {
		scopes[i].Actions = keys.Rebind(s.Name, s.Actions)
	}
	var list []Clash
	for _, s := range scopes {
		list = append(list, clashesIn(keys, s)...)
		if s.Name != everywhere {
			list = append(list, shadowed(keys, scopes[0], s)...)
		}
	}
	return list
}

// clashesIn finds keys that two actions of a scope share, or an action and a
// list or grid.
func clashesIn(keys *widget.Keymap, s screen.Scope) []Clash {
	var list []Clash
	for i, a := range s.Actions {
		for _, key := range a.Binding.Keys() {
			for _, other := range s.Actions[i+1:] {
				if !slices.Contains(other.Binding.Keys(), key) {
					continue
				}
				if keys.Chosen(s.Name, other.Name) {
					list = append(list, Clash{s.Name, other.Name, key, named(a)})
				} else if keys.Chosen(s.Name, a.Name) {
					list = append(list, Clash{s.Name, a.Name, key, named(other)})
				}
			}
			if piece, ok := keyed(s.Pieces, key); ok && piece.Name != a.Name && keys.Chosen(s.Name, a.Name) {
				list = append(list, Clash{s.Name, a.Name, key, named(piece)})
			}
		}
	}
	return list
}

// shadowed finds keys of a screen that are taken everywhere, which counts first.
func shadowed(keys *widget.Keymap, all, s screen.Scope) []Clash {
	var list []Clash
	for _, a := range all.Actions {
		for _, key := range a.Binding.Keys() {
			if s.Types && isText(key) {
				continue
			}
			if own, ok := keyed(s.Actions, key); ok {
				if keys.Chosen(s.Name, own.Name) {
					list = append(list, Clash{s.Name, own.Name, key, named(a) + " everywhere"})
				} else if keys.Chosen(everywhere, a.Name) {
					list = append(list, Clash{everywhere, a.Name, key, fmt.Sprintf("%s in %s", named(own), s.Name)})
				}
			}
			if piece, ok := keyed(s.Pieces, key); ok && keys.Chosen(everywhere, a.Name) {
				list = append(list, Clash{everywhere, a.Name, key, fmt.Sprintf("%s in %s", named(piece), s.Name)})
			}
		}
	}
	return list
}

func keyed(as widget.Actions, key string) (widget.Action, bool) {
	i := slices.IndexFunc(as, func(a widget.Action) bool { return slices.Contains(a.Binding.Keys(), key) })
	if i < 0 {
		return widget.Action{}, false
	}
	return as[i], true
}

func named(a widget.Action) string { return fmt.Sprintf("it is %q", a.Name) }

// isText reports whether a key is text where text is typed.
func isText(key string) bool {
	return utf8.RuneCountInString(key) == 1 || key == "space" || strings.HasPrefix(key, "shift+")
}
