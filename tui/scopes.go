package tui

import (
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// everywhere is the scope of the global actions.
const everywhere = "everywhere"

//go:generate go run ../internal/tools/keydoc -out ../docs/keys.md

// Scopes lists the actions and keys of every screen, starting with the global ones. It needs no session.
func Scopes() []screen.Scope {
	first := screen.Scope{
		Name: everywhere, Title: "Everywhere", Does: "On every screen, except while you type text.",
		Actions: (&Model{}).makeActions(),
	}
	return append([]screen.Scope{first}, screens.Scopes()...)
}

// A Clash is a configured key that would trigger another action, or that hides the key of another action.
type Clash struct {
	Scope, Action, Key string
	Why                string
}

// Clashes finds the clashes of configured keys, given by scope and action. Default keys do not clash.
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

func shadowed(keys *widget.Keymap, all, s screen.Scope) []Clash {
	var list []Clash
	for _, a := range all.Actions {
		for _, key := range a.Binding.Keys() {
			if s.Types && widget.IsText(key) {
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
