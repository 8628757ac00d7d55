package present

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// ReservedKeys are the letters that no action of a profile has: they move the cursor, or belong to queues, items or every screen.
const ReservedKeys = "beghjklnopqstuyz"

// ActionKeys gives each action of a profile a letter, which is its key on queues, on items, in lifecycles and in menus.
// The actions of queues choose first, so that "a" approves in every queue that can approve, and transitions before other
// changes of an entity. An action has no letter if those of its ID are reserved, configured, or have another meaning in
// its queues or for its entity.
func ActionKeys(keys *widget.Keymap, p *profiles.Profile) map[*change.Action]string {
	letters := map[*change.Action]string{}
	assign := func(group []*change.Action) {
		taken, byID := ReservedKeys, map[string]*change.Action{}
		var names []string
		for _, a := range group {
			for _, other := range append(p.ActionsOf(a.Entity), group...) {
				taken += letters[other]
			}
			if letters[a] == "" {
				names, byID[a.ID] = append(names, a.ID), a
			}
		}
		for id, letter := range keys.Assign(names, taken, "everywhere", "queue", "item") {
			letters[byID[id]] = letter
		}
	}
	for _, q := range p.Queues {
		assign(q.Actions)
	}
	for _, e := range p.Entities {
		assign(slices.DeleteFunc(slices.Clone(p.ActionsOf(e)), func(a *change.Action) bool { return a.To() == "" }))
		assign(p.ActionsOf(e))
	}
	return letters
}

// ActionVerb returns the first word of an action's ID for hints, or all of them if another one of the actions has the same
// first word.
func ActionVerb(a *change.Action, actions []*change.Action) string {
	first, _, _ := strings.Cut(a.ID, "-")
	for _, other := range actions {
		if word, _, _ := strings.Cut(other.ID, "-"); other != a && word == first {
			return strings.ReplaceAll(a.ID, "-", " ")
		}
	}
	return first
}
