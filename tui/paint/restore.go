package paint

import (
	"errors"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// A line is a terminal line with the state that it was found in.
type line struct {
	fd    uintptr
	state *term.State
}

// lines returns the states of those that are terminals.
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

// restoreWithin is how long Restore waits for writes that do not end, at each of
// two places.
const restoreWithin = 200 * time.Millisecond

// Restore gives the terminal back as it was found by New, and lets nothing be
// written to it any more. It is for a program that cannot go on: it can be called
// from any goroutine, any number of times, and also after an orderly end, when it
// does nothing.
func (s *Screen) Restore() error {
	for end := time.Now().Add(restoreWithin); !s.mu.TryLock(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return errors.Join(s.leave(nil), s.cook()) // Whoever writes there does not come back.
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

// leave writes what is left, and leaves every mode that may be on; what is off is
// not changed by that. A terminal that takes nothing gets it when it does again, if
// the program lives until then.
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

// cook puts the terminal lines into the states that they were found in.
func (s *Screen) cook() error {
	var err error
	for _, l := range s.before {
		err = errors.Join(err, term.Restore(l.fd, l.state))
	}
	return err
}

// Close is the end of the program in good order, after Bubble Tea has given the
// terminal back. Where it did not come to that, the terminal is restored.
func (s *Screen) Close() error { return s.Restore() }
