// This file is the root model: the stack of screens and what lies over it.

package tui

import (
	"os"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
	"github.com/ddbdesk/ddbdesk/tui/screens/palette"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Model is the root. It is made by New.
type Model struct {
	o       Options
	styles  *widget.Styles
	theme   widget.Theme
	dark    bool
	profile colorprofile.Profile // of the terminal; Unknown until it is told

	w, h int
	home *home.Home
	env  *screen.Env // of the session that is open, nil without one

	contexts  []connection.Context // to choose from
	context   string               // the name of the one in use
	dialog    *overlay.Dialog      // of the console itself, nil without one
	questions []connection.Question
	needy     uint64 // the place that needs new credentials

	identity string // who the store says works here, "" until it has answered

	stack  []*place // from home to the screen in view
	ahead  []*place // screens that were left, the next one last
	places uint64   // numbers the places

	help        *overlay.Sheet
	palette     *palette.Palette
	tour        tour
	toasts      widget.Toasts
	out         outside
	said        string    // the last notice
	saidAt      time.Time // and when
	actions     widget.Actions
	interrupted time.Time // when ctrl+c was pressed last
	mouseOff    bool
	drawn       drawn
	leaving     bool // as soon as no screen holds anything
	quitting    bool
}

// A place is a screen with the number that its answers carry.
type place struct {
	id     uint64
	screen screen.Screen
}

// New returns the root on its home screen.
func New(o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Output == nil {
		o.Output = os.Stdout
	}
	if o.Clipboard == nil {
		o.Clipboard = systemClipboard
	}
	m := &Model{o: o, theme: o.Theme, dark: !o.Light, profile: colorprofile.Unknown, mouseOff: o.NoMouse}
	m.styles = m.theme.Styles(m.dark, m.profile, o.NoColor)
	if s := m.switcher(); s != nil {
		m.contexts, m.context = s.Contexts()
	}
	m.tour.on = o.Tour
	m.home = home.New(m.styles, o.Opener, o.Start, o.Keys)
	m.stack = []*place{m.newPlace(m.home)}
	m.actions = o.Keys.Rebind("everywhere", m.makeActions())
	return m
}

// Init starts the home screen and asks the terminal what it is. Nothing waits
// for an answer.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.listen(), widget.GraphemeWidths, tea.RequestBackgroundColor, m.route(m.stack[0], m.home.Init()))
}

func (m *Model) newPlace(s screen.Screen) *place {
	m.places++
	return &place{m.places, s}
}

// top is the place in view.
func (m *Model) top() *place { return m.stack[len(m.stack)-1] }

// atHome reports whether the home screen is in view.
func (m *Model) atHome() bool { return len(m.stack) == 1 }

// push puts a screen on top; what could be gone forward to is given up.
func (m *Model) push(s screen.Screen) tea.Cmd {
	if cmd, held := m.stay(); held {
		s.Close()
		return cmd
	}
	closeAll(m.ahead)
	m.ahead = nil
	p := m.newPlace(s)
	left := m.watch(false)
	m.stack = append(m.stack, p)
	m.forget()
	m.arrange()
	return tea.Batch(left, m.route(p, s.Init()))
}

// mostPlaces is how many screens can be gone back through. Each keeps its rows or
// its item, and who follows links opens hundreds.
const mostPlaces = 64

// forget gives up the oldest screens above the one that a profile begins with.
// Nothing that must not be cut off is under way when a screen is pushed.
func (m *Model) forget() {
	const first = 2
	if more := len(m.stack) - mostPlaces; more > 0 {
		closeAll(m.stack[first : first+more])
		m.stack = slices.Delete(m.stack, first, first+more)
	}
}

// back leaves the screen for the one below; home stays.
func (m *Model) back() tea.Cmd {
	if m.atHome() {
		return nil
	}
	left := m.watch(false)
	m.ahead = append(m.ahead, m.top())
	m.stack = m.stack[:len(m.stack)-1]
	m.arrange()
	return tea.Batch(left, m.watch(true))
}

// forward goes to the screen that was left last.
func (m *Model) forward() tea.Cmd {
	if len(m.ahead) == 0 {
		return nil
	}
	m.conceal()
	left := m.watch(false)
	m.stack = append(m.stack, m.ahead[len(m.ahead)-1])
	m.ahead = m.ahead[:len(m.ahead)-1]
	m.arrange()
	return tea.Batch(left, m.watch(true))
}

// goTo goes back or forward to a screen of this run.
func (m *Model) goTo(p *place) tea.Cmd {
	if p == m.top() {
		return nil
	}
	m.conceal()
	left := m.watch(false)
	way := slices.Clone(m.stack)
	for _, ahead := range slices.Backward(m.ahead) {
		way = append(way, ahead)
	}
	at := slices.Index(way, p)
	if at < 0 {
		return m.watch(true) // It was given up meanwhile.
	}
	m.stack, m.ahead = way[:at+1:at+1], slices.Clone(way[at+1:])
	slices.Reverse(m.ahead)
	m.arrange()
	return tea.Batch(left, m.watch(true))
}

// watch tells the screen on top that it is looked at, or not any more.
func (m *Model) watch(on bool) tea.Cmd {
	p := m.top()
	switch s := p.screen.(type) {
	case screen.Watcher:
		return m.route(p, s.Watch(on))
	case screen.Remasker:
		if on {
			return m.route(p, s.Remask())
		}
	}
	return nil
}

// goHome leaves every screen but home.
func (m *Model) goHome() tea.Cmd {
	if cmd, held := m.stay(); held {
		return cmd
	}
	for !m.atHome() {
		m.back()
	}
	return nil
}

// conceal hides personal data where the profile is left: who comes back to it
// gives a reason again. A reveal that is written down late counts as little.
func (m *Model) conceal() {
	if m.env != nil && m.atHome() && !m.env.Session.Masker().Hides(models.PII) {
		m.env.Session.Hide()
	}
}

// arrange tells the screen in view its size.
func (m *Model) arrange() {
	m.conceal()
	w, h := m.body()
	m.top().screen.SetSize(w, h)
}

// body is the size of a screen: all but the two bars.
func (m *Model) body() (w, h int) { return max(m.w, 0), max(m.h-2, 0) }

// find returns the place with a number, nil when it was given up.
func (m *Model) find(id uint64) *place {
	for _, list := range [][]*place{m.stack, m.ahead} {
		for _, p := range list {
			if p.id == id {
				return p
			}
		}
	}
	return nil
}

// close gives up every screen.
func (m *Model) close() {
	m.leaveQuestions()
	m.takeBack()
	closeAll(m.stack)
	closeAll(m.ahead)
}

func closeAll(list []*place) {
	for _, p := range list {
		p.screen.Close()
	}
}
