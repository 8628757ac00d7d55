// Package tui is the root of the console. It keeps the stack of screens, passes keys, mouse events and messages to
// them, and draws the bars around them. The packages in tui/screens draw the content of the screens, using the building
// blocks in tui/widget.
package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"
	"github.com/charmbracelet/colorprofile"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/paint"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An Opener lists the schemas and opens sessions. Both may block, so the console runs them in the background.
type Opener = home.Opener

// A Source describes the database of the schemas, as far as it is known before a connection opens.
type Source = home.Source

// An Access describes the user, the role and the database.
type Access = home.Access

// A Connection is a database without an open schema.
type Connection = home.Connection

// Options configures the console.
type Options struct {
	Opener  Opener
	Start   string    // schema to open first, or "" for the home screen
	Link    link.Link // first screen of that schema; the zero Link opens the patterns
	NoColor bool

	// Output is the terminal for the console and the programs that it runs; nil means standard output.
	Output io.Writer
	// Now is the clock for notices; nil means time.Now. Screens use the clock of their session.
	Now func() time.Time
	// Context ends the requests of all screens and the programs that use the terminal. Run replaces it with its own
	// context. A nil Context never ends.
	Context context.Context
	// Clipboard copies text to this machine's clipboard, in addition to the terminal's; nil means the system clipboard.
	Clipboard func(text string) error
	// Theme is the initial theme; the zero Theme is the default.
	Theme widget.Theme
	// Signs is the set of characters that the terminal can show.
	Signs widget.Signs
	// NoMouse starts without mouse support.
	NoMouse bool
	// Questions delivers the prompts of background operations, such as for an MFA code; nil disables prompts.
	Questions <-chan Question
	// Edits delivers a value when a schema file changes; nil disables reloading.
	Edits <-chan struct{}
	// Keys contains the user's key bindings; nil means the defaults.
	Keys *widget.Keymap
	// Find contains the limits of a search; the zero value means the defaults.
	Find find.Options
	// ScanLimit is the number of RCU that a scan outside of production may cost without consent; 0 always asks.
	ScanLimit float64
	// Zone is the time zone of times on the screens; nil means UTC.
	Zone *time.Location
	// Tour starts the tour. TourSeen is called when the tour ends; it may be nil.
	Tour     bool
	TourSeen func()
	// TourID is an ID in the sample data that the tour searches for, or "".
	TourID string
	// ConflictingChange applies the plan's change as another user, to show a conflict in the tour; nil skips this.
	ConflictingChange func(ctx context.Context, w *workspace.Workspace, p *change.Plan) error
	// TerminalInUse is called when another program, such as an editor, takes over the terminal and when it returns it.
	// In between, ctrl+c belongs to that program. TerminalInUse may be nil.
	TerminalInUse func(inUse bool)
	// Light selects colors for a light background until the terminal reports its background.
	Light bool
}

// Run shows the console until the user quits. If ctx ends, the error wraps the error of ctx. After an internal error,
// the error is a *crash.Failure. Run always restores the terminal, and does not return while a write is pending.
func Run(ctx context.Context, o Options, opts ...tea.ProgramOption) error {
	o.Context = ctx
	m := New(o)
	screen := paint.New(os.Stdin, m.o.Output)
	opts = append([]tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithoutCatchPanics()}, opts...)
	err := runProgram(ctx, screen.Program(guardedModel{m}, opts...))
	err = errors.Join(err, screen.Close(), m.finish())
	if crashErr := crash.Err(); crashErr != nil {
		return crashErr
	}
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	return err
}

func systemClipboard(text string) error { return clipboard.WriteAll(text) }

// A Model is the root of the console. It contains the stack of screens and everything that is visible on all screens.
// Create it with New.
type Model struct {
	o      Options
	styles *widget.Styles

	w, h int
	home *home.Home
	env  *screen.Env // environment of the current session, or nil

	identity string // identity that AWS returned for the credentials; "" while unknown

	layers       layers
	tour         tour
	toasts       widget.Toasts
	external     externalProgram
	lastNotice   string    // text of the last notice
	lastNoticeAt time.Time // time of the last notice
	actions      widget.Actions

	mouseOff bool
	drawn    frameCache

	dialogs    consoleDialogs
	screens    screenStack
	exit       exitGuard
	appearance appearance
	input      input
	guard      guard
	undo       undoState
}

// New returns the root model with the home screen open.
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
	m.appearance.theme, m.appearance.dark, m.appearance.profile = o.Theme, !o.Light, colorprofile.Unknown
	m.styles = m.appearance.theme.Styles(m.appearance.dark, m.appearance.profile, o.NoColor)
	if s := m.switcher(); s != nil {
		m.dialogs.contexts, m.dialogs.context = s.Contexts()
	}
	m.tour.active = o.Tour
	m.home = home.New(o.Context, m.styles, o.Opener, o.Start, o.Keys, o.Find)
	if o.Link.Name != "" {
		m.home.StartTarget = home.Linked(o.Link)
	}
	m.screens.stack = []*place{m.newPlace(m.home)}
	m.actions = o.Keys.Rebind("everywhere", m.makeActions())
	for _, a := range m.actions {
		if letter, in := a.InMenu(); in {
			a.Binding = bind(letter, letter) // Home has only one menu.
		}
		if r, n := utf8.DecodeRuneInString(a.Keys()); n == len(a.Keys()) && unicode.IsLetter(r) && a.Name != "actions" {
			m.home.Global = append(m.home.Global, a)
		}
	}
	return m
}

// Init starts the home screen and queries the terminal. It does not wait for the answers.
func (m *Model) Init() tea.Cmd {
	m.input.startedAt = time.Now()
	return tea.Batch(
		m.listenForQuestions(), m.listenForEdits(), widget.GraphemeWidths, tea.RequestBackgroundColor,
		m.route(m.screens.stack[0], m.home.Init()),
	)
}

func (m *Model) arrange() {
	m.maskPersonalData()
	w, h := m.body()
	m.top().screen.SetSize(w, max(h-m.top().tabRows(), 0))
}

func (m *Model) body() (w, h int) { return max(m.w, 0), max(m.h-2-m.tourHeight(), 0) }
