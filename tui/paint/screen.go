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

// A Screen is a terminal and its content. It is safe for concurrent use.
type Screen struct {
	out    io.Writer
	tty    term.File // out, nil when it is not a terminal
	before []line    // original states of the terminal

	mu      sync.Mutex
	closed  bool                 // all output is blocked
	alt     bool                 // the alternate screen is on
	begun   bool                 // it was on
	profile colorprofile.Profile // Unknown until Bubble Tea reports it
	sized   bool                 // the size is known
	width   int
	height  int
	sync    bool          // the terminal supports synchronized output
	within  time.Duration // limit of the wait for a write
	behind  bool          // a write exceeds it
	backlog []byte        // what to write when it ends

	cells uv.ScreenBuffer
	scr   *uv.TerminalRenderer // nil until the environment is known
	buf   bytes.Buffer         // what scr writes
	drawn []string             // the lines that the cells were drawn from
	frame frame                // the current one
	shown pointer              // the cursor on the terminal
}

// A frame is the content of the screen.
type frame struct {
	content string
	cursor  *tea.Cursor // nil hides it
}

// New returns the screen of the terminal out. Text is measured in grapheme clusters,
// and the terminal is asked to do the same. New records the state of in and out for
// Restore.
func New(in io.Reader, out io.Writer) *Screen {
	s := &Screen{out: out, within: writeWithin, cells: uv.NewScreenBuffer(0, 0)}
	s.cells.Method = ansi.GraphemeWidth
	if f, ok := out.(term.File); ok && term.IsTerminal(f.Fd()) {
		s.tty = f
	}
	s.before = lines(in, out)
	return s
}

// Frame returns the content of the last frame. ok is false before the first, while the
// terminal is behind, and while another program has it.
func (s *Screen) Frame() (content string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frame.content, s.alt && !s.closed && !s.behind && s.width > 0 && s.height > 0
}

func (s *Screen) output() io.Writer {
	if s.tty != nil {
		return terminal{s, s.tty}
	}
	return s
}

// A terminal is a Screen as term.File, which Bubble Tea needs to find the size.
type terminal struct {
	*Screen
	tty term.File
}

func (t terminal) Fd() uintptr                { return t.tty.Fd() }
func (t terminal) Read(p []byte) (int, error) { return t.tty.Read(p) }
func (t terminal) Close() error               { return t.tty.Close() }

func (s *Screen) setEnv(env []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scr = uv.NewTerminalRenderer(&s.buf, env)
	s.scr.SetColorProfile(s.profile)
	s.scr.SetFullscreen(true)
	// Bubble Tea makes a terminal raw; other outputs need carriage returns.
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
		s.forget() // The same cells have other colors now.
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
	s.forget() // Each terminal moves and wraps its content in its own way.
}

func (s *Screen) told() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scr != nil && s.profile != colorprofile.Unknown && s.sized
}

func (s *Screen) ready() bool { return s.told() && s.room() }

func (s *Screen) room() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width > 0 && s.height > 0
}

func (s *Screen) forget() {
	s.drawn, s.shown = nil, pointer{unknown: true}
	if s.scr != nil {
		s.scr.SetPosition(-1, -1)
		s.scr.Erase()
	}
}
