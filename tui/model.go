package tui

import (
	"context"
	"os"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/palette"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Model is the root of the console: it owns the stack of screens and everything that is visible on all
// of them. Create it with New. Its work is divided among parts, each with a reference to the model.
type Model struct {
	o      Options
	styles *widget.Styles

	w, h int
	home *home.Home
	env  *screen.Env // of the session that is open, nil without one

	identity string // the identity that AWS reports for the credentials, "" until it is known

	help *overlay.Sheet

	tour    tour
	toasts  widget.Toasts
	out     outside
	said    string    // text of the last notice
	saidAt  time.Time // time of the last notice
	actions widget.Actions

	mouseOff bool
	drawn    drawn

	finder  finder
	dialogs consoleDialogs
	screens screenStack
	hold    holding
	frame   frame
	look    look
	guards  keyGuards
	input   input
	router  router
	opens   navigator
}

// A place is a screen on the stack. Its ID tags the answers to its commands, so that they reach it
// when it is no longer on top.
type place struct {
	id     uint64
	screen screen.Screen
}

// New returns the root on its home screen.
func New(o Options) *Model {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Output == nil {
		o.Output = os.Stdout
	}
	if o.Clipboard == nil {
		o.Clipboard = systemClipboard
	}
	m := (&Model{o: o, mouseOff: o.NoMouse}).wire()
	m.look.theme, m.look.dark, m.look.profile = o.Theme, !o.Light, colorprofile.Unknown
	m.styles = m.look.theme.Styles(m.look.dark, m.look.profile, o.NoColor)
	if s := m.dialogs.switcher(); s != nil {
		m.dialogs.contexts, m.dialogs.context = s.Contexts()
	}
	m.tour.on = o.Tour
	m.home = home.New(o.Context, m.styles, o.Opener, o.Start, o.Keys)
	m.screens.stack = []*place{m.screens.newPlace(m.home)}
	m.actions = o.Keys.Rebind("everywhere", m.makeActions())
	return m
}

// wire gives each part its reference to the model.
func (m *Model) wire() *Model {
	m.finder.m, m.dialogs.m, m.screens.m, m.tour.m = m, m, m, m
	m.out.m, m.hold.m, m.frame.m, m.look.m, m.guards.m, m.input.m = m, m, m, m, m, m
	m.router.m, m.opens.m = m, m
	return m
}

// Init starts the home screen and queries the terminal. Nothing waits for the answers.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(
		m.dialogs.listen(), widget.GraphemeWidths, tea.RequestBackgroundColor,
		m.router.route(m.screens.stack[0], m.home.Init()),
	)
}

func (st *screenStack) newPlace(s screen.Screen) *place {
	st.places++
	return &place{st.places, s}
}

// top is the place in view.
func (st *screenStack) top() *place { return st.stack[len(st.stack)-1] }

// atHome reports whether the home screen is in view.
func (st *screenStack) atHome() bool { return len(st.stack) == 1 }

// push opens a screen on top and closes the screens ahead.
func (st *screenStack) push(s screen.Screen) tea.Cmd {
	if cmd, held := st.m.hold.stay(); held {
		s.Close()
		return cmd
	}
	closeAll(st.ahead)
	st.ahead = nil
	p := st.newPlace(s)
	left := st.watch(false)
	st.stack = append(st.stack, p)
	st.forget()
	st.m.arrange()
	return tea.Batch(left, st.m.router.route(p, s.Init()))
}

// mostPlaces limits the stack. Each screen keeps its rows or its item in memory, and following links
// opens hundreds of screens.
const mostPlaces = 64

// forget closes the oldest screens above the first screen of a profile. This is safe: no screen is
// pushed while a write is pending.
func (st *screenStack) forget() {
	const first = 2
	if more := len(st.stack) - mostPlaces; more > 0 {
		closeAll(st.stack[first : first+more])
		st.stack = slices.Delete(st.stack, first, first+more)
	}
}

// back returns to the screen below. The home screen stays.
func (st *screenStack) back() tea.Cmd {
	if st.atHome() {
		return nil
	}
	left := st.watch(false)
	st.ahead = append(st.ahead, st.top())
	st.stack = st.stack[:len(st.stack)-1]
	st.m.arrange()
	return tea.Batch(left, st.watch(true))
}

