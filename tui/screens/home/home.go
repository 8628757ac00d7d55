// Package home is the screen that lists the schemas.
package home

import (
	"context"
	"strconv"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An Opener lists the profiles and connects the session of one.
type Opener interface {
	Profiles() ([]*profiles.Profile, error)
	Open(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error)
}

// Home lists the profiles, and describes the selected one. It sends no requests
// before a profile is opened.
type Home struct {
	ctx    context.Context // of the program
	styles *widget.Styles
	opener Opener
	start  string // profile to open at once, "" for none

	profiles []*profiles.Profile
	loaded   bool
	err      error  // of the last load or connection
	failed   string // the profile that could not be opened, "" when err is about the list

	list    *widget.List
	early   typedAhead
	about   description
	connect connector

	w, h    int
	right   bool // the description has the focus
	actions widget.Actions
}

// profilesLoadedMsg is the result of loading the profiles.
type profilesLoadedMsg struct {
	profiles []*profiles.Profile
	err      error
}

// New returns the home screen. start names a profile to open as soon as the profiles
// are loaded, "" for none. keys are the keys that the user configured.
func New(ctx context.Context, s *widget.Styles, o Opener, start string, keys *widget.Keymap) *Home {
	h := &Home{ctx: ctx, styles: s, opener: o, start: start, list: widget.NewList(s)}
	h.connect = connector{h: h, turn: &sync.Mutex{}}
	h.about = description{h: h, details: widget.NewPager(s), waiting: map[string]string{}, live: map[string]*tables.Comparison{}}
	h.list.SetStill(true)
	h.list.SetEmpty("") // Until the profiles are listed.
	h.list.SetPlaceholder("filter")
	h.actions = keys.Rebind("home", h.makeActions())
	return h
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "home", Title: "Profiles",
		Does:    "The list of profiles.",
		Actions: (&Home{}).makeActions(), Pieces: screen.MovingKeys(),
	}
}

// makeActions returns the table of keys, the most important first.
func (h *Home) makeActions() widget.Actions {
	return widget.Actions{
		widget.NewAction("open-profile", "enter", "open", "connect and open the profile's patterns", h.connect.cannotOpen,
			h.connect.open),
		widget.NewAction("filter-profiles", "/", "filter", "find a profile by its name", nil, func() tea.Cmd {
			h.focus(false)
			h.list.StartTyping()
			h.early.filtering()
			return nil
		}),
		widget.NewAction("next-pane", "tab shift+tab", "pane", "switch between the profiles and the description",
			nil, func() tea.Cmd { h.focus(!h.right); return nil }),
		widget.NewAction("reload-profiles", "r", "reload", "reload the profiles", nil, h.Init),
	}
}

// Title returns "Profiles".
func (h *Home) Title() string { return "Profiles" }

// Actions returns the keys of the screen.
func (h *Home) Actions() widget.Actions { return h.actions }

// Stage returns the progress of the tour.
func (h *Home) Stage() screen.Stage { return screen.Stage{Place: "home"} }

// Guide introduces the profiles.
func (h *Home) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "The schemas that ddbdesk knows. Each profile describes the items of a database, how to query them, and " +
			"how they can change.",
		First: "select a profile and press enter. ddbdesk sends no request before that.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "{name}", Means: "a placeholder: a part of a key that differs between items"},
			{Glyph: "⌕", Means: "an index: another way to query the same items"},
		}, screen.StateSigns),
	}
}

// Init loads the profiles.
func (h *Home) Init() tea.Cmd {
	opener := h.opener
	return func() tea.Msg {
		list, err := opener.Profiles()
		return profilesLoadedMsg{list, err}
	}
}

// Reload loads the profiles again and opens one of them, "" for none, for example after
// the user chose another connection. It forgets what
// it knows about queues and tables, which may be those of another connection.
func (h *Home) Reload(open string) tea.Cmd {
	h.start, h.err, h.failed = open, nil, ""
	clear(h.about.waiting)
	clear(h.about.live)
	h.about.width = 0
	return h.Init()
}

// Retry opens the profile again that could not be opened.
func (h *Home) Retry() tea.Cmd {
	if h.failed == "" || h.connect.cannotOpen() != "" {
		return nil
	}
	return h.OpenThen(h.connect.then)
}

// Waits stores the number of items in a queue.
func (h *Home) Waits(msg screen.WaitingMsg) {
	h.about.waiting[msg.Profile+"."+msg.Queue] = msg.Text
	h.about.describeAgain()
}

