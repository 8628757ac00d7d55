package paint

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
	"github.com/charmbracelet/x/ansi"
)

// slowLine is a terminal on a connection that can hang.
type slowLine struct {
	turn     chan struct{} // a write holds it; a mutex would stop the fake time
	mu       sync.Mutex
	received strings.Builder
	resume   chan struct{} // closed when the connection continues
}

func (l *slowLine) Write(p []byte) (int, error) {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.mu.Lock()
	hangs := l.resume
	l.mu.Unlock()
	if hangs != nil {
		<-hangs
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.received.Write(p)
}

func (l *slowLine) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.received.String()
}

func TestUnresponsiveTerminalDoesNotBlockProgram(t *testing.T) {
	for _, recovers := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l := &slowLine{turn: make(chan struct{}, 1)}
			in, keys := io.Pipe()
			s := New(in, l)
			c := &counter{}
			p := s.Program(c, tea.WithInput(in), tea.WithWindowSize(20, 3),
				tea.WithColorProfile(colorprofile.ASCII), tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithoutSignalHandler())
			ended := make(chan error)
			go func() {
				_, err := p.Run()
				ended <- errors.Join(err, s.Close())
			}()
			time.Sleep(time.Second)
			synctest.Wait()
			if !strings.Contains(l.text(), "took ") {
				t.Fatalf("the first frame is missing: %q", l.text())
			}
			hangs := make(chan struct{})
			l.mu.Lock()
			l.resume = hangs
			l.received.Reset()
			l.mu.Unlock()
			for range 100 {
				p.Send(tea.KeyReleaseMsg{})
				time.Sleep(10 * time.Millisecond)
			}
			synctest.Wait()
			if c.received < 100 {
				t.Errorf("the program handled only %d messages while the terminal hung", c.received)
			}
			if recovers {
				close(hangs)
				time.Sleep(time.Second)
				synctest.Wait()
				if got := l.text(); strings.Count(got, ansi.ResetModeTextCursorEnable) > 4 {
					t.Errorf("the program draws outdated frames: %q", got)
				}
				if content, ok := s.Frame(); !ok || !strings.Contains(content, "took 1") {
					t.Errorf("after the terminal continues, the frame is %q, found: %v", content, ok)
				}
			}
			start := time.Now()
			p.Quit()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("quitting took %v, want at most 1s", took)
			}
			if !recovers {
				close(hangs)
			}
			_ = keys.Close()
			synctest.Wait()
			if got := l.text(); !strings.Contains(got, ansi.ResetModeAltScreenSaveCursor) {
				t.Errorf("the program did not restore the terminal: %q", got)
			}
		})
	}
}

// Frame returns the content of the last frame. ok is false before the first frame, while a write is late, and while
// another program uses the terminal.
func (s *Screen) Frame() (content string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frame.content, s.onAltScreen && !s.closed && !s.stalled && s.width > 0 && s.height > 0
}
