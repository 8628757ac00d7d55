package paint

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// ticks reports whether the ticker ticks within a minute.
func ticks(p *tea.Program) bool {
	select {
	case <-tickerOf(p).C: // in turns with the program
		return true
	case <-time.After(time.Minute):
		return false
	}
}

func TestIdleProgramDoesNotTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &slowLine{turn: make(chan struct{}, 1)}
		in, keys := io.Pipe()
		s := New(in, l)
		p := s.Program(&counter{}, tea.WithInput(in), tea.WithWindowSize(20, 3), tea.WithColorProfile(colorprofile.ASCII),
			tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithoutSignalHandler())
		ended := make(chan error)
		go func() {
			_, err := p.Run()
			ended <- errors.Join(err, s.Close())
		}()
		time.Sleep(time.Second)
		synctest.Wait()
		if tickerOf(p) == nil {
			t.Fatal("Bubble Tea has no field ticker any more: see whether it rests by itself now")
		}
		if ticks(p) {
			t.Error("the program ticks without a message")
		}
		p.Send(tea.KeyReleaseMsg{})
		synctest.Wait()
		if !ticks(p) {
			t.Error("the program does not tick after a message")
		}
		time.Sleep(time.Second)
		if ticks(p) {
			t.Error("the program ticks a second after a message")
		}
		l.took.Reset()
		p.Send(tea.Raw(ansi.SetWindowTitle("asked for"))())
		time.Sleep(time.Second)
		synctest.Wait()
		if got := l.text(); !strings.Contains(got, "asked for") {
			t.Errorf("a request to the terminal is not written after a rest: %q", got)
		}
		p.Quit()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_ = keys.Close()
	})
}
