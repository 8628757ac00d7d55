// Package home is the screen that lists the schemas.
package home

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An Opener lists the profiles and connects the session of one.
type Opener interface {
	Profiles() ([]*profiles.Profile, error)
	Open(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error)
}

// Home lists the profiles.
type Home struct {
	ctx    context.Context // of the program
	styles *widget.Styles
	opener Opener
	start  string // profile to open at once, "" for none

	profiles []*profiles.Profile
	loaded   bool
	err      error // of the last thing that was asked for
	failed   string

	list    *widget.List
	details *widget.Pager
	waiting map[string]string // what was last seen in queues, by profile and id
	live    map[string]*tables.Comparison
	shown   *profiles.Profile // whose details are in the pager
	wide    int               // width that they were made for

	w, h    int
	right   bool // the details have the focus
	actions widget.Actions
	opens   homeOpening
	draw    homeDrawing
}

type profilesLoadedMsg struct {
	profiles []*profiles.Profile
	err      error
}

type sessionOpenedMsg struct {
	req     int
	session *workspace.Workspace
	err     error
}

type homeTickedMsg struct{ req int }

// New returns the home screen. start names a profile that is opened as
// soon as the profiles are known, "" for none; keys are the person's own.
func New(ctx context.Context, s *widget.Styles, o Opener, start string, keys *widget.Keymap) *Home {
	h := &Home{
		ctx: ctx, styles: s, opener: o, start: start, list: widget.NewList(s), details: widget.NewPager(s),
		waiting: map[string]string{}, live: map[string]*tables.Comparison{},
	}
	h.opens = homeOpening{h: h, turn: &sync.Mutex{}}
	h.draw.h = h
	h.list.SetEmpty("no profile is called that")
	h.list.SetPlaceholder("filter")
	h.actions = keys.Rebind("home", h.makeActions())
	return h
}

// makeActions is the table of keys, the most important first.
func (h *Home) makeActions() widget.Actions {
	return widget.Actions{
		{
			Name: "open-profile", Binding: widget.Bind("enter", "enter"), Desc: "open",
			Long: "connect and open the profile's patterns", Disabled: h.opens.nothingChosen, Run: h.opens.open,
		},
		{Name: "filter-profiles", Binding: widget.Bind("/", "/"), Desc: "filter", Long: "find a profile by its name", Run: h.draw.filter},
		{
			Name: "next-pane", Binding: widget.Bind("tab", "tab", "shift+tab"), Desc: "pane",
			Long: "switch between the profiles and the description", Run: h.draw.swap,
		},
		{Name: "reload-profiles", Binding: widget.Bind("r", "r"), Desc: "reload", Long: "reload the profiles", Run: h.Init},
	}
}

// filter types into the filter of the profiles.
func (dr *homeDrawing) filter() tea.Cmd {
	dr.h.focus(false)
	dr.h.list.StartTyping()
	return nil
}

// Retry opens again what could not be opened.
func (h *Home) Retry() tea.Cmd {
	if h.failed == "" || h.opens.nothingChosen() != "" {
		return nil
	}
	return h.OpenThen(h.opens.then)
}

// Reload reads the profiles again, and opens one of them; "" opens none. What was
// seen waiting is forgotten: it may have been seen elsewhere.
func (h *Home) Reload(open string) tea.Cmd {
	h.start, h.err, h.failed = open, nil, ""
	clear(h.waiting)
	clear(h.live)
	h.wide = 0
	return h.Init()
}

// Waits remembers how much waits in a queue. Home itself asks no database.
func (h *Home) Waits(msg screen.WaitingMsg) {
	h.waiting[msg.Profile+"."+msg.Queue] = msg.Text
	h.wide = 0
	h.refresh()
}

// Found remembers how the tables of a profile compare with it.
func (h *Home) Found(msg screen.LiveMsg) {
	h.live[msg.Workspace.Session.Profile().Name] = msg.Live
	h.wide = 0
	h.refresh()
}

// Title is "Profiles".
func (h *Home) Title() string { return "Profiles" }

// Init reads the profiles.
func (h *Home) Init() tea.Cmd {
	opener := h.opener
	return func() tea.Msg {
		list, err := opener.Profiles()
		return profilesLoadedMsg{list, err}
	}
}

// Actions are the keys of the screen.
func (h *Home) Actions() widget.Actions { return h.actions }

// Status is the number of profiles.
func (h *Home) Status() string {
	switch {
	case h.opens.opening != nil:
		return "opening " + h.opens.opening.Name
	case h.err != nil:
		return "nothing was opened"
	case !h.loaded:
		return "reading the profiles"
	}
	return present.Plural(len(h.profiles), "profile")
}

// Close cancels what is being opened.
func (h *Home) Close() { h.Cancel() }

// Cancel stops opening a profile.
func (h *Home) Cancel() bool {
	if h.opens.opening == nil {
		return false
	}
	h.opens.cancel()
	h.opens.opening = nil
	h.opens.req++
	return true
}

