package paint

import (
	"errors"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// A line is a terminal line with its original state.
type line struct {
	fd    uintptr
	state *term.State
}

func lines(ends ...any) []line {
	var list []line
	for _, end := range ends {
		f, ok := end.(interface{ Fd() uintptr })
		if !ok || !term.IsTerminal(f.Fd()) {
			continue
		}
		if state, err := term.GetState(f.Fd()); err == nil {
			list = append(list, line{f.Fd(), state})
		}
	}
	return list
}

// restoreWithin is how long Restore waits for writes that hang, in each of two places.
const restoreWithin = 200 * time.Millisecond

// Restore returns the terminal to the state that New found, and blocks all further
// output. It is for a program that cannot continue: any goroutine may call it, any
// number of times. After Close it does nothing.
func (s *Screen) Restore() error {
	for end := time.Now().Add(restoreWithin); !s.mu.TryLock(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return errors.Join(s.leave(nil), s.cook()) // The write hangs.
		}
	}
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if !s.alt && !s.behind {
		return s.cook()
	}
	s.alt = false
	return errors.Join(s.leave(s.backlog), s.cook())
}

// leave resets every mode that may be set. A terminal that blocks receives the rest later, if the program still runs
// then.
func (s *Screen) leave(backlog []byte) error {
	written := s.start(append(backlog, strings.Join([]string{
		ansi.ResetModeSynchronizedOutput, ansi.ResetStyle, ansi.SetModeAutoWrap,
		ansi.ResetModeMouseButtonEvent, ansi.ResetModeMouseAnyEvent, ansi.ResetModeMouseExtSgr,
		ansi.ResetModeFocusEvent, ansi.ResetModeBracketedPaste, ansi.ResetModeUnicodeCore,
		ansi.ResetModifyOtherKeys, ansi.PopKittyKeyboard(1), ansi.ResetModeAltScreenSaveCursor,
		ansi.SetCursorStyle(0), ansi.ResetCursorColor, ansi.SetModeTextCursorEnable, ansi.SetWindowTitle(""),
	}, "")...))
	select {
	case err := <-written:
		return err
	case <-time.After(restoreWithin):
		return nil
	}
}

func (s *Screen) cook() error {
	var err error
	for _, l := range s.before {
		err = errors.Join(err, term.Restore(l.fd, l.state))
	}
	return err
}

// Close ends the screen after Bubble Tea has released the terminal. If it did not, the
// terminal is restored.
func (s *Screen) Close() error { return s.Restore() }
