// Package tuitest runs a Bubble Tea model in a real program with a terminal emulator, inside a testing/synctest bubble.
// It sends keys, mouse and pastes as the bytes of a terminal, and tests read the screen that a user would see. Time is
// fake, so that spinners, ticks and timeouts take no time.
//
//	synctest.Test(t, func(t *testing.T) {
//		tt := tuitest.New(t, model, tuitest.Size{W: 80, H: 24})
//		tt.WaitFor("Patterns")
//		tt.Press("down", "enter")
//		tt.Type("client_1")
//		tt.Golden("form")
//	})
//
// Everything that New starts ends when the test does. Only tests import it.
package tuitest

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest/emulator"
	"github.com/ddbdesk/ddbdesk/tui/paint"
)

// Size is a terminal's size in cells.
type Size struct{ W, H int }

// settleTime is the wait before a test reads the screen: several frames.
const settleTime = 100 * time.Millisecond

const (
	// keyDelay separates a key from the last read of the screen, so that no timer of a key expires exactly when a
	// test reads the screen.
	keyDelay = time.Millisecond
	// escapeTime is twice the decoder's timeout for the rest of a sequence after escape.
	escapeTime = 100 * time.Millisecond
)

// drainTime is the fake time for commands to end after the program. Bubble Tea does not wait for running commands, but
// a bubble must not end before them.
const drainTime = 25 * time.Hour

// maxWait is the timeout of WaitFor in fake time.
const maxWait = 30 * time.Second

// A Terminal is a running program with its screen and keyboard.
type Terminal struct {
	t       testing.TB
	emu     *vt.SafeEmulator
	screen  sync.Mutex // no drawing while a test reads cells, because the emulator returns its own cells
	paint   *paint.Screen
	profile colorprofile.Profile
	prog    *tea.Program
	input   *io.PipeWriter
	size    Size
	cursor  cursorState
	done    chan struct{} // closed when the program has ended
	drained chan struct{} // closed when drain has ended
	final   tea.Model
	err     error
}

// An Option changes the behavior of the terminal.
type Option func(*config)

type config struct {
	profile colorprofile.Profile
	environ []string
}

// WithColor enables 24-bit color. By default, the program has no colors.
func WithColor() Option {
	return func(c *config) { c.profile = colorprofile.TrueColor }
}

// WithEnv adds variables ("NO_COLOR=1") to the program's environment.
func WithEnv(vars ...string) Option {
	return func(c *config) { c.environ = append(c.environ, vars...) }
}

// New starts the model in a program on a terminal of the given size, and waits for the first frame. Call it inside
// synctest.Test. At the end of the test, it stops the program and waits for all goroutines.
func New(t testing.TB, model tea.Model, size Size, opts ...Option) *Terminal {
	t.Helper()
	c := config{profile: colorprofile.ASCII, environ: []string{"TERM=xterm-256color"}}
	for _, opt := range opts {
		opt(&c)
	}
	in, input := io.Pipe()
	tt := &Terminal{
		t: t, emu: vt.NewSafeEmulator(size.W, size.H), input: input, size: size,
		done: make(chan struct{}), drained: make(chan struct{}),
	}
	tt.emu.SetScrollbackSize(1) // The console needs no scrollback, which would add megabytes to its memory.
	tt.emu.SetCallbacks(tt.cursor.callbacks())
	tt.paint, tt.profile = paint.New(in, rawOutput{tt}), c.profile
	tt.prog = tt.paint.Program(model,
		tea.WithInput(in), tea.WithWindowSize(size.W, size.H),
		tea.WithColorProfile(c.profile), tea.WithEnvironment(c.environ),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics())
	go tt.drain()
	time.Sleep(keyDelay)
	go func() {
		defer close(tt.done)
		final, err := tt.prog.Run()
		tt.final, tt.err = paint.Inner(final), errors.Join(err, tt.paint.Close())
	}()
	t.Cleanup(tt.close)
	tt.Advance(settleTime - keyDelay)
	return tt
}

// drain discards the terminal's replies, so that the terminal never blocks on one. The program receives none, as in a
// pipe.
func (tt *Terminal) drain() {
	defer close(tt.drained)
	_, _ = io.Copy(io.Discard, tt.emu) // ends with the emulator
}

