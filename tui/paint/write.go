// This file is where everything passes that is written to the terminal.

package paint

import (
	"bytes"

	"github.com/charmbracelet/x/ansi"
)

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
	text, after := p, ""
	switch {
	case bytes.Contains(p, leave):
		s.alt = false
		after = pointer{}.dress(s.shown)
		s.shown = pointer{unknown: true}
	case bytes.Contains(p, enter) && s.alt: // It was entered here, ahead of Bubble Tea.
		text = bytes.ReplaceAll(bytes.ReplaceAll(p, enter, nil), erase, nil)
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
	if after != "" {
		text = append(bytes.Clone(text), after...)
	}
	if _, err := s.out.Write(text); err != nil {
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
	_, _ = s.out.Write([]byte(text))
}
