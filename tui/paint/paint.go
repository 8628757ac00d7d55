// Package paint puts the frames of a Bubble Tea program on the terminal as soon
// as they are made.
//
// Bubble Tea draws on a ticker, so that a key waits for half of a tick on
// average. Here the work is shared instead: Bubble Tea keeps the terminal, its
// modes, its size, its input, and gives it away and takes it back for other
// programs. It believes the screen to be blank. The cells and the cursor are drawn by a
// Screen, in the very Update that changed them.
//
//	screen := paint.New(os.Stdin, os.Stdout)
//	program := tea.NewProgram(screen.Model(model), tea.WithOutput(screen.Output()))
//	_, err := program.Run()
//	err = errors.Join(err, screen.Close())
//
// Everything that is written to the terminal goes through the Screen, a sequence
// is never cut by another, and what Bubble Tea erases is drawn again in the same
// write. A view that is not on the alternate screen is left to Bubble Tea.
package paint

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// model draws the frames of another model.
type model struct {
	inner  tea.Model
	screen *Screen
	pace   pace
	view   tea.View // what Bubble Tea is told: the frame without its content
	looked bool     // view is one
	init   tea.Cmd  // of inner, until something is drawn
	stale  bool     // inner changed since it was drawn
	late   bool     // a lateMsg is on its way
}

// lateMsg is the time to draw what was not drawn at once.
type lateMsg struct{}

// blank is what Bubble Tea believes to be on the screen.
const blank = " "

// Model returns m with its frames drawn on the screen. The first change after
// some quiet is drawn in the same Update. While messages pour in, frames keep a
// distance and the views between them are not even made, but the last one
// always is.
func (s *Screen) Model(m tea.Model) tea.Model { return &model{inner: m, screen: s} }

// Inner returns the model that Model was given, from the one that a program ended
// with.
func Inner(m tea.Model) tea.Model {
	if p, ok := m.(*model); ok {
		return p.inner
	}
	return m
}

// Init starts the inner model. What that sets going waits for the first frame.
func (m *model) Init() tea.Cmd {
	m.init = m.inner.Init()
	return nil
}

// Update gives a message to the inner model and draws what became of it.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(lateMsg); ok {
		m.late = false
		if !m.stale {
			return m, nil
		}
		return m, m.draw()
	}
	m.hear(msg)
	var cmd tea.Cmd
	m.inner, cmd = m.inner.Update(msg)
	m.stale = true
	return m, tea.Batch(cmd, m.draw(), m.begin())
}

// begin returns what the inner model wants to do first, once there is no more to
// hear before a frame.
func (m *model) begin() tea.Cmd {
	if m.init == nil || !m.screen.told() {
		return nil
	}
	cmd := m.init
	m.init = nil
	return cmd
}

// hear takes what Bubble Tea finds out about the terminal.
func (m *model) hear(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.EnvMsg:
		m.screen.setEnv(msg)
	case tea.ColorProfileMsg:
		m.screen.setProfile(msg.Profile)
	case tea.WindowSizeMsg:
		m.screen.resize(msg.Width, msg.Height)
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeSynchronizedOutput {
			m.screen.setSync(msg.Value == ansi.ModeReset)
		}
	}
}

// draw draws the frame now when it may be, and otherwise returns the command that
// comes back when it may.
func (m *model) draw() tea.Cmd {
	if !m.screen.ready() {
		return nil // The first message that makes it ready draws.
	}
	begun := time.Now()
	if wait := m.pace.wait(begun); wait > 0 {
		if m.late {
			return nil
		}
		m.late = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return lateMsg{} })
	}
	m.look()
	m.pace.drawn(begun, time.Since(begun))
	return nil
}

// look makes the frame and gives it to the screen.
func (m *model) look() {
	v := m.inner.View()
	m.looked, m.stale = true, false
	if v.AltScreen {
		m.screen.paint(frame{content: v.Content, cursor: v.Cursor})
		v.Content, v.Cursor = blank, nil
	}
	m.view = v
}

// View is what Bubble Tea has to know of the frame that was drawn last.
func (m *model) View() tea.View {
	if !m.looked {
		m.look()
	}
	return m.view
}
