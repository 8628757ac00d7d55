// Package paint draws the frames of a Bubble Tea program during the Update that changed them. It works with any
// program, which defines the content of the frames.
//
// Bubble Tea draws on a ticker, which delays the response to a key by half a tick on average. With this package, Bubble
// Tea still manages the terminal's modes, size and input, and releases it to other programs, but its own view is blank.
// A Screen draws the cells and the cursor.
//
//	screen := paint.New(os.Stdin, os.Stdout)
//	_, err := screen.Program(model).Run()
//	err = errors.Join(err, screen.Close())
//
// All output to the terminal passes through the Screen. Therefore escape sequences never interleave, and a write in
// which Bubble Tea erases content also redraws it. Bubble Tea itself draws views outside of the alternate screen.
package paint

import (
	"reflect"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// model wraps another model and draws its frames.
type model struct {
	inner    tea.Model
	screen   *Screen
	pace     pace
	idle     idleTicker
	view     tea.View // frame without its content, for Bubble Tea
	rendered bool     // view is set
	initCmd  tea.Cmd  // command of inner.Init, until the first frame
	stale    bool     // inner may have changed since the last frame
	delayed  bool     // a delayedFrameMsg is pending
}

// delayedFrameMsg draws a delayed frame.
type delayedFrameMsg struct{}

// blank is the content of every view that Bubble Tea receives.
const blank = " "

// Program returns a program that runs m and draws its frames on the screen. After a pause, it draws a change
// immediately. During a burst of messages it limits the frame rate and skips frames, but always draws the last one.
// Without messages it uses no CPU.
func (s *Screen) Program(m tea.Model, opts ...tea.ProgramOption) *tea.Program {
	wrapped := &model{inner: m, screen: s}
	opts = append([]tea.ProgramOption{tea.WithOutput(s.output()), tea.WithFPS(modesPerSecond)}, opts...)
	wrapped.idle.program = tea.NewProgram(wrapped, opts...)
	return wrapped.idle.program
}

// Inner returns the model that Program received. m is the final model of the program.
func Inner(m tea.Model) tea.Model {
	if p, ok := m.(*model); ok {
		return p.inner
	}
	return m
}

// Init keeps the inner model's command until the terminal is known, so that the first frame comes first.
func (m *model) Init() tea.Cmd {
	m.initCmd = m.inner.Init()
	return nil
}

// Update updates the inner model and draws the result.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case idleMsg:
		return m, m.idle.stop(time.Now())
	case delayedFrameMsg:
		m.delayed = false
		if !m.stale {
			return m, nil
		}
		return m, m.draw()
	}
	m.observe(msg)
	var cmd tea.Cmd
	m.inner, cmd = m.inner.Update(msg)
	m.stale = true
	return m, tea.Batch(cmd, m.draw(), m.takeInitCmd(), m.idle.noteMessage(time.Now()))
}

func (m *model) takeInitCmd() tea.Cmd {
	if m.initCmd == nil || !m.screen.isConfigured() {
		return nil
	}
	cmd := m.initCmd
	m.initCmd = nil
	return cmd
}

func (m *model) observe(msg tea.Msg) {
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

func (m *model) draw() tea.Cmd {
	if !m.screen.isReady() {
		return nil // The message that completes the setup draws the first frame.
	}
	start := time.Now()
	if wait := m.pace.wait(start); wait > 0 {
		if m.delayed {
			return nil
		}
		m.delayed = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return delayedFrameMsg{} })
	}
	m.render()
	m.pace.noteFrame(start, time.Since(start))
	return nil
}

func (m *model) render() {
	v := m.inner.View()
	m.rendered, m.stale = true, false
	if v.AltScreen {
		m.screen.paint(frame{content: v.Content, cursor: v.Cursor})
		v.Content, v.Cursor = blank, nil
	}
	m.view = v
}

// View returns the last frame's modes for Bubble Tea, without the content.
func (m *model) View() tea.View {
	if !m.rendered {
		m.render()
	}
	return m.view
}

const (
	// burstInterval is the time between frames during a burst. It matches the frame time of a fast monitor.
	burstInterval = 8 * time.Millisecond
	// immediateFrames is the number of frames to draw immediately after a pause: for a key and its first results.
	immediateFrames = 3
)

// A pace decides when the next frame may be drawn. The zero pace draws immediately.
type pace struct {
	due time.Time // time of the next frame if no frame came early
}

func (p *pace) wait(now time.Time) time.Duration {
	return p.due.Add(-(immediateFrames - 1) * burstInterval).Sub(now)
}

// noteFrame schedules the next frame. After an expensive frame it leaves at least as much time for other work.
func (p *pace) noteFrame(start time.Time, took time.Duration) {
	if p.due.Before(start) {
		p.due = start
	}
	p.due = p.due.Add(max(burstInterval, 2*took))
}

// fixEmojiWidth fixes the position after emoji of several code points, which older terminals draw side by side. The
// next text overwrites the excess, and no line exceeds the margin.
func (s *Screen) fixEmojiWidth(y int) {
	for x := range s.width {
		c := s.cells.CellAt(x, y)
		if c == nil || c.Width < 1 || len(c.Content) < 2 || utf8.RuneCountInString(c.Content) < 2 {
			continue
		}
		next, oldWidth := x+c.Width, ansi.WcWidth.StringWidth(c.Content)
		if oldWidth == c.Width {
			continue
		}
		if x+oldWidth > s.width { // Otherwise the terminal would continue on the next line.
			c.Content = ansi.ResetModeAutoWrap + c.Content + ansi.SetModeAutoWrap
		}
		if next < s.width {
			c.Content += ansi.CursorHorizontalAbsolute(next + 1)
		}
	}
}

const (
	// modesPerSecond is the rate at which Bubble Tea writes changed modes, the window title and requests to the
	// terminal. It does not affect frames.
	modesPerSecond = 30
	// idleAfter is how long the ticker keeps running after the last message.
	idleAfter = 200 * time.Millisecond
)

// An idleTicker stops Bubble Tea's ticker while no messages arrive. Otherwise the ticker never stops and wakes an idle
// CPU 150 times a second: https://github.com/charmbracelet/bubbletea/pull/1796
type idleTicker struct {
	program *tea.Program // nil leaves the ticker running
	ticking bool         // the ticker is running, and an idleMsg is pending
	last    time.Time    // time of the last message
}

// idleMsg stops the ticker, unless another message arrived in the meantime.
type idleMsg struct{}

// noteMessage restarts the ticker. Call it in Update, because Bubble Tea replaces the ticker on the same goroutine.
func (r *idleTicker) noteMessage(now time.Time) tea.Cmd {
	r.last = now
	if r.ticking {
		return nil
	}
	t := tickerOf(r.program)
	if t == nil {
		return nil
	}
	r.ticking = true
	t.Reset(time.Second / modesPerSecond)
	return scheduleIdle(idleAfter)
}

func (r *idleTicker) stop(now time.Time) tea.Cmd {
	if wait := r.last.Add(idleAfter).Sub(now); wait > 0 {
		return scheduleIdle(wait)
	}
	r.ticking = false
	if t := tickerOf(r.program); t != nil {
		t.Stop()
	}
	return nil
}

func scheduleIdle(wait time.Duration) tea.Cmd {
	return tea.Tick(wait, func(time.Time) tea.Msg { return idleMsg{} })
}

// tickerOf returns Bubble Tea's unexported ticker. It returns nil if another version stores the ticker differently.
func tickerOf(p *tea.Program) *time.Ticker {
	if p == nil {
		return nil
	}
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(f.UnsafePointer())
}