// close ends the program first, because its last frame would block on a closed emulator.
func (tt *Terminal) close() {
	tt.t.Helper()
	go tt.prog.Quit()
	select {
	case <-tt.done:
	case <-time.After(maxWait):
		tt.prog.Kill()
		<-tt.done
		tt.t.Errorf("the program did not end within %v after the request to quit", maxWait)
	}
	if tt.err != nil {
		tt.t.Errorf("the program ended with %v", tt.err)
	}
	_ = tt.input.Close()
	_ = tt.emu.Close()
	<-tt.drained
	time.Sleep(drainTime)
}

// rawOutput turns \n into \r\n, as the line discipline of a terminal does. Bubble Tea relies on that without a TTY.
type rawOutput struct{ tt *Terminal }

func (o rawOutput) Write(p []byte) (int, error) {
	o.tt.screen.Lock()
	defer o.tt.screen.Unlock()
	if _, err := o.tt.emu.WriteString(emulator.Text(strings.ReplaceAll(string(p), "\n", "\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Settle waits until the program has processed its input and drawn.
func (tt *Terminal) Settle() { tt.Advance(settleTime) }

// Advance waits for d of fake time.
func (tt *Terminal) Advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// Send sends a message to the program, as a command would.
func (tt *Terminal) Send(msg tea.Msg) {
	time.Sleep(keyDelay)
	tt.prog.Send(msg)
	tt.Advance(settleTime - keyDelay)
}

// Resize changes the size of the terminal and notifies the program.
func (tt *Terminal) Resize(w, h int) {
	tt.size = Size{w, h}
	tt.emu.Resize(w, h)
	tt.Send(tea.WindowSizeMsg{Width: w, Height: h})
}

// Size returns the current size of the terminal.
func (tt *Terminal) Size() Size { return tt.size }

// Exited reports whether the program has ended, and returns its final model.
func (tt *Terminal) Exited() (tea.Model, bool) {
	select {
	case <-tt.done:
		return tt.final, true
	default:
		return nil, false
	}
}

// Screen returns the text on the screen without trailing spaces.
func (tt *Terminal) Screen() string {
	lines := make([]string, tt.size.H)
	for y := range lines {
		lines[y] = tt.Line(y)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Line returns the text of line y without trailing spaces.
func (tt *Terminal) Line(y int) string {
	tt.screen.Lock()
	defer tt.screen.Unlock()
	return strings.TrimRight(rowText(tt.size.W, func(x int) *uv.Cell { return tt.emu.CellAt(x, y) }), " ")
}

// Styled returns the screen with escape sequences for its colors.
func (tt *Terminal) Styled() string {
	tt.screen.Lock()
	defer tt.screen.Unlock()
	return tt.emu.Render()
}

// Cell returns the content, width and style of the cell at x, y.
func (tt *Terminal) Cell(x, y int) uv.Cell {
	tt.screen.Lock()
	defer tt.screen.Unlock()
	if c := tt.emu.CellAt(x, y); c != nil {
		return *c
	}
	return uv.Cell{Content: " ", Width: 1}
}

// rowText joins the text of cells, and skips the second cell of a wide character.
func rowText(w int, at func(x int) *uv.Cell) string {
	var b strings.Builder
	for x := 0; x < w; {
		c := at(x)
		if c == nil || c.Content == "" {
			b.WriteByte(' ')
			x++
			continue
		}
		b.WriteString(c.Content)
		x += max(c.Width, 1)
	}
	return b.String()
}

// cursorState records whether the cursor is visible; the program's goroutine writes it.
type cursorState struct {
	mu     sync.Mutex
	hidden bool
}

func (c *cursorState) callbacks() vt.Callbacks {
	return vt.Callbacks{CursorVisibility: func(visible bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.hidden = !visible
	}}
}

// Cursor returns the position of the terminal's cursor and whether it is visible.
func (tt *Terminal) Cursor() (x, y int, visible bool) {
	tt.cursor.mu.Lock()
	defer tt.cursor.mu.Unlock()
	pos := tt.emu.CursorPosition()
	return pos.X, pos.Y, !tt.cursor.hidden
}