// Found stores how the live tables of a profile compare with it.
func (h *Home) Found(msg screen.LiveMsg) {
	h.about.live[msg.Workspace.Session.Profile().Name] = msg.Live
	h.about.describeAgain()
}

// Status returns the number of profiles, or what the screen waits for.
func (h *Home) Status() string {
	switch {
	case h.connect.opening != nil:
		return "opening " + h.connect.opening.profile.Name
	case h.err != nil:
		return "no profile opened"
	case !h.loaded:
		return "loading the profiles"
	}
	return present.Plural(len(h.profiles), "profile")
}

// Close cancels opening a profile.
func (h *Home) Close() { h.Cancel() }

// Cancel cancels opening a profile.
func (h *Home) Cancel() bool {
	if h.connect.opening == nil {
		return false
	}
	h.connect.opening.End()
	h.connect.opening = nil
	return true
}

// Typing reports whether keys go to the filter.
func (h *Home) Typing() bool { return h.list.Typing() }

// SetStyles changes the theme.
func (h *Home) SetStyles(s *widget.Styles) {
	h.styles = s
	h.list.SetStyles(s)
	h.about.details.SetStyles(s)
	h.about.describeAgain()
}

// Update handles keys and what was loaded.
func (h *Home) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case profilesLoadedMsg:
		return h.setProfiles(msg)
	case sessionOpenedMsg:
		return h.connect.opened(msg)
	case screen.TickMsg:
		return msg.Task.Ticked()
	case tea.KeyPressMsg:
		if !h.list.Typing() {
			if !h.loaded && h.waits(msg) {
				h.Keep(msg)
				return nil
			}
			if cmd, used := screen.Press(h.actions, msg); used {
				return cmd
			}
		}
		if h.right {
			h.about.details.Update(msg)
			return nil
		}
		h.focus(false)
	}
	cmd, _ := h.list.Update(msg)
	h.about.refresh()
	return cmd
}

// setProfiles lists the profiles, and opens the one that was asked for.
func (h *Home) setProfiles(msg profilesLoadedMsg) tea.Cmd {
	h.loaded, h.err, h.failed = true, msg.err, ""
	h.list.SetEmpty("no profile has this name")
	if msg.err != nil {
		h.about.refresh()
		return nil
	}
	h.profiles = msg.profiles
	items := make([]widget.ListItem, 0, len(msg.profiles))
	for _, p := range msg.profiles {
		items = append(items, widget.ListItem{
			ID: p.Name, Title: p.Name, Badge: strconv.Itoa(len(p.Patterns)), BadgeRole: widget.RoleFaint, Search: p.Title,
		})
	}
	h.list.SetItems(items)
	h.about.describeAgain()
	if h.start == "" {
		return nil
	}
	start := h.start
	h.start = ""
	if why := h.choose(start); why != nil {
		return why
	}
	return h.connect.open()
}

// choose selects a profile. The command says that there is none with this name.
func (h *Home) choose(name string) tea.Cmd {
	if !h.list.Select(name) {
		return screen.Send(screen.NoticeMsg{Text: "There is no profile " + models.Printable(name), Bad: true})
	}
	h.about.refresh()
	return nil
}

// Profiles returns all profiles, none before they are loaded.
func (h *Home) Profiles() []*profiles.Profile { return h.profiles }

// Selected returns the profile under the cursor, nil when none matches the filter.
func (h *Home) Selected() *profiles.Profile {
	it, ok := h.list.Selected()
	if !ok {
		return nil
	}
	for _, p := range h.profiles {
		if p.Name == it.ID {
			return p
		}
	}
	return nil
}

// Enter connects a profile and opens a screen of it.
func (h *Home) Enter(p *profiles.Profile, then func(*screen.Env) screen.Target) tea.Cmd {
	h.Cancel()
	h.list.SetFilter("")
	if why := h.choose(p.Name); why != nil {
		return why
	}
	return h.OpenThen(then)
}

// OpenThen connects the selected profile and opens a screen of it.
func (h *Home) OpenThen(then func(*screen.Env) screen.Target) tea.Cmd {
	if why := h.connect.cannotOpen(); why != "" {
		return screen.Send(screen.NoticeMsg{Text: why})
	}
	cmd := h.connect.open()
	h.connect.then = then
	return cmd
}

// focus gives the keys to the description, or to the list.
func (h *Home) focus(right bool) {
	h.right = right
	h.list.SetFocused(!right)
}
