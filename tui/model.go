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

// Model is the root. It is made by New.
type Model struct {
	o      Options
	styles *widget.Styles

	w, h int
	home *home.Home
	env  *screen.Env // of the session that is open, nil without one

	identity string // who the store says works here, "" until it has answered

	help *overlay.Sheet

	tour    tour
	toasts  widget.Toasts
	out     outside
	said    string    // the last notice
	saidAt  time.Time // and when
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

// A place is a screen with the number that its answers carry.
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

// wire lets the parts know the model that they belong to.
func (m *Model) wire() *Model {
	m.finder.m, m.dialogs.m, m.screens.m, m.tour.m = m, m, m, m
	m.out.m, m.hold.m, m.frame.m, m.look.m, m.guards.m, m.input.m = m, m, m, m, m, m
	m.router.m, m.opens.m = m, m
	return m
}

// Init starts the home screen and asks the terminal what it is. Nothing waits
// for an answer.
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

// push puts a screen on top; what could be gone forward to is given up.
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

// mostPlaces is how many screens can be gone back through. Each keeps its rows or
// its item, and who follows links opens hundreds.
const mostPlaces = 64

// forget gives up the oldest screens above the one that a profile begins with.
// Nothing that must not be cut off is under way when a screen is pushed.
func (st *screenStack) forget() {
	const first = 2
	if more := len(st.stack) - mostPlaces; more > 0 {
		closeAll(st.stack[first : first+more])
		st.stack = slices.Delete(st.stack, first, first+more)
	}
}

// back leaves the screen for the one below; home stays.
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

// forward goes to the screen that was left last.
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

// goTo goes back or forward to a screen of this run.
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
		return st.watch(true) // It was given up meanwhile.
	}
	st.stack, st.ahead = way[:at+1:at+1], slices.Clone(way[at+1:])
	slices.Reverse(st.ahead)
	st.m.arrange()
	return tea.Batch(left, st.watch(true))
}

// watch tells the screen on top that it is looked at, or not any more.
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

// goHome leaves every screen but home.
func (st *screenStack) goHome() tea.Cmd {
	if cmd, held := st.m.hold.stay(); held {
		return cmd
	}
	for !st.atHome() {
		st.back()
	}
	return nil
}

// conceal hides personal data where the profile is left: who comes back to it
// gives a reason again. A reveal that is written down late counts as little.
func (st *screenStack) conceal() {
	if st.m.env != nil && st.atHome() && !st.m.env.Session.Masker().Hides(models.PII) {
		st.m.env.Session.Hide()
	}
}

// arrange tells the screen in view its size.
func (m *Model) arrange() {
	m.screens.conceal()
	w, h := m.body()
	m.screens.top().screen.SetSize(w, h)
}

// body is the size of a screen: all but the two bars.
func (m *Model) body() (w, h int) { return max(m.w, 0), max(m.h-2, 0) }

// find returns the place with a number, nil when it was given up.
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

// close gives up every screen.
func (st *screenStack) close() {
	st.m.dialogs.leaveQuestions()
	st.m.out.takeBack()
	closeAll(st.stack)
	closeAll(st.ahead)
}

func closeAll(list []*place) {
	for _, p := range list {
		p.screen.Close()
	}
}

// finder is the palette: it finds every screen, pattern, item and action by name.
type finder struct {
	m *Model

	palette *palette.Palette
}

// consoleDialogs are the dialogs of the console itself: contexts, signing in, one-time codes.
type consoleDialogs struct {
	m *Model

	contexts  []connection.Context // to choose from
	context   string               // the name of the one in use
	dialog    *overlay.Dialog      // of the console itself, nil without one
	questions []connection.Question
	needy     uint64 // the place that needs new credentials
}

// screenStack is the screens from home to the one in view, and those to go forward to.
type screenStack struct {
	m *Model

	stack  []*place // from home to the screen in view
	ahead  []*place // screens that were left, the next one last
	places uint64   // numbers the places
}

// holding keeps the program from ending while something must not be cut off.
type holding struct {
	m *Model

	leaving  bool // as soon as no screen holds anything
	quitting bool
}

// frame draws the bars around the screen in view.
type frame struct {
	m *Model
}

// look is the theme, and what is known of the terminal's colors.
type look struct {
	m *Model

	theme   widget.Theme
	dark    bool
	profile colorprofile.Profile // of the terminal; Unknown until it is told
}

// keyGuards say why a key of the console cannot be used now.
type keyGuards struct {
	m *Model
}

// input gives keys, clicks and pastes to what lies on top.
type input struct {
	m *Model

	interrupted time.Time // when ctrl+c was pressed last
}

// router brings answers to the screens that asked, and does what screens ask of the console.
type router struct {
	m *Model
}

// navigator leads to screens, patterns, queues and pasted text.
type navigator struct {
	m *Model
}
