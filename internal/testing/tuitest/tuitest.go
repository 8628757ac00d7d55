// Package tuitest runs a Bubble Tea model in a real program against a terminal
// emulator, inside a testing/synctest bubble: keys, mouse and pastes go in as
// the bytes that a terminal sends, the screen comes out as a person would see
// it, and time is fake, so spinners, ticks and time-outs cost nothing.
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

// settleTime is how long a terminal's user waits before looking: several frames.
const settleTime = 100 * time.Millisecond

const (
	// hesitation is how long a user takes from looking to the next key, so that no
	// timer that a key starts ends in the very moment of a look.
	hesitation = time.Millisecond
	// escapeTime is how long the decoder waits for what may follow a lone escape:
	// twice its time-out.
	escapeTime = 100 * time.Millisecond
)

// afterlife is how much fake time commands get to end after the program: Bubble
// Tea leaves those that still run, and a bubble must not end before they do.
const afterlife = 25 * time.Hour

// patience bounds WaitFor in fake time.
const patience = 30 * time.Second

// Terminal is a running program with its screen and keyboard.
type Terminal struct {
	t       testing.TB
	emu     *vt.SafeEmulator
	screen  sync.Mutex // the emulator hands out its own cells: they are read while nothing is drawn
	paint   *paint.Screen
	profile colorprofile.Profile
	prog    *tea.Program
	input   *io.PipeWriter
	size    Size
	cursor  cursorState
	done    chan struct{} // closed when the program has ended
	drained chan struct{} // closed when the emulator's replies are drained
	final   tea.Model
	err     error
}

// Option changes how the terminal behaves.
type Option func(*config)

type config struct {
	profile colorprofile.Profile
	environ []string
	answers bool
}

// WithColour gives the terminal 24-bit colour; without it the program has none.
func WithColour() Option {
	return func(c *config) { c.profile = colorprofile.TrueColor }
}

// WithEnv adds variables ("NO_COLOR=1") to the program's environment.
func WithEnv(vars ...string) Option {
	return func(c *config) { c.environ = append(c.environ, vars...) }
}

// WithAnswers lets the terminal answer the program's queries (background
// colour, modes). Without it no query is answered, as in a pipe or over a slow
// line, and the program must do without.
func WithAnswers() Option {
	return func(c *config) { c.answers = true }
}

// New starts the model in a program on a terminal of the given size and lets it
// draw. It must be called inside synctest.Test and registers its own clean-up:
// the program is asked to quit and every goroutine is waited for.
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
	tt.emu.SetCallbacks(tt.cursor.callbacks())
	tt.paint, tt.profile = paint.New(in, rawOutput{tt}), c.profile
	tt.prog = tea.NewProgram(tt.paint.Model(model),
		tea.WithInput(in), tea.WithOutput(tt.paint.Output()), tea.WithWindowSize(size.W, size.H),
		tea.WithColorProfile(c.profile), tea.WithEnvironment(c.environ),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics())
	go tt.drain(c.answers)
	time.Sleep(hesitation)
	go func() {
		defer close(tt.done)
		final, err := tt.prog.Run()
		tt.final, tt.err = paint.Inner(final), errors.Join(err, tt.paint.Close())
	}()
	t.Cleanup(tt.close)
	tt.Advance(settleTime - hesitation)
	return tt
}

// drain reads what the terminal answers, so that it never blocks on an answer.
func (tt *Terminal) drain(answers bool) {
	defer close(tt.drained)
	to := io.Discard
	if answers {
		to = tt.input
	}
	// The copy ends with the emulator; a program that has gone takes no answer.
	_, _ = io.Copy(to, tt.emu)
}

// close ends the program and everything around it, in this order: an emulator
// that is closed first would block the program's last frame.
func (tt *Terminal) close() {
	tt.t.Helper()
	go tt.prog.Quit()
	select {
	case <-tt.done:
	case <-time.After(patience):
		tt.prog.Kill()
		<-tt.done
		tt.t.Errorf("the program did not end within %v of being asked to", patience)
	}
	if tt.err != nil {
		tt.t.Errorf("the program ended with: %v", tt.err)
	}
	_ = tt.input.Close()
	_ = tt.emu.Close()
	<-tt.drained
	time.Sleep(afterlife)
}

// rawOutput does what a terminal line in its usual mode does: without a tty
// Bubble Tea leaves turning "\n" into "\r\n" to the line discipline.
type rawOutput struct{ tt *Terminal }

func (o rawOutput) Write(p []byte) (int, error) {
	o.tt.screen.Lock()
	defer o.tt.screen.Unlock()
	if _, err := o.tt.emu.WriteString(emulator.Text(strings.ReplaceAll(string(p), "\n", "\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Settle lets the program work off what it was sent and draw.
func (tt *Terminal) Settle() { tt.Advance(settleTime) }

// Advance lets d of fake time pass.
func (tt *Terminal) Advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// Send gives the program a message, as a command's result would arrive.
func (tt *Terminal) Send(msg tea.Msg) {
	time.Sleep(hesitation)
	tt.prog.Send(msg)
	tt.Advance(settleTime - hesitation)
}

// Resize changes the size of the terminal and tells the program.
func (tt *Terminal) Resize(w, h int) {
	tt.size = Size{w, h}
	tt.emu.Resize(w, h)
	tt.Send(tea.WindowSizeMsg{Width: w, Height: h})
}

// Size is the terminal's present size.
func (tt *Terminal) Size() Size { return tt.size }

// Exited reports whether the program has ended, and with which model.
func (tt *Terminal) Exited() (tea.Model, bool) {
	select {
	case <-tt.done:
		return tt.final, true
	default:
		return nil, false
	}
}

// Screen is the text on the screen, a line each, without trailing blanks.
func (tt *Terminal) Screen() string {
	lines := make([]string, tt.size.H)
	for y := range lines {
		lines[y] = tt.Line(y)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Line is the text of line y without trailing blanks.
func (tt *Terminal) Line(y int) string {
	tt.screen.Lock()
	defer tt.screen.Unlock()
	return strings.TrimRight(rowText(tt.size.W, func(x int) *uv.Cell { return tt.emu.CellAt(x, y) }), " ")
}

// Styled is the screen with its colours as escape sequences.
func (tt *Terminal) Styled() string {
	tt.screen.Lock()
	defer tt.screen.Unlock()
	return tt.emu.Render()
}

// Cell is the cell at x, y: its content, width and style.
func (tt *Terminal) Cell(x, y int) uv.Cell {
	tt.screen.Lock()
	defer tt.screen.Unlock()
	if c := tt.emu.CellAt(x, y); c != nil {
		return *c
	}
	return uv.Cell{Content: " ", Width: 1}
}

// rowText joins cells to text; a wide character's second cell adds nothing.
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
