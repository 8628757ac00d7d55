package paint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// A counter shows how many messages it received, and counts its views.
type counter struct{ received, views int }

func (c *counter) Init() tea.Cmd { return func() tea.Msg { return "begun" } }

func (c *counter) Update(tea.Msg) (tea.Model, tea.Cmd) {
	c.received++
	return c, nil
}

func (c *counter) View() tea.View {
	c.views++
	v := tea.NewView(fmt.Sprintf("took %d", c.received))
	v.AltScreen, v.WindowTitle = true, "a title"
	v.Cursor = tea.NewCursor(2, 0)
	return v
}

// configuredScreen starts c on a terminal of 20x3 cells that has already answered all queries.
func configuredScreen(t *testing.T, c *counter) (tea.Model, *Screen, *strings.Builder) {
	t.Helper()
	out := &strings.Builder{}
	s := New(nil, out)
	s.timeout = time.Minute
	var m tea.Model = &model{inner: c, screen: s}
	if m.Init() != nil {
		t.Error("the inner model started before the first frame")
	}
	var begin tea.Cmd
	for _, msg := range []tea.Msg{
		tea.WindowSizeMsg{Width: 20, Height: 3},
		tea.ColorProfileMsg{Profile: colorprofile.ASCII},
		tea.EnvMsg{"TERM=xterm-256color"},
	} {
		if out.Len() > 0 || begin != nil {
			t.Errorf("before the terminal reports its size: drew %q, started %v", out, begin != nil)
		}
		m, begin = m.Update(msg)
	}
	if begin == nil || begin() != "begun" {
		t.Error("the first frame did not start the inner model")
	}
	return m, s, out
}

func TestChangeIsDrawnInItsUpdate(t *testing.T) {
	c := &counter{}
	m, _, out := configuredScreen(t, c)
	if got := out.String(); !strings.HasPrefix(got, ansi.SetModeAltScreenSaveCursor) || !strings.Contains(got, "took 3") {
		t.Errorf("the first frame is %q", got)
	}
	out.Reset()
	m.Update(tea.KeyPressMsg{Code: 'x'})
	if got := out.String(); !strings.Contains(got, "4") || strings.Contains(got, "took") {
		t.Errorf("the change of one digit drew %q", got)
	}
	if v := m.View(); v.Content != blank || v.Cursor != nil || !v.AltScreen || v.WindowTitle != "a title" {
		t.Errorf("Bubble Tea received the view %+v", v)
	}
}

func TestKeyBurstIsDrawnOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		m, _, out := configuredScreen(t, c)
		views := c.views
		var delayed tea.Cmd
		for range 200 {
			_, cmd := m.Update(tea.KeyPressMsg{Code: 'x'})
			if cmd != nil && delayed != nil {
				t.Error("two delayed frames are pending")
			}
			if cmd != nil {
				delayed = cmd
			}
		}
		if made := c.views - views; made >= immediateFrames || delayed == nil {
			t.Fatalf("got %d views for 200 keys, delayed frame: %v", made, delayed != nil)
		}
		out.Reset()
		if _, second := m.Update(delayed()); second != nil || !strings.Contains(out.String(), "203") {
			t.Errorf("got last frame %q, delayed again: %v", out, second != nil)
		}
	})
}

func TestFrameRateIsLimited(t *testing.T) {
	var p pace
	now := time.Unix(1000, 0)
	for i := range immediateFrames {
		if w := p.wait(now); w > 0 {
			t.Errorf("frame %d waits %v, want no wait", i, w)
		}
		p.noteFrame(now, 0)
	}
	if w := p.wait(now); w != burstInterval {
		t.Errorf("a frame beyond the limit waits %v", w)
	}
	if w := p.wait(now.Add(burstInterval)); w > 0 {
		t.Errorf("after %v, the frame still waits %v", burstInterval, w)
	}
	p.noteFrame(now.Add(burstInterval), time.Second)
	if w := p.wait(now.Add(burstInterval + time.Second)); w < 900*time.Millisecond {
		t.Errorf("after a frame of one second, the next frame waits only %v", w)
	}
}

func TestErasedCellsAreRedrawn(t *testing.T) {
	_, s, out := configuredScreen(t, &counter{})
	write := func(text string) string {
		t.Helper()
		out.Reset()
		if n, err := s.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("Write() = %d, %v", n, err)
		}
		return out.String()
	}
	if got := write(ansi.SetModeAltScreenSaveCursor + ansi.EraseEntireScreen + "\x1b[>4;2m"); strings.Contains(got, "2J") ||
		strings.Contains(got, "1049") || !strings.Contains(got, "\x1b[>4;2m") {
		t.Errorf("a second entry wrote %q", got)
	}
	if got := write(ansi.EraseEntireScreen); !strings.HasPrefix(got, ansi.EraseEntireScreen) || !strings.Contains(got, "took 3") {
		t.Errorf("erasing wrote %q", got)
	}
	if got := write(ansi.SetWindowTitle("x")); got != ansi.SetWindowTitle("x") {
		t.Errorf("the title wrote %q", got)
	}
	if got := write(ansi.ResetModeAltScreenSaveCursor); !strings.HasPrefix(got, ansi.ResetModeAltScreenSaveCursor) ||
		strings.Contains(got, "took") {
		t.Errorf("leaving wrote %q", got)
	}
	out.Reset()
	if s.paint(frame{content: "behind the back"}); out.Len() > 0 {
		t.Errorf("paint wrote while another program used the terminal: %q", out)
	}
	if got := write(ansi.SetModeAltScreenSaveCursor); !strings.Contains(got, "behind the back") {
		t.Errorf("returning wrote %q", got)
	}
}

