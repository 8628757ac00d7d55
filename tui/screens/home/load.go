package home

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A loadedProfiles is the result of loading schemas.
type loadedProfiles struct {
	profiles []*profiles.Profile
	err      error
	partial  bool // contains only the first schemas; the others follow
	followUp bool // contains the schemas missing from an earlier message
	edited   bool // some files changed
}

// Init connects and loads the schemas. It loads the start schema first, so that this one does not wait for the others.
func (h *Home) Init() tea.Cmd {
	opener, start := h.opener, h.start
	h.source = opener.Source()
	return func() tea.Msg {
		if start != "" {
			if p, err := opener.Profile(start); err == nil {
				return h.handleLoad(loadedProfiles{profiles: []*profiles.Profile{p}, partial: true})
			}
		}
		list, err := opener.Profiles()
		return h.handleLoad(loadedProfiles{profiles: list, err: err})
	}
}

func (h *Home) reload() tea.Cmd { return tea.Batch(h.Init(), h.db.connect(true)) }

// othersDelay is the delay before home loads the other schemas, so that the first screen of a session gets the CPU.
const othersDelay = 100 * time.Millisecond

func (h *Home) readOthers() tea.Cmd {
	opener, ctx, ended := h.opener, h.ctx, h.opening.Done()
	h.reading = true
	return func() tea.Msg {
		<-ended
		select {
		case <-ctx.Done():
			return nil // The program is ending.
		case <-time.After(othersDelay):
		}
		list, err := opener.Profiles()
		return h.handleLoad(loadedProfiles{profiles: list, err: err, followUp: true})
	}
}

// Refresh loads the schemas again after a change of their files. Open screens keep their version: an EditedMsg reports
// the loaded schemas to the root.
func (h *Home) Refresh() tea.Cmd {
	if !h.loaded {
		return nil // Home is already loading them.
	}
	opener := h.opener
	return func() tea.Msg {
		list, err := opener.Profiles()
		return h.handleLoad(loadedProfiles{profiles: list, err: err, followUp: true, edited: true})
	}
}

// KeepKey stores a key that needs a schema until the schemas are loaded.
func (h *Home) KeepKey(press tea.KeyPressMsg) { h.earlyKeys = append(h.earlyKeys, press) }

// TakeKeys returns the stored keys once, in order, after the schemas are loaded. It returns nil if loading failed or
// the user started a search.
func (h *Home) TakeKeys() []tea.KeyPressMsg {
	if !h.loaded {
		return nil
	}
	keys := h.earlyKeys
	h.earlyKeys = nil
	if h.err != nil || h.find.hasText() {
		return nil
	}
	return keys
}

func (h *Home) handleLoad(msg loadedProfiles) screen.Answer {
	return func() tea.Cmd { return h.setProfiles(msg) }
}

func (h *Home) setProfiles(msg loadedProfiles) tea.Cmd {
	h.loaded, h.reading = true, false
	switch {
	case msg.err != nil && len(msg.profiles) == 0:
		h.err, h.failedSchema = msg.err, ""
		h.fillSections()
		return nil
	case !msg.followUp: // otherwise the open schema caused the error
		h.err, h.failedSchema = nil, ""
	}
	h.schemaErrors = msg.err
	h.profiles = msg.profiles
	h.db.matchSchemas()
	h.arrange()
	if msg.edited {
		return screen.Send(screen.EditedMsg{Profiles: msg.profiles, Err: msg.err})
	}
	if h.start == "" {
		cmd := h.db.connect(false)
		if h.find.text != "" && h.find.search == nil {
			cmd = tea.Batch(cmd, h.find.startSearch(h.find.text))
		}
		return cmd
	}
	start := h.start
	if h.start = ""; h.isSearching() { // The user typed before the schemas were loaded.
		h.StartTarget = nil
		return h.Init()
	}
	if msg.partial {
		start = msg.profiles[0].Name // The user may have named the path of its file.
	}
	if notice := h.selectSchema(start); notice != nil {
		return tea.Batch(h.db.connect(false), notice)
	}
	openCmd := h.OpenThen(h.StartTarget)
	if h.StartTarget = nil; h.opening != nil {
		h.opening.text = ""
	}
	if msg.partial {
		return tea.Batch(openCmd, h.readOthers()) // The connection follows with the other schemas.
	}
	return tea.Batch(openCmd, h.db.connect(false))
}
