package widget

import (
	"strings"

	"charm.land/bubbles/v2/key"
)

// A Keymap holds the configured keys by scope and action. With a nil Keymap every
// action keeps its default keys.
type Keymap struct {
	keys map[string]map[string][]string
}

// NewKeymap returns a keymap of keys by scope and action, spelled as Bubble Tea
// spells them. An empty list leaves an action without a key. The map belongs to the keymap from
// then on and is only read.
func NewKeymap(keys map[string]map[string][]string) *Keymap { return &Keymap{keys: keys} }

// Rebind returns a copy of the actions of a scope with the configured keys. as is not changed.
// Names that no action of the scope has are ignored; the configuration checks them.
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

// Chosen reports whether an action of a scope has configured keys.
func (k *Keymap) Chosen(scope, action string) bool {
	if k == nil {
		return false
	}
	_, ok := k.keys[scope][action]
	return ok
}

// Letters returns the single letters that are configured in scopes, so that
// letters assigned automatically avoid them.
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

// Assign gives names such as "approve-request" a letter each. Their first letters come first, in the order of the names;
// then those of their first words, the beginnings of other words, and any of the name. A name has none if all of its
// letters are reserved, assigned before or configured in scopes.
func (k *Keymap) Assign(names []string, reserved string, scopes ...string) map[string]string {
	letters, taken := map[string]string{}, reserved+k.Letters(scopes...)
	assign := func(name, candidates string) {
		for _, r := range candidates {
			if letters[name] == "" && r >= 'a' && r <= 'z' && !strings.ContainsRune(taken, r) {
				letters[name], taken = string(r), taken+string(r)
			}
		}
	}
	for _, name := range names {
		assign(name, name[:min(1, len(name))])
	}
	for _, name := range names {
		starts := ""
		for word := range strings.SplitSeq(name, "-") {
			starts += word[:min(1, len(word))]
		}
		verb, _, _ := strings.Cut(name, "-")
		assign(name, verb+starts+name)
	}
	return letters
}

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
