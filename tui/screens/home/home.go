// Package home is the first screen: it finds items in all schemas, and lists the schemas.
package home

import (
	"context"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An Opener lists the profiles and connects the session of one.
type Opener interface {
	// Profile returns one of Profiles without reading the others.
	Profile(name string) (*profiles.Profile, error)
	// Profiles returns the profiles that can be used, and an error about those that cannot. Without any, the error says why.
	Profiles() ([]*profiles.Profile, error)
	Open(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error)
	// Source says what Open connects to.
	Source() Source
}

// A Source is the database of the profiles, as far as it is known before a connection is made.
type Source struct {
	Local   bool   // in this process: Open sends nothing and asks the user nothing
	Missing string // why there is no database yet and how to get one, "" if there may be one
}

// A pane is a part of the screen that can have the keyboard.
type pane uint8

// The panes.
const (
	paneField pane = iota // the search field, with the results below it
	paneList
	paneNeeds // what needs attention in all profiles
	paneAbout // the numbers and the description of the selected profile
)

// Home finds items in all profiles, lists the profiles, and shows the numbers of the selected one. Without a request of
// the user it only reads what is connected, or local, and not production.
type Home struct {
	ctx    context.Context // of the program
	styles *widget.Styles
	opener Opener
	start  string                          // profile to open at once, "" for none
	Then   func(*screen.Env) screen.Target // what to open on it, nil for its workbench
	// Everywhere are the actions of all screens whose letter is text here; the menu offers them.
	Everywhere widget.Actions

	profiles []*profiles.Profile
	loaded   bool
	reading  bool   // the profiles are being read while one of them is already open
	err      error  // of the last load or connection
	failed   string // the profile that could not be opened, "" when err is about the list
	faults   error  // about profiles that are not listed, or not as their files are now

	limits  find.Options
	find    searcher
	list    *widget.List
	shelf   shelf
	known   map[string]*workspace.Workspace // the last session of each profile
	early   typedAhead
	about   about
	counter counter
	connect connector
	drafts  drafts
	frame   frame
	layouts layouts

	w, h    int
	has     pane // which has the focus
	actions widget.Actions
}

// profilesLoadedMsg is the result of loading the profiles.
type profilesLoadedMsg struct {
	profiles []*profiles.Profile
	err      error
	some     bool // the first of them only; the others follow
	later    bool // what a former message left out
	edited   bool // the files of some changed
}

// New returns the home screen. start names a profile to open as soon as the profiles
// are loaded, "" for none. keys are the keys that the user configured, limits those of a search. The search field
// has the focus unless a profile is opened.
func New(ctx context.Context, s *widget.Styles, o Opener, start string, keys *widget.Keymap, limits find.Options) *Home {
	h := &Home{ctx: ctx, styles: s, opener: o, start: start, list: widget.NewList(s), limits: limits}
	h.known = map[string]*workspace.Workspace{}
	h.find = searcher{h: h, field: widget.NewFind(), draw: hits{h: h, lines: widget.NewLines(s)}}
	h.shelf, h.frame = shelf{h: h}, frame{h}
	h.connect = connector{h: h, turn: &sync.Mutex{}}
	h.drafts.h = h
	h.layouts = layouts{}
	h.about = about{
		h: h, needs: newRowList(s), numbers: newRowList(s), preview: widget.NewPager(s), live: map[string]*tables.Comparison{},
	}
	h.counter = counter{h: h, boards: map[string]*board{}}
	h.list.SetStill(true)
	h.list.HideFilter()
	h.list.SetEmpty("") // Until the profiles are listed.
	h.actions = keys.Rebind("home", h.makeActions())
	h.focus(paneField)
	if start != "" {
		h.focus(paneList)
	}
	return h
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "home", Title: "Home",
		Does:    "Finds items in all schemas, and lists the profiles. Letters are text for the search field, wherever the focus is.",
		Actions: (&Home{}).makeActions(), Pieces: screen.MovingKeys(), Types: true,
	}
}

