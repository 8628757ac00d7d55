// Package draft is the screen that reviews a profile that was drafted of tables: what was inferred is confirmed, renamed or left
// out, part by part, and the profile is saved.
package draft

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// draftScreen lists the parts of the draft by entity, with the evidence of the selected one and the lines of its entity.
type draftScreen struct {
	screen.Base
	overlay.Split
	env     *screen.Env
	draft   *draft.Review // nil once the profile is saved
	list    *widget.List
	actions widget.Actions

	parts   []draft.Part
	changes int // answers so far, to draw the details again
	edited  bool
	saving  bool
}

// savedMsg is the outcome of saving the draft.
type savedMsg struct {
	profile *profiles.Profile
	err     error
}

var guide = screen.Guide{
	Purpose: "A profile inferred from a sample of the tables. The other screens already use it, with your answers.",
	First: "go through the parts marked ?, and confirm or drop each. " +
		"Rename the entities with e, and remove what you do not need with x. Press s to save the profile.",
	Signs: append([]screen.Sign{
		{Glyph: "?", Means: "inferred; needs confirmation"},
		{Glyph: "·", Means: "inferred; holds for the whole sample"},
		{Glyph: "✓", Means: "confirmed: documented in the profile"},
		{Glyph: "✗", Means: "dropped or removed: not written to the profile"},
	}, screen.MaskSigns...),
}

// New returns the review of the draft that the session's profile is.
func New(env *screen.Env, _ screen.Draft) screen.Screen {
	s := &draftScreen{
		Base: screen.Base{Name: "Draft", Kind: "draft", About: guide}, env: env, draft: env.Review(), list: widget.NewList(env.Styles),
	}
	s.list.SetStill(true)
	s.list.SetPlaceholder("filter by name, format or ?")
	s.list.SetEmpty("No part matches")
	s.actions = env.Keys.Rebind("draft", s.makeActions())
	s.Begin(env, []overlay.Entries{s.list}, func() overlay.Entries { return s.list }, s.cannotConfirm, s.confirm)
	s.fill()
	return s
}

// Actions returns the keys of the screen.
func (s *draftScreen) Actions() widget.Actions { return s.actions }

// Close closes the dialog.
func (s *draftScreen) Close() { s.CloseBox() }

// Edited returns the profile with the answers since the last call, nil without any.
func (s *draftScreen) Edited() *profiles.Profile {
	if !s.edited || s.draft == nil {
		return nil
	}
	s.edited = false
	p, err := s.env.Drafts.UseDraft(s.draft)
	if err != nil {
		return nil // Each answer was checked when it was given.
	}
	return p
}

// Status says how much is to be confirmed, and what the draft recognizes.
func (s *draftScreen) Status() string {
	switch {
	case s.saving:
		return "saving"
	case s.draft == nil:
		return "saved"
	}
	open := 0
	for _, p := range s.parts {
		if p.Check && p.Answer == draft.Unanswered {
			open++
		}
	}
	known, total := s.draft.Recognized()
	return fmt.Sprintf("%d of %s to check · %d of %s of the sample recognized", open, present.Plural(len(s.parts), "part"), known,
		present.Plural(total, "item"))
}

// SetSize puts the details beside the list, or below it on a narrow screen.
func (s *draftScreen) SetSize(w, h int) {
	if w >= present.NarrowBelow {
		s.Arrange(w, h, 0, w*11/20)
		return
	}
	s.Arrange(w, h, max(h, 0)/2, 0)
}

// Update handles what the root does not handle.
func (s *draftScreen) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(savedMsg); ok {
		return s.saved(msg)
	}
	return s.Feed(msg, s.Actions)
}
