package tui

import (
	"context"
	"os"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Model is the root of the console: it owns the stack of screens and everything that is visible on all
// of them. Create it with New.
type Model struct {
	o      Options
	styles *widget.Styles

	w, h int
	home *home.Home
	env  *screen.Env // of the session that is open, nil without one

	identity string // the identity that AWS reports for the credentials, "" until it is known

	layers  layers
	tour    tour
	toasts  widget.Toasts
	out     outside
	said    string    // text of the last notice
	saidAt  time.Time // time of the last notice
	actions widget.Actions

	mouseOff bool
	drawn    drawn

	dialogs consoleDialogs
	screens screenStack
	hold    holding
	look    look
	input   input
	undo    undoing
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
	m := &Model{o: o, mouseOff: o.NoMouse}
	m.look.theme, m.look.dark, m.look.profile = o.Theme, !o.Light, colorprofile.Unknown
	m.styles = m.look.theme.Styles(m.look.dark, m.look.profile, o.NoColor)
	if s := m.switcher(); s != nil {
		m.dialogs.contexts, m.dialogs.context = s.Contexts()
	}
	m.tour.on = o.Tour
	m.home = home.New(o.Context, m.styles, o.Opener, o.Start, o.Keys, o.Find)
	if o.Link.Name != "" {
		m.home.Then = linked(o.Link)
	}
	m.screens.stack = []*place{m.newPlace(m.home)}
	m.actions = o.Keys.Rebind("everywhere", m.makeActions())
	for _, a := range m.actions {
		if r, n := utf8.DecodeRuneInString(a.Keys()); n == len(a.Keys()) && unicode.IsLetter(r) {
			m.home.Everywhere = append(m.home.Everywhere, a)
		}
	}
	return m
}

// Init starts the home screen and queries the terminal. Nothing waits for the answers.
func (m *Model) Init() tea.Cmd {
	m.input.began = time.Now()
	return tea.Batch(
		m.listenForQuestions(), m.listenForEdits(), widget.GraphemeWidths, tea.RequestBackgroundColor,
		m.route(m.screens.stack[0], m.home.Init()),
	)
}

func (m *Model) arrange() {
	m.conceal()
	w, h := m.body()
	m.top().screen.SetSize(w, h)
}

func (m *Model) body() (w, h int) { return max(m.w, 0), max(m.h-2-m.height(), 0) }
