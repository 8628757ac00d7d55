package home

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// typedAhead are keys that were pressed before the profiles were listed and need one.
type typedAhead struct{ keys []tea.KeyPressMsg }

// Keep keeps a key that needs a profile until the profiles are listed.
func (h *Home) Keep(press tea.KeyPressMsg) { h.early.keys = append(h.early.keys, press) }

// Kept returns the kept keys once, in their order, when the profiles are listed; none if that
// failed, or if the user searches meanwhile.
func (h *Home) Kept() []tea.KeyPressMsg {
	if !h.loaded {
		return nil
	}
	kept := h.early
	h.early = typedAhead{}
	if h.err != nil || h.find.shows() {
		return nil
	}
	return kept.keys
}

func needsProfile(actions widget.Actions, press tea.KeyPressMsg, inList bool) bool {
	for _, a := range actions {
		if key.Matches(press, a.Binding) {
			return a.Name == "open-profile"
		}
	}
	return inList && press.String() != "esc"
}
