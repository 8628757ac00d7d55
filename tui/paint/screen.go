package paint

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// A Screen is a terminal with its current content. It is safe for concurrent use.
type Screen struct {
	out            io.Writer
	tty            term.File       // out, or nil if it is not a terminal
	originalStates []terminalState // original terminal states

	mu          sync.Mutex
	closed      bool                 // all output is blocked
	onAltScreen bool                 // the alternate screen is on
	wasAlt      bool                 // the alternate screen has been on before
	profile     colorprofile.Profile // Unknown until Bubble Tea reports it
	hasSize     bool                 // the size is known
	width       int
	height      int
	hasSync     bool          // the terminal supports synchronized output
	timeout     time.Duration // maximum wait for one write
	stalled     bool          // a write takes longer than timeout
	backlog     []byte        // output to write after that write

	cells    uv.ScreenBuffer
	renderer *uv.TerminalRenderer // nil until the environment is known
	buf      bytes.Buffer         // output of renderer
	drawn    []string             // lines that the cells show
	frame    frame                // current frame
	shown    cursorState          // cursor as the terminal shows it
}

// A frame is the content of the screen.
type frame struct {
	content string
	cursor  *tea.Cursor // nil hides it
}

// New returns a screen that draws on the terminal out. It measures text in grapheme clusters and asks the terminal to
// do the same. It records the states of in and out for Restore.
func New(in io.Reader, out io.Writer) *Screen {
	s := &Screen{out: out, timeout: writeTimeout, cells: uv.NewScreenBuffer(0, 0)}
	s.cells.Method = ansi.GraphemeWidth
	if f, ok := out.(term.File); ok && term.IsTerminal(f.Fd()) {
		s.tty = f
	}
	s.originalStates = terminalStates(in, out)
	return s
}

func (s *Screen) output() io.Writer {
	if s.tty != nil {
		return terminal{s, s.tty}
	}
	return s
}

// A terminal is a Screen that implements term.File, which Bubble Tea needs to determine the size.
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
	s.renderer = uv.NewTerminalRenderer(&s.buf, env)
	s.renderer.SetColorProfile(s.profile)
	s.renderer.SetFullscreen(true)
	// Bubble Tea puts a terminal into raw mode; other outputs need carriage returns.
	s.renderer.SetMapNewline(s.tty == nil && runtime.GOOS != "windows")
	// Windows Terminal loses the cursor in scrolling regions:
	// https://github.com/microsoft/terminal/issues/19016
	s.renderer.SetScrollOptim(runtime.GOOS != "windows")
	s.resetContent()
}

func (s *Screen) setProfile(p colorprofile.Profile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.profile = p; s.renderer != nil {
		s.renderer.SetColorProfile(p)
		s.resetContent() // The same cells now have different colors.
	}
}

func (s *Screen) setSync(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hasSync = on
}

func (s *Screen) resize(w, h int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hasSize, s.width, s.height = true, max(w, 0), max(h, 0)
	s.cells.Touched = nil
	s.cells.Resize(s.width, s.height)
	if s.renderer != nil {
		s.renderer.Resize(s.width, s.height)
	}
	s.resetContent() // Terminals differ in how they move and wrap content.
}

func (s *Screen) isConfigured() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.renderer != nil && s.profile != colorprofile.Unknown && s.hasSize
}

func (s *Screen) isReady() bool { return s.isConfigured() && s.hasRoom() }

func (s *Screen) hasRoom() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width > 0 && s.height > 0
}

func (s *Screen) resetContent() {
	s.drawn, s.shown = nil, cursorState{unknown: true}
	if s.renderer != nil {
		s.renderer.SetPosition(-1, -1)
		s.renderer.Erase()
	}
}

// A cursorState is the state of the terminal cursor.
type cursorState struct {
	unknown bool // another program may have changed it
	visible bool
	style   int    // parameter of DECSCUSR
	color   string // #rrggbb, "" for the terminal's default
}