func (h *Home) makeActions() widget.Actions {
	return widget.Actions{
		widget.NewAction("open-profile", "enter", "open", "open the profile's patterns, or the selected entry",
			h.connect.cannotOpen, h.open),
		widget.NewAction("find", "/", "find", "find an ID, a key or another value in all schemas", nil, func() tea.Cmd {
			h.focus(paneField)
			return nil
		}),
		widget.NewAction("next-pane", "tab", "pane", "go to the next pane: profiles, what needs attention, item counts",
			nil, func() tea.Cmd { return h.cycle(1) }),
		widget.NewAction("previous-pane", "shift+tab", "", "go to the previous pane", nil, func() tea.Cmd { return h.cycle(-1) }),
		widget.NewAction("menu", "ctrl+o", "actions", "count items, draft a profile, reload the profiles or quit", nil, h.menu),
		{
			Name: "count", Binding: widget.Bind("ctrl+o c"), Desc: "count", Disabled: h.connect.cannotOpen, Run: h.counter.count,
			Long: "count the items of each state and queue; agree to a scan that is offered",
		},
		{
			Name: "new-profile", Binding: widget.Bind("ctrl+o n"), Desc: "draft", Disabled: h.drafts.cannot, Run: h.drafts.start,
			Long: "draft a profile of tables that have none",
		},
		widget.NewAction("reload-profiles", "ctrl+r f5", "reload", "reload the profiles", nil, h.Init),
	}
}

// chosenMsg runs an entry of the menu as a key of the screen, so that its answer comes back to the screen.
type chosenMsg struct{ run func() tea.Cmd }

// menu lists the actions of the selected profile. They have no letters of their own: a letter is text here.
func (h *Home) menu() tea.Cmd {
	m := &overlay.Menu{Title: "Actions", Key: "ctrl+o"}
	if p := h.Selected(); p != nil {
		m.Title = p.Name
	}
	add := func(key, label string, action string) {
		a, _ := h.actions.Named(action)
		m.Entries = append(m.Entries, overlay.MenuEntry{Key: key, Label: label, Why: a.Why(), Run: func() tea.Cmd {
			return screen.Send(chosenMsg{a.Run})
		}})
	}
	add("o", "Open", "open-profile")
	add("c", "Count items", "count")
	add("n", "Draft a profile", "new-profile")
	add("r", "Reload the profiles", "reload-profiles")
	for _, a := range h.Everywhere {
		label, note, _ := strings.Cut(strings.ToUpper(a.Long[:1])+a.Long[1:], ": ")
		m.Entries = append(m.Entries, overlay.MenuEntry{Key: a.Keys(), Label: label, Note: note, Why: a.Why(), Run: a.Run})
	}
	m.Entries = append(m.Entries, overlay.MenuEntry{Key: "q", Label: "Quit", Run: func() tea.Cmd { return screen.Send(screen.QuitMsg{}) }})
	return screen.Send(overlay.ShowMsg{Box: m})
}

func (h *Home) open() tea.Cmd {
	if list := h.about.focused(); list != nil {
		if cmd, ok := list.open(); ok {
			return cmd
		}
	}
	return h.shelf.open()
}

func (h *Home) cycle(step int) tea.Cmd {
	panes := allPanes
	if h.cannotFocus(slices.Index(panes, paneNeeds)) != "" {
		panes = []pane{paneList, paneAbout}
	}
	at := max(slices.Index(panes, h.has), 0)
	h.focus(panes[(at+step+len(panes))%len(panes)])
	return nil
}

// allPanes are the panes beside the search field, in the order of tab.
var allPanes = []pane{paneList, paneNeeds, paneAbout}

func (h *Home) cannotFocus(i int) string {
	if allPanes[i] == paneNeeds && h.frame.layout().needs.H == 0 {
		return "the terminal is too small for this pane"
	}
	return ""
}

// Title returns "Home".
func (h *Home) Title() string { return "Home" }

// Actions returns the keys of the screen.
func (h *Home) Actions() widget.Actions { return h.actions }

// Hints returns the keys of the bottom line.
func (h *Home) Hints() widget.Actions {
	if h.has != paneField {
		return h.actions
	}
	word := "open profile"
	if h.find.shows() {
		if word = "open"; h.find.search == nil {
			word = "find"
		}
		return widget.Actions{
			{Name: "open", Binding: widget.Bind("enter", "enter"), Desc: word},
			{Name: "choose", Binding: widget.Bind("↑↓", "down", "up"), Desc: "choose"},
			{Name: "clear", Binding: widget.Bind("esc", "esc"), Desc: "clear"},
		}
	}
	return widget.Actions{
		{Name: "open", Binding: widget.Bind("enter", "enter"), Desc: word},
		{Name: "profiles", Binding: widget.Bind("tab", "tab"), Desc: "profiles"},
		{Name: "menu", Binding: widget.Bind("ctrl+o", "ctrl+o"), Desc: "actions"},
	}
}

// Stage returns the progress of the tour.
func (h *Home) Stage() screen.Stage { return screen.Stage{Place: "home"} }

