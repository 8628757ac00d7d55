package paint

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/ddbdesk/ddbdesk/internal/crash"
)

// writeTimeout is how long Write waits for the terminal. During a longer write, the screen buffers other output but
// keeps only the last frame.
const writeTimeout = 100 * time.Millisecond

var (
	enterAltScreen   = []byte(ansi.SetModeAltScreenSaveCursor)
	leaveAltScreen   = []byte(ansi.ResetModeAltScreenSaveCursor)
	eraseScreen      = []byte(ansi.EraseEntireScreen)
	cursorVisibility = []byte("\x1b[?25")
)

// Write writes Bubble Tea's output, which consists of whole escape sequences, and redraws the content that they erase.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return len(p), nil
	}
	text, redraw := bytes.Clone(p), ""
	switch {
	case bytes.Contains(p, leaveAltScreen):
		s.onAltScreen = false
		redraw = cursorState{}.styleSequence(s.shown)
		s.shown = cursorState{unknown: true}
	case bytes.Contains(p, enterAltScreen) && s.onAltScreen: // The screen entered it before Bubble Tea.
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, enterAltScreen, nil), eraseScreen, nil)
		s.invalidate()
		redraw = s.update()
	case bytes.Contains(p, enterAltScreen):
		s.wasAlt, s.onAltScreen = true, true
		redraw = s.fullRedraw()
	case s.onAltScreen && (bytes.Contains(p, eraseScreen) || bytes.Contains(p, cursorVisibility)):
		redraw = s.fullRedraw()
	default:
		s.invalidate()
	}
	if err := s.writeInOrder(append(text, redraw...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s *Screen) invalidate() {
	s.shown.unknown = true
	if s.renderer != nil {
		s.renderer.SetPosition(-1, -1)
	}
}

func (s *Screen) send(text string) {
	if text == "" || s.closed {
		return
	}
	// Ignore the error: the key reader or a signal reports that the terminal is gone.
	_ = s.writeInOrder([]byte(text))
}

// writeInOrder writes text after all earlier output. It retains text.
func (s *Screen) writeInOrder(text []byte) error {
	if s.stalled {
		s.backlog = append(s.backlog, text...)
		return nil
	}
	written := s.startWrite(text)
	timer := time.NewTimer(s.timeout)
	defer timer.Stop()
	select {
	case err := <-written:
		return err
	case <-timer.C:
		s.stalled = true
		crash.Go("wait for the terminal", func() { s.catchUp(written) })
		return nil
	}
}

func (s *Screen) startWrite(text []byte) <-chan error {
	written := make(chan error, 1)
	crash.Go("write to the terminal", func() {
		_, err := s.out.Write(text)
		written <- err
	})
	return written
}

func (s *Screen) catchUp(written <-chan error) {
	err := <-written
	for text := s.pendingOutput(err); len(text) > 0; text = s.pendingOutput(err) {
		_, err = s.out.Write(text)
	}
}

// pendingOutput returns the unwritten output, or nothing if the terminal caught up or is gone.
func (s *Screen) pendingOutput(err error) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.backlog
	s.backlog = nil
	if err != nil || s.closed {
		text = nil
	} else if s.onAltScreen {
		text = append(text, s.update()...)
	}
	s.stalled = len(text) > 0
	return text
}

// A terminalState is a terminal device with its original state.
type terminalState struct {
	fd    uintptr
	state *term.State
}

func terminalStates(files ...any) []terminalState {
	var list []terminalState
	for _, file := range files {
		f, ok := file.(interface{ Fd() uintptr })
		if !ok || !term.IsTerminal(f.Fd()) {
			continue
		}
		if state, err := term.GetState(f.Fd()); err == nil {
			list = append(list, terminalState{f.Fd(), state})
		}
	}
	return list
}

// restoreTimeout is the maximum wait for a hanging write. Restore may wait twice.
const restoreTimeout = 200 * time.Millisecond

// Restore returns the terminal to the state that New recorded, and blocks all further output. Use it if the program
// cannot continue. Any goroutine may call it, any number of times. It does nothing after Close.
func (s *Screen) Restore() error {
	for end := time.Now().Add(restoreTimeout); !s.mu.TryLock(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return errors.Join(s.resetTerminal(nil), s.restoreTerminals()) // A write hangs and holds the mutex.
		}
	}
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if !s.onAltScreen && !s.stalled {
		return s.restoreTerminals()
	}
	s.onAltScreen = false
	return errors.Join(s.resetTerminal(s.backlog), s.restoreTerminals())
}

// resetTerminal resets every mode. A blocked terminal receives the remaining output later if the program still runs.
func (s *Screen) resetTerminal(backlog []byte) error {
	written := s.startWrite(append(backlog, strings.Join([]string{
		ansi.ResetModeSynchronizedOutput, ansi.ResetStyle, ansi.SetModeAutoWrap,
		ansi.ResetModeMouseButtonEvent, ansi.ResetModeMouseAnyEvent, ansi.ResetModeMouseExtSgr,
		ansi.ResetModeFocusEvent, ansi.ResetModeBracketedPaste, ansi.ResetModeUnicodeCore,
		ansi.ResetModifyOtherKeys, ansi.PopKittyKeyboard(1), ansi.ResetModeAltScreenSaveCursor,
		ansi.SetCursorStyle(0), ansi.ResetCursorColor, ansi.SetModeTextCursorEnable, ansi.SetWindowTitle(""),
	}, "")...))
	select {
	case err := <-written:
		return err
	case <-time.After(restoreTimeout):
		return nil
	}
}

func (s *Screen) restoreTerminals() error {
	var err error
	for _, l := range s.originalStates {
		err = errors.Join(err, term.Restore(l.fd, l.state))
	}
	return err
}

// Close ends the screen after Bubble Tea released the terminal. If it did not, Close restores the terminal.
func (s *Screen) Close() error { return s.Restore() }
