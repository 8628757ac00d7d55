package home

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A loading is the result of loading the schemas.
type loading struct {
	profiles []*profiles.Profile
	err      error
	some     bool // the first of them only; the others follow
	later    bool // what a former message left out
	edited   bool // the files of some changed
}

// Init loads the schemas, the one to start with first so that it is not kept waiting by the others, and connects.
func (h *Home) Init() tea.Cmd {
	opener, start := h.opener, h.start
	h.source = opener.Source()
	return func() tea.Msg {
		if start != "" {
			if p, err := opener.Profile(start); err == nil {
				return h.loads(loading{profiles: []*profiles.Profile{p}, some: true})
			}
		}
		list, err := opener.Profiles()
		return h.loads(loading{profiles: list, err: err})
	}
}

func (h *Home) reload() tea.Cmd { return tea.Batch(h.Init(), h.db.connect(true)) }

// othersAfter is how long the first screen of a session has both processors before the other schemas are read.
const othersAfter = 100 * time.Millisecond

func (h *Home) readOthers() tea.Cmd {
	opener, ctx, ended := h.opener, h.ctx, h.opening.Done()
	h.reading = true
	return func() tea.Msg {
		<-ended
		select {
		case <-ctx.Done():
			return nil // The program ends.
		case <-time.After(othersAfter):
		}
		list, err := opener.Profiles()
		return h.loads(loading{profiles: list, err: err, later: true})
	}
}

// Refresh loads the schemas again because their files changed. Nothing that is open changes: an EditedMsg tells the root what
// was loaded.
func (h *Home) Refresh() tea.Cmd {
	if !h.loaded {
		return nil // They are being read.
	}
	opener := h.opener
	return func() tea.Msg {
		list, err := opener.Profiles()
		return h.loads(loading{profiles: list, err: err, later: true, edited: true})
	}
}

// Keep keeps a key that needs a schema until the schemas are listed.
func (h *Home) Keep(press tea.KeyPressMsg) { h.kept = append(h.kept, press) }

// Kept returns the kept keys once, in their order, when the schemas are listed; none if that failed, or if the user searches
// meanwhile.
func (h *Home) Kept() []tea.KeyPressMsg {
	if !h.loaded {
		return nil
	}
	kept := h.kept
	h.kept = nil
	if h.err != nil || h.find.shows() {
		return nil
	}
	return kept
}

func (h *Home) loads(msg loading) screen.Answer { return func() tea.Cmd { return h.setProfiles(msg) } }

func (h *Home) setProfiles(msg loading) tea.Cmd {
	h.loaded, h.reading = true, false
	switch {
	case msg.err != nil && len(msg.profiles) == 0:
		h.err, h.failed = msg.err, ""
		h.fill()
		return nil
	case !msg.later: // otherwise an error is that of the open schema
		h.err, h.failed = nil, ""
	}
	h.faults = msg.err
	h.profiles = msg.profiles
	h.db.cover()
	h.arrange()
	if msg.edited {
		return screen.Send(screen.EditedMsg{Profiles: msg.profiles, Err: msg.err})
	}
	connect := h.db.connect(false)
	if h.start == "" {
		if h.find.text != "" && h.find.search == nil {
			connect = tea.Batch(connect, h.find.begin(h.find.text))
		}
		return connect
	}
	start := h.start
	if h.start = ""; msg.some {
		start = msg.profiles[0].Name // It may have been opened by the path of its file.
	}
	if why := h.choose(start); why != nil {
		return tea.Batch(connect, why)
	}
	open := h.OpenThen(h.Then)
	h.Then = nil
	if msg.some {
		return tea.Batch(open, h.readOthers())
	}
	return tea.Batch(open, connect)
}