func TestRestoredTerminalIsNotDrawnTo(t *testing.T) {
	_, s, out := configuredScreen(t, &counter{})
	out.Reset()
	for range 2 {
		if err := s.Restore(); err != nil {
			t.Error(err)
		}
	}
	if got := out.String(); strings.Count(got, ansi.ResetModeAltScreenSaveCursor) != 1 ||
		!strings.Contains(got, ansi.SetModeTextCursorEnable) {
		t.Errorf("Restore wrote %q", got)
	}
	out.Reset()
	s.paint(frame{content: "late"})
	if _, err := s.Write([]byte("later")); err != nil || out.Len() > 0 {
		t.Errorf("got %v, and wrote %q after the end", err, out)
	}
}

func TestRestoreDoesNotWaitForStuckTerminal(t *testing.T) {
	_, s, out := configuredScreen(t, &counter{})
	out.Reset()
	s.mu.Lock() // This simulates a write that hangs.
	defer s.mu.Unlock()
	if err := s.Restore(); err != nil || !strings.Contains(out.String(), ansi.ResetModeAltScreenSaveCursor) {
		t.Errorf("got %v, and Restore wrote %q", err, out)
	}
}

// ticks reports whether the ticker ticks within a minute.
func ticks(p *tea.Program) bool {
	select {
	case <-tickerOf(p).C: // takes turns with the program
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
			t.Fatal("Bubble Tea no longer has a field ticker; check whether it now stops the ticker itself")
		}
		if ticks(p) {
			t.Error("the program ticks before the first message")
		}
		p.Send(tea.KeyReleaseMsg{})
		synctest.Wait()
		if !ticks(p) {
			t.Error("the program does not tick after a message")
		}
		time.Sleep(time.Second)
		if ticks(p) {
			t.Error("the program still ticks a second after a message")
		}
		l.received.Reset()
		p.Send(tea.Raw(ansi.SetWindowTitle("asked for"))())
		time.Sleep(time.Second)
		synctest.Wait()
		if got := l.text(); !strings.Contains(got, "asked for") {
			t.Errorf("a terminal request was not written after a pause: %q", got)
		}
		p.Quit()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_ = keys.Close()
	})
}

// columns prints output on a terminal that draws each code point in its own cell, as terminals without grapheme
// clusters do. It returns the columns of the marks and the rightmost column.
func columns(sent string) (marks []int, right int) {
	x, wraps := 0, true
	parser := ansi.NewParser()
	state := byte(0)
	for sent != "" {
		text, _, n, next := ansi.DecodeSequenceWc(sent, state, parser)
		switch {
		case text == "\r":
			x = 0
		case text == ansi.ResetModeAutoWrap || text == ansi.SetModeAutoWrap:
			wraps = text == ansi.SetModeAutoWrap
		case strings.HasPrefix(text, "\x1b["):
			switch ansi.Cmd(parser.Command()).Final() {
			case 'G':
				x, _ = parser.Param(0, 1)
				x--
			case 'H':
				x, _ = parser.Param(1, 1)
				x--
			case 'C':
				move, _ := parser.Param(0, 1)
				x += move
			}
		case text == "│":
			marks = append(marks, x)
			x++
		default:
			x += ansi.StringWidthWc(text)
			if !wraps {
				x = min(x, 20)
			}
		}
		right = max(right, x)
		sent, state = sent[n:], next
	}
	return marks, right
}

// If a terminal draws an emoji of several code points too wide, the text after it must still be in its column.
func TestColumnsAlignInOldTerminals(t *testing.T) {
	for _, text := range []string{"👨‍👩‍👧‍👦", "❤️", "1️⃣", "👍🏽", "🏳️‍🌈👩🏽‍🚀", "日本", "e\u0301", "plain"} {
		blanks := strings.Repeat(" ", 18-ansi.StringWidth(text))
		for _, line := range []string{"│" + text + blanks + "│", "│" + blanks + text + "│", "│" + blanks + "│" + text} {
			var out bytes.Buffer
			s := New(strings.NewReader(""), &out)
			s.setEnv([]string{"TERM=xterm-256color"})
			s.setProfile(colorprofile.ASCII)
			s.resize(20, 1)
			s.frame = frame{content: line}
			sent := s.update()
			marks, right := columns(sent)
			if len(marks) != 2 || marks[0] != 0 || marks[1] != ansi.StringWidth(line[:strings.LastIndex(line, "│")]) {
				t.Errorf("%s: the frame borders are in columns %v: %q", text, marks, sent)
			}
			if right > 20 {
				t.Errorf("%s: the line ends in column %d: %q", text, right, sent)
			}
		}
	}
}