func cursorStateOf(c *tea.Cursor) cursorState {
	if c == nil {
		return cursorState{}
	}
	p := cursorState{visible: true, style: int(c.Shape)*2 + 1}
	if !c.Blink {
		p.style++
	}
	if c.Color != nil {
		p.color = hex(c.Color)
	}
	return p
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func (c cursorState) styleSequence(old cursorState) string {
	var b strings.Builder
	if old.style != c.style {
		b.WriteString(ansi.SetCursorStyle(c.style))
	}
	switch {
	case old.color == c.color:
	case c.color == "":
		b.WriteString(ansi.ResetCursorColor)
	default:
		b.WriteString(ansi.SetCursorColor(c.color))
	}
	return b.String()
}

func (s *Screen) paint(f frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame = f
	if s.wasAlt && !s.onAltScreen || s.renderer == nil {
		return // Another program uses the terminal, or Restore was called.
	}
	if !s.wasAlt { // Bubble Tea would enter the alternate screen only at its next tick.
		s.wasAlt, s.onAltScreen = true, true
		s.send(ansi.SetModeAltScreenSaveCursor + s.fullRedraw())
		return
	}
	if !s.stalled { // Otherwise catchUp draws the frame later.
		s.send(s.update())
	}
}

// resetState resets the state that the renderer relies on. Other programs may leave colors, margins and modes behind.
var resetState = ansi.ResetStyle + ansi.ResetModeOrigin + "\x1b[r" + ansi.ResetModeInsertReplace + ansi.SetModeAutoWrap

func (s *Screen) fullRedraw() string {
	s.resetContent()
	return resetState + ansi.SetModeUnicodeCore + s.update()
}

func (s *Screen) update() string {
	if s.renderer == nil || s.width == 0 || s.height == 0 {
		return ""
	}
	if s.fillCells() {
		s.renderer.Render(s.cells.RenderBuffer)
	}
	if c := s.frame.cursor; c != nil {
		s.renderer.MoveTo(min(max(c.X, 0), s.width-1), min(max(c.Y, 0), s.height-1))
	}
	_ = s.renderer.Flush() // Writing to a buffer cannot fail.
	cells := s.buf.String()
	s.buf.Reset()
	old, cursor := s.shown, cursorStateOf(s.frame.cursor)
	s.shown = cursor
	return s.wrap(cells, old, cursor)
}

// wrap makes the update atomic with synchronized output, if the terminal supports it.
func (s *Screen) wrap(cells string, old, cursor cursorState) string {
	var b strings.Builder
	style := cursor.styleSequence(old)
	hide := !cursor.visible && (old.visible || old.unknown)
	show := cursor.visible && (!old.visible || old.unknown)
	if !s.hasSync && cells != "" && cursor.visible && !show {
		hide, show = true, true
	}
	if s.hasSync && cells != "" {
		b.WriteString(ansi.SetModeSynchronizedOutput)
	}
	if hide {
		b.WriteString(ansi.ResetModeTextCursorEnable)
	}
	b.WriteString(style)
	b.WriteString(cells)
	if show {
		b.WriteString(ansi.SetModeTextCursorEnable)
	}
	if s.hasSync && cells != "" {
		b.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	return b.String()
}

func (s *Screen) fillCells() bool {
	lines := strings.Split(s.frame.content, "\n")
	for len(lines) < s.height {
		lines = append(lines, "")
	}
	lines = lines[:s.height]
	if slices.Equal(lines, s.drawn) {
		return false
	}
	if !hasClosedStyles(lines) {
		s.drawn = nil
		s.cells.Clear()
		uv.NewStyledString(s.frame.content).Draw(s.cells, s.cells.Bounds())
		for y := range s.height {
			s.fixEmojiWidth(y)
		}
		return true
	}
	for y, line := range lines {
		// The renderer may scroll any line, so it must compare all lines.
		s.cells.TouchLine(0, y, s.width)
		if s.drawn == nil || s.drawn[y] != line {
			uv.NewStyledString(line).Draw(s.cells, uv.Rect(0, y, s.width, 1))
			s.fixEmojiWidth(y)
		}
	}
	s.drawn = lines
	return true
}

// hasClosedStyles reports whether every line resets its style. Only then can the screen draw each line separately.
func hasClosedStyles(lines []string) bool {
	for _, line := range lines {
		last := strings.LastIndexByte(line, '\x1b')
		if last < 0 {
			continue
		}
		if rest := line[last+1:]; !strings.HasPrefix(rest, "[m") && !strings.HasPrefix(rest, "[0m") {
			return false
		}
	}
	return true
}
