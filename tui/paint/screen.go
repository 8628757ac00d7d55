package paint

import (
	"bytes"
	"io"
	"runtime"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// A Screen is a terminal with what is drawn on it. It is safe for concurrent use.
type Screen struct {
	out    io.Writer
	tty    term.File // out, nil when it is none
	before []line    // of the terminal, as they were

	mu      sync.Mutex
	closed  bool                 // nothing is written any more
	alt     bool                 // the alternate screen is on
	begun   bool                 // it was on
	first   chan struct{}        // closed with the first frame
	profile colorprofile.Profile // Unknown until it is told
	sized   bool                 // the size is told
	width   int
	height  int
	sync    bool          // the terminal can hold a frame back until it is whole
	within  time.Duration // how long a write is waited for
	behind  bool          // a write takes longer
	backlog []byte        // what is to be written when it ends

	cells uv.ScreenBuffer
	scr   *uv.TerminalRenderer // nil until the environment is told
	buf   bytes.Buffer         // what scr writes
	drawn []string             // the lines that the cells were drawn from
	frame frame                // to be seen
	shown pointer              // the cursor that is seen
}

// A frame is what is to be seen.
type frame struct {
	content string
	cursor  *tea.Cursor // nil hides it
}

// New returns the terminal of out. Text is measured in grapheme clusters, and the
// terminal is asked to do so too. A program that ends in an unusual way leaves in
// and out as they are now, see Restore.
func New(in io.Reader, out io.Writer) *Screen {
	s := &Screen{out: out, first: make(chan struct{}), within: writeWithin, cells: uv.NewScreenBuffer(0, 0)}
	s.cells.Method = ansi.GraphemeWidth
	if f, ok := out.(term.File); ok && term.IsTerminal(f.Fd()) {
		s.tty = f
	}
	s.before = lines(in, out)
	return s
}

// Drawn is closed as soon as something is seen.
func (s *Screen) Drawn() <-chan struct{} { return s.first }

// Frame is the content that is seen, the last that was drawn; ok is false before the
// first, while the terminal is behind, and while another program has it.
func (s *Screen) Frame() (content string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frame.content, s.alt && !s.closed && !s.behind && s.width > 0 && s.height > 0
}

// Output is what Bubble Tea is to write to. It is a terminal when the screen is
// one.
func (s *Screen) Output() io.Writer {
	if s.tty != nil {
		return output{s, s.tty}
	}
	return s
}

// output is a Screen that is a term.File, as Bubble Tea needs it to be to find its
// size.
type output struct {
	*Screen
	tty term.File
}

func (o output) Fd() uintptr                { return o.tty.Fd() }
func (o output) Read(p []byte) (int, error) { return o.tty.Read(p) }
func (o output) Close() error               { return o.tty.Close() }

// setEnv takes the environment of the program, which names the terminal.
func (s *Screen) setEnv(env []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scr = uv.NewTerminalRenderer(&s.buf, env)
	s.scr.SetColorProfile(s.profile)
	s.scr.SetFullscreen(true)
	// Bubble Tea makes the terminal raw; what is none turns a newline into two.
	s.scr.SetMapNewline(s.tty == nil && runtime.GOOS != "windows")
	// Windows Terminal loses the cursor in scrolling regions:
	// https://github.com/microsoft/terminal/issues/19016
	s.scr.SetScrollOptim(runtime.GOOS != "windows")
	s.forget()
}

func (s *Screen) setProfile(p colorprofile.Profile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.profile = p; s.scr != nil {
		s.scr.SetColorProfile(p)
		s.forget() // The same cells have other colours now.
	}
}

func (s *Screen) setSync(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sync = on
}

func (s *Screen) resize(w, h int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sized, s.width, s.height = true, max(w, 0), max(h, 0)
	s.cells.Touched = nil
	s.cells.Resize(s.width, s.height)
	if s.scr != nil {
		s.scr.Resize(s.width, s.height)
	}
	s.forget() // Terminals move and wrap what was there, each in its own way.
}

// told reports whether everything is known of the terminal that Bubble Tea tells.
func (s *Screen) told() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scr != nil && s.profile != colorprofile.Unknown && s.sized
}

// ready reports whether enough is known to draw.
func (s *Screen) ready() bool { return s.told() && s.room() }

// room reports whether there is anything to draw on.
func (s *Screen) room() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width > 0 && s.height > 0
}

// forget makes the next frame draw every cell.
func (s *Screen) forget() {
	s.drawn, s.shown = nil, pointer{unknown: true}
	if s.scr != nil {
		s.scr.SetPosition(-1, -1)
		s.scr.Erase()
	}
}