// forward returns to the screen that was left last.
func (st *screenStack) forward() tea.Cmd {
	if len(st.ahead) == 0 {
		return nil
	}
	st.conceal()
	left := st.watch(false)
	st.stack = append(st.stack, st.ahead[len(st.ahead)-1])
	st.ahead = st.ahead[:len(st.ahead)-1]
	st.m.arrange()
	return tea.Batch(left, st.watch(true))
}

// goTo goes back or forward to an open screen.
func (st *screenStack) goTo(p *place) tea.Cmd {
	if p == st.top() {
		return nil
	}
	st.conceal()
	left := st.watch(false)
	way := slices.Clone(st.stack)
	for _, ahead := range slices.Backward(st.ahead) {
		way = append(way, ahead)
	}
	at := slices.Index(way, p)
	if at < 0 {
		return st.watch(true) // It was closed in the meantime.
	}
	st.stack, st.ahead = way[:at+1:at+1], slices.Clone(way[at+1:])
	slices.Reverse(st.ahead)
	st.m.arrange()
	return tea.Batch(left, st.watch(true))
}

// watch tells the top screen whether it is visible.
func (st *screenStack) watch(on bool) tea.Cmd {
	p := st.top()
	switch s := p.screen.(type) {
	case screen.Watcher:
		return st.m.router.route(p, s.Watch(on))
	case screen.Remasker:
		if on {
			return st.m.router.route(p, s.Remask())
		}
	}
	return nil
}

// goHome goes back to the home screen.
func (st *screenStack) goHome() tea.Cmd {
	if cmd, held := st.m.hold.stay(); held {
		return cmd
	}
	for !st.atHome() {
		st.back()
	}
	return nil
}

// conceal hides revealed personal data on the home screen: a user who returns to the profile gives a new reason.
func (st *screenStack) conceal() {
	if st.m.env != nil && st.atHome() && !st.m.env.Session.Masker().Hides(models.PII) {
		st.m.env.Session.Hide()
	}
}

// arrange sets the size of the top screen.
func (m *Model) arrange() {
	m.screens.conceal()
	w, h := m.body()
	m.screens.top().screen.SetSize(w, h)
}

// body is the size of a screen: the terminal without the top bar and the status bar.
func (m *Model) body() (w, h int) { return max(m.w, 0), max(m.h-2, 0) }

// find returns the place with the ID, or nil if it is closed.
func (st *screenStack) find(id uint64) *place {
	for _, list := range [][]*place{st.stack, st.ahead} {
		for _, p := range list {
			if p.id == id {
				return p
			}
		}
	}
	return nil
}

// close closes every screen and releases what other programs still hold.
func (st *screenStack) close() {
	st.m.dialogs.cancelPrompts()
	st.m.out.takeBack()
	closeAll(st.stack)
	closeAll(st.ahead)
}

func closeAll(list []*place) {
	for _, p := range list {
		p.screen.Close()
	}
}

// finder fills the palette with the screens, patterns, items and actions that the user can open.
type finder struct {
	m *Model

	palette *palette.Palette
}

// consoleDialogs shows the dialogs that belong to no screen: contexts, sign-in and one-time codes.
type consoleDialogs struct {
	m *Model

	contexts []connection.Context  // the contexts of the configuration
	context  string                // name of the current context
	dialog   *overlay.Dialog       // the open dialog, nil for none
	prompts  []connection.Question // prompts that wait for the open dialog
	retry    uint64                // ID of the place that waits for new credentials
}

// screenStack holds the open screens, from home to the visible one, and the screens ahead of it.
type screenStack struct {
	m *Model

	stack  []*place // from home to the visible screen
	ahead  []*place // the screens that forward returns to, the next one last
	places uint64   // the last ID
}

// holding keeps the program running while a write is pending.
type holding struct {
	m *Model

	leaving  bool // quit as soon as no write is pending
	quitting bool
}

// frame draws the visible screen between the top bar and the status bar.
type frame struct {
	m *Model
}

// look holds the theme and the color capabilities of the terminal.
type look struct {
	m *Model

	theme   widget.Theme
	dark    bool
	profile colorprofile.Profile // of the terminal; Unknown until Bubble Tea reports it
}

// keyGuards explains why a global action is unavailable.
type keyGuards struct {
	m *Model
}

// input sends keys, clicks and pastes to the topmost overlay or screen.
type input struct {
	m *Model

	interrupted time.Time // when ctrl+c was last pressed
}

// router delivers answers to the screens that requested them, and carries out the requests of screens to the root.
type router struct {
	m *Model
}

// navigator opens screens, patterns, queues and pasted text.
type navigator struct {
	m *Model
}
