package home

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// typedAhead are keys that were pressed before the profiles were listed and need one. The filter
// works without profiles, so its text is not among them.
type typedAhead struct {
	keys   []tea.KeyPressMsg
	before int // keys that were pressed before the filter was opened
}

// filtering notes that the filter decides now where the cursor is.
func (e *typedAhead) filtering() { e.before = len(e.keys) }

// Listing reports whether the profiles are being listed for the first time.
func (h *Home) Listing() bool { return !h.loaded }

// Keep keeps a key that needs a profile until the profiles are listed.
func (h *Home) Keep(press tea.KeyPressMsg) { h.early.keys = append(h.early.keys, press) }

// Kept returns the kept keys once, in their order, when the profiles are listed; none if that
// failed. Moves from before a filter that is still there are dropped: it chose the profile.
func (h *Home) Kept() []tea.KeyPressMsg {
	if !h.loaded {
		return nil
	}
	kept := h.early
	h.early = typedAhead{}
	switch {
	case h.err != nil:
		return nil
	case h.list.Filter() != "":
		return kept.keys[kept.before:]
	}
	return kept.keys
}

// waits reports whether a key needs a profile: it opens one, or moves in the list.
func (h *Home) waits(press tea.KeyPressMsg) bool {
	for _, a := range h.actions {
		if key.Matches(press, a.Binding) {
			return a.Name == "open-profile"
		}
	}
	return !h.right && press.String() != "esc"
}