// Guide introduces the profiles.
func (h *Home) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Finds an ID, a key, an email address or another value in all schemas that can be reached. Below are the " +
			"profiles, each of which describes the items of a database, what needs attention in all of them, and the items of " +
			"the selected one by state.",
		First: "paste an ID and press enter, or press tab and select a profile. Production is read on request only.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "{name}", Means: "a placeholder: a part of a key that differs between items"},
			{Glyph: "⌕", Means: "an index: another way to query the same items"},
			{Glyph: "● 9", Means: "9 items are in the queues of the profile"},
			{Glyph: "▁▅█", Means: "the items of a queue by age, the oldest at the left"},
			{Glyph: "▲", Means: "items with defects, or changes whose outcome is unknown"},
		}, screen.StateSigns),
	}
}

// Init loads the profiles: the one to start with first, so that it is not kept waiting by
// the others.
func (h *Home) Init() tea.Cmd {
	opener, start := h.opener, h.start
	return func() tea.Msg {
		if start != "" {
			if p, err := opener.Profile(start); err == nil {
				return profilesLoadedMsg{profiles: []*profiles.Profile{p}, some: true}
			}
		}
		list, err := opener.Profiles()
		return profilesLoadedMsg{profiles: list, err: err}
	}
}

func (h *Home) readOthers() tea.Cmd {
	opener, ctx, ended := h.opener, h.ctx, h.connect.opening.ended
	h.reading = true
	return func() tea.Msg {
		<-ended
		if ctx.Err() != nil {
			return nil // The program ends.
		}
		list, err := opener.Profiles()
		return profilesLoadedMsg{profiles: list, err: err, later: true}
	}
}

// Refresh loads the profiles again because their files changed. Nothing that is open changes: an EditedMsg tells the root what
// was loaded.
func (h *Home) Refresh() tea.Cmd {
	if !h.loaded {
		return nil // They are being read.
	}
	opener := h.opener
	return func() tea.Msg {
		list, err := opener.Profiles()
		return profilesLoadedMsg{profiles: list, err: err, later: true, edited: true}
	}
}

// Renew replaces the session of a profile with one of another version of the profile.
func (h *Home) Renew(w *workspace.Workspace) {
	h.known[w.Session.Profile().Name] = w
	h.shelf.fill()
}

// Reload loads the profiles again and opens one of them, "" for none, for example after
// the user chose another connection. It forgets what
// it knows about queues and tables, which may be those of another connection.
func (h *Home) Reload(open string) tea.Cmd {
	h.start, h.err, h.failed = open, nil, ""
	h.find.forget()
	clear(h.known)
	h.counter.forget()
	clear(h.about.live)
	h.about.describeAgain()
	return h.Init()
}

// Retry opens the profile again that could not be opened.
func (h *Home) Retry() tea.Cmd {
	if h.failed == "" || h.connect.cannotOpen() != "" {
		return nil
	}
	return h.OpenThen(h.connect.then)
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
	case h.drafts.task.Running():
		return "drafting a profile"
	case h.err != nil:
		return "no profile opened"
	case !h.loaded || h.reading:
		return "loading the profiles"
	case h.find.shows() && h.find.result.Done:
		return present.Plural(len(h.find.result.Hits), "hit")
	}
	if list := h.about.focused(); list != nil {
		if e := list.entry(); e != nil && e.title != "" {
			return e.title
		}
	}
	return present.Plural(len(h.profiles), "profile")
}

// Close cancels a search, and opening a profile.
func (h *Home) Close() {
	h.Cancel()
	h.counter.stop()
}

// Cancel cancels a search, or opening a profile.
func (h *Home) Cancel() bool {
	if h.find.search != nil && !h.find.result.Done {
		h.find.eager = false
		h.find.search.Cancel()
		return true
	}
	if c := h.counter.running; c != nil && c.requested {
		h.counter.stop()
		return true
	}
	if h.drafts.task.Running() {
		h.drafts.task.Stop()
		return true
	}
	if h.connect.opening == nil {
		return false
	}
	h.connect.opening.End()
	h.connect.opening = nil
	return true
}

// Typing is always true: letters are text for the search field, wherever the focus is, so that a typed ID starts nothing.
func (h *Home) Typing() bool { return true }

// Passes reports whether a key is offered to the global actions: while nothing is searched, ? and :, and what is no text.
func (h *Home) Passes(key string) bool {
	return h.find.field.Text() == "" && (key == "?" || key == ":" || !widget.IsText(key))
}

// Pastes is always true: pasted text is searched.
func (h *Home) Pastes() bool { return true }

// Find searches for a text in all profiles. An empty text only moves to the search field.
func (h *Home) Find(text string) tea.Cmd {
	if text == "" {
		h.focus(paneField)
		return nil
	}
	return h.find.start(text)
}

// SetStyles changes the theme.
func (h *Home) SetStyles(s *widget.Styles) {
	h.styles = s
	h.list.SetStyles(s)
	h.find.draw.lines.SetStyles(s)
	h.about.needs.setStyles(s)
	h.about.numbers.setStyles(s)
	h.about.preview.SetStyles(s)
	h.about.describeAgain()
}

