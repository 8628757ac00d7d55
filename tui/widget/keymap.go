// This file gives actions other keys than their own.

package widget

import (
	"strings"

	"charm.land/bubbles/v2/key"
)

// A Keymap is the keys that a person chose, by scope and action. The nil Keymap
// leaves every action its own keys.
type Keymap struct {
	keys map[string]map[string][]string
}

// NewKeymap returns the keymap of these keys, named as Bubble Tea names them, by
// scope and action. An action with an empty list has no key.
func NewKeymap(keys map[string]map[string][]string) *Keymap { return &Keymap{keys: keys} }

// Rebind returns the actions of a scope with the keys that were chosen for it;
// as itself stays as it is.
func (k *Keymap) Rebind(scope string, as Actions) Actions {
	if k == nil || len(k.keys[scope]) == 0 {
		return as
	}
	chosen := k.keys[scope]
	list := make(Actions, len(as))
	for i, a := range as {
		if keys, ok := chosen[a.Name]; ok {
			a.Binding = key.NewBinding(key.WithKeys(keys...), key.WithHelp(keysText(keys), a.Binding.Help().Desc))
		}
		list[i] = a
	}
	return list
}

// Chosen reports whether the person chose keys for an action of a scope.
func (k *Keymap) Chosen(scope, action string) bool {
	if k == nil {
		return false
	}
	_, ok := k.keys[scope][action]
	return ok
}

// Letters are the single letters that were chosen in scopes: actions without keys
// of their own take others.
func (k *Keymap) Letters(scopes ...string) string {
	letters := ""
	if k == nil {
		return letters
	}
	for _, scope := range scopes {
		for _, keys := range k.keys[scope] {
			for _, key := range keys {
				if len(key) == 1 {
					letters += key
				}
			}
		}
	}
	return letters
}

// keysText names keys as hints do: the first two.
func keysText(keys []string) string {
	signs := map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn"}
	var names []string
	for _, k := range keys[:min(len(keys), 2)] {
		if sign, ok := signs[k]; ok {
			k = sign
		}
		names = append(names, k)
	}
	return strings.Join(names, "/")
}