// Typing reports whether keys go to the filter.
func (h *Home) Typing() bool { return h.list.Typing() }

// SetStyles changes the theme.
func (h *Home) SetStyles(s *widget.Styles) {
	h.styles = s
	h.list.SetStyles(s)
	h.details.SetStyles(s)
	h.wide = 0
	h.refresh()
}

// Update handles keys and what was loaded.
func (h *Home) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case profilesLoadedMsg:
		return h.setProfiles(msg)
	case sessionOpenedMsg:
		if msg.req != h.opens.req || h.opens.opening == nil {
			return nil
		}
		h.opens.cancel()
		name := h.opens.opening.Name
		h.opens.opening = nil
		if msg.err != nil {
			h.err, h.failed = msg.err, name
			h.refresh()
			return connection.OfferSignIn(msg.err)
		}
		h.err = nil
		h.refresh()
		return screen.Send(screen.SessionMsg{Workspace: msg.session, Then: h.opens.then})
	case homeTickedMsg:
		if msg.req != h.opens.req || h.opens.opening == nil {
			return nil
		}
		h.opens.elapsed += widget.BusyFrame
		return h.opens.tick()
	case tea.KeyPressMsg:
		return h.press(msg)
	}
	cmd, _ := h.list.Update(msg)
	h.refresh()
	return cmd
}

func (h *Home) press(msg tea.KeyPressMsg) tea.Cmd {
	if !h.list.Typing() {
		if cmd, why, used := h.actions.Handle(msg); used {
			if why != "" {
				return screen.Send(screen.NoticeMsg{Text: why})
			}
			return cmd
		}
	}
	if h.right {
		h.details.Update(msg)
		return nil
	}
	h.focus(false)
	cmd, _ := h.list.Update(msg)
	h.refresh()
	return cmd
}

func (h *Home) setProfiles(msg profilesLoadedMsg) tea.Cmd {
	h.loaded, h.err, h.failed = true, msg.err, ""
	if msg.err != nil {
		h.refresh()
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
	h.wide = 0
	h.refresh()
	if h.start == "" {
		return nil
	}
	start := h.start
	h.start = ""
	if !h.list.Select(start) {
		return screen.Send(screen.NoticeMsg{Text: "there is no profile " + models.Printable(start), Bad: true})
	}
	h.refresh()
	return h.opens.open()
}

// selected is the profile under the cursor, nil for none.
func (h *Home) selected() *profiles.Profile {
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

func (op *homeOpening) nothingChosen() string {
	switch {
	case op.opening != nil:
		return op.opening.Name + " is being opened"
	case op.h.selected() == nil:
		return "no profile is chosen"
	}
	return ""
}

// Selected is the profile under the cursor, nil for none.
func (h *Home) Selected() *profiles.Profile { return h.selected() }

// OpenThen connects the chosen profile and opens a screen of it.
func (h *Home) OpenThen(then func(*screen.Env) screen.Target) tea.Cmd {
	if why := h.opens.nothingChosen(); why != "" {
		return screen.Send(screen.NoticeMsg{Text: why})
	}
	cmd := h.opens.open()
	h.opens.then = then
	return cmd
}

// open connects the chosen profile.
func (op *homeOpening) open() tea.Cmd {
	p := op.h.selected()
	op.then = nil
	if p == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(op.h.ctx)
	op.req++
	op.opening, op.cancel, op.elapsed, op.h.err = p, cancel, 0, nil
	op.h.refresh()
	opener, req, turn := op.h.opener, op.req, op.turn
	return tea.Batch(op.tick(), func() tea.Msg {
		turn.Lock()
		defer turn.Unlock()
		if ctx.Err() != nil {
			return nil
		}
		s, err := opener.Open(ctx, p)
		if err == nil && s == nil {
			err = fmt.Errorf("%s was not opened", p.Name)
		}
		return sessionOpenedMsg{req, s, err}
	})
}

func (op *homeOpening) tick() tea.Cmd {
	req := op.req
	return tea.Tick(widget.BusyFrame, func(time.Time) tea.Msg { return homeTickedMsg{req} })
}

func (dr *homeDrawing) swap() tea.Cmd {
	dr.h.focus(!dr.h.right)
	return nil
}

func (h *Home) focus(right bool) {
	h.right = right
	h.list.SetFocused(!right)
}

// Stage is how far the tour has come here.
func (h *Home) Stage() screen.Stage { return screen.Stage{Place: "home"} }

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "home", Title: "Profiles",
		Does:    "The list of profiles.",
		Actions: (&Home{}).makeActions(), Pieces: screen.MovingKeys(),
	}
}

// homeOpening connects one schema at a time.
type homeOpening struct {
	h *Home

	turn    *sync.Mutex // one profile is opened at a time, also after a cancel
	opening *profiles.Profile
	then    func(*screen.Env) screen.Target // what to open on it, nil for its workbench alone
	req     int
	cancel  context.CancelFunc
	elapsed time.Duration
}

// homeDrawing makes the lines about the chosen schema.
type homeDrawing struct {
	h *Home
}