// Update handles keys and what was loaded. Afterwards another profile may be selected, whose numbers are read.
func (h *Home) Update(msg tea.Msg) tea.Cmd {
	cmd := h.handle(msg)
	if _, tick := msg.(screen.TickMsg); tick {
		return cmd
	}
	return tea.Batch(cmd, h.counter.consider())
}

func (h *Home) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case profilesLoadedMsg:
		return h.setProfiles(msg)
	case sessionOpenedMsg:
		return h.connect.opened(msg)
	case draftedMsg:
		return h.drafts.ended(msg)
	case countDueMsg:
		return h.counter.isDue(msg)
	case countedMsg:
		return h.counter.counted(msg)
	case screen.TickMsg:
		return msg.Task.Ticked()
	case searchDueMsg:
		if msg.change == h.find.due && h.find.search == nil {
			return h.find.begin(h.find.typed())
		}
		return nil
	case searchChangedMsg:
		return h.find.update(msg)
	case tea.PasteMsg:
		return h.find.paste(msg)
	case tea.KeyPressMsg:
		if widget.IsText(msg.String()) {
			h.focus(paneField)
		}
		if clears := msg.String() == "esc" && h.find.field.Text() != ""; h.has != paneField && !clears {
			return h.inList(msg)
		}
		return h.find.press(msg)
	case chosenMsg:
		return msg.run()
	}
	cmd, _ := h.list.Update(msg)
	h.about.refresh()
	return cmd
}

func (h *Home) inList(msg tea.KeyPressMsg) tea.Cmd {
	if !h.loaded && needsProfile(h.actions, msg, h.about.focused() == nil) {
		h.Keep(msg)
		return nil
	}
	if cmd, used := screen.Press(h.actions, msg); used {
		return cmd
	}
	if list := h.about.focused(); list != nil {
		list.press(msg)
		h.about.showBeside()
		return nil
	}
	h.focus(paneList)
	cmd, _ := h.list.Update(msg)
	h.about.refresh()
	return cmd
}

func (h *Home) setProfiles(msg profilesLoadedMsg) tea.Cmd {
	h.loaded, h.reading = true, false
	h.list.SetEmpty("no profile has this name")
	switch {
	case msg.err != nil && len(msg.profiles) == 0:
		h.err, h.failed = msg.err, ""
		h.about.refresh()
		return nil
	case !msg.later: // otherwise an error is that of the open profile
		h.err, h.failed = nil, ""
	}
	h.faults = msg.err
	h.profiles = msg.profiles
	h.shelf.fill()
	h.about.describeAgain()
	if msg.edited {
		return screen.Send(screen.EditedMsg{Profiles: msg.profiles, Err: msg.err})
	}
	if h.start == "" {
		return h.find.loaded()
	}
	start := h.start
	h.start = ""
	if why := h.choose(start); why != nil {
		return why
	}
	open := h.OpenThen(h.Then)
	h.Then = nil
	if msg.some {
		return tea.Batch(open, h.readOthers())
	}
	return open
}

func (h *Home) choose(name string) tea.Cmd {
	if !h.list.Select(name) {
		return screen.Send(screen.NoticeMsg{Text: "There is no profile " + models.Printable(name), Bad: true})
	}
	h.about.refresh()
	return nil
}

// Profiles returns all profiles, none before they are loaded.
func (h *Home) Profiles() []*profiles.Profile { return h.profiles }

// Selected returns the profile under the cursor, or that of the item there; nil without one.
func (h *Home) Selected() *profiles.Profile {
	it, ok := h.list.Selected()
	if !ok {
		return nil
	}
	name := it.ID
	if r := h.shelf.at(it.ID); r != nil {
		name = r.workspace.Session.Profile().Name
	}
	for _, p := range h.profiles {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Enter connects a profile and opens a screen of it. A profile that was just written is added to the list.
func (h *Home) Enter(p *profiles.Profile, then func(*screen.Env) screen.Target) tea.Cmd {
	h.Cancel()
	if !slices.ContainsFunc(h.profiles, func(listed *profiles.Profile) bool { return listed.Name == p.Name }) {
		h.profiles = append(h.profiles, p)
		h.shelf.fill()
	}
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

func (h *Home) focus(p pane) {
	h.has = p
	h.list.SetFocused(p == paneList)
	h.about.needs.lines.SetFocused(p == paneNeeds)
	h.about.numbers.lines.SetFocused(p == paneAbout)
	h.about.showBeside()
	if p == paneField {
		h.find.field.Start()
	} else {
		h.find.field.Stop()
	}
}
