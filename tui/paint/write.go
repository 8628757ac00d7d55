package paint

import (
	"bytes"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/crash"
)

// writeWithin is how long a write is waited for. What comes after one that takes
// longer is kept until the terminal has taken it, and of frames only the last.
const writeWithin = 100 * time.Millisecond

var (
	enter  = []byte(ansi.SetModeAltScreenSaveCursor)
	leave  = []byte(ansi.ResetModeAltScreenSaveCursor)
	erase  = []byte(ansi.EraseEntireScreen)
	cursor = []byte("\x1b[?25")
)

// Write takes what Bubble Tea writes, whole sequences each time. What it erases
// is drawn again.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return len(p), nil
	}
	text, after := bytes.Clone(p), ""
	switch {
	case bytes.Contains(p, leave):
		s.alt = false
		after = pointer{}.dress(s.shown)
		s.shown = pointer{unknown: true}
	case bytes.Contains(p, enter) && s.alt: // It was entered here, ahead of Bubble Tea.
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, enter, nil), erase, nil)
		s.lose()
		after = s.changes()
	case bytes.Contains(p, enter):
		if !s.begun {
			close(s.first)
		}
		s.begun, s.alt = true, true
		after = s.whole()
	case s.alt && (bytes.Contains(p, erase) || bytes.Contains(p, cursor)):
		after = s.whole()
	default:
		s.lose()
	}
	if err := s.put(append(text, after...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// lose is for a cursor that may be anywhere, and hidden or not.
func (s *Screen) lose() {
	s.shown.unknown = true
	if s.scr != nil {
		s.scr.SetPosition(-1, -1)
	}
}

// send writes what the screen itself has to say.
func (s *Screen) send(text string) {
	if text == "" || s.closed {
		return
	}
	// A terminal that is gone is found out by who reads its keys, and by the signal
	// that its end sends.
	_ = s.put([]byte(text))
}

// put writes text after everything that was put before. It keeps text.
func (s *Screen) put(text []byte) error {
	if s.behind {
		s.backlog = append(s.backlog, text...)
		return nil
	}
	written := s.start(text)
	late := time.NewTimer(s.within)
	defer late.Stop()
	select {
	case err := <-written:
		return err
	case <-late.C:
		s.behind = true
		crash.Go("wait for the terminal", func() { s.catchUp(written) })
		return nil
	}
}

// start begins to write text, and tells how that ended.
func (s *Screen) start(text []byte) <-chan error {
	written := make(chan error, 1)
	crash.Go("write to the terminal", func() {
		_, err := s.out.Write(text)
		written <- err
	})
	return written
}

// catchUp writes what was put while the terminal took nothing.
func (s *Screen) catchUp(written <-chan error) {
	err := <-written
	for text := s.rest(err); len(text) > 0; text = s.rest(err) {
		_, err = s.out.Write(text)
	}
}

// rest is what is left to be written, with the last frame behind it; nothing when
// the terminal is no longer behind, or gone.
func (s *Screen) rest(err error) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.backlog
	s.backlog = nil
	if err != nil || s.closed {
		text = nil
	} else if s.alt {
		text = append(text, s.changes()...)
	}
	s.behind = len(text) > 0
	return text
}
