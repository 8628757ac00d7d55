package paint

import (
	"bytes"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest/emulator"
	"github.com/ddbdesk/ddbdesk/models"
)

// A stage is a screen that draws on an emulator.
type stage struct {
	*Screen
	emu  *vt.Emulator
	sent bytes.Buffer
	crlf bool
}

func (s *stage) Write(p []byte) (int, error) {
	s.sent.Write(p)
	text := string(p)
	if s.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	_, _ = s.emu.WriteString(emulator.Text(text))
	return len(p), nil
}

func newStage(term string, crlf bool, profile colorprofile.Profile, w, h int) *stage {
	s := &stage{emu: vt.NewEmulator(w, h), crlf: crlf}
	s.Screen = New(strings.NewReader(""), s)
	s.timeout = time.Minute // The emulator accepts all output, even on a busy machine.
	s.setEnv([]string{"TERM=" + term})
	s.renderer.SetMapNewline(crlf)
	s.setProfile(profile)
	s.resize(w, h)
	return s
}

// differs describes the first difference between the terminal and the frame, or returns "".
func (s *stage) differs(content string, p colorprofile.Profile) string {
	return emulator.Differs(s.emu.CellAt, s.emu.Width(), s.emu.Height(), content, p)
}

var (
	samples = hostile.Texts()
	styles  = []string{
		"", "", "", "\x1b[7m", "\x1b[1m", "\x1b[2m", "\x1b[4m", "\x1b[31m", "\x1b[48;5;236m",
		"\x1b[38;2;1;2;3;48;2;200;100;50m", "\x1b[1;7;34m", "\x1b[9m",
	}
	boxes = []string{
		"│", "─", "╭", "╯", "…", "•", "█", "▁", "日本", "한국어", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇧🇼", "👍🏽", "❤️", "1️⃣", "e\u0301",
		"ä\u0323", "กำ", "कि",
	}
)

// drawnText generates printable text of at most w cells.
func drawnText(t *rapid.T, w int) string {
	var text string
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		text = rapid.SampledFrom(samples).Draw(t, "sample").Text
	case 1:
		text = hostile.Generator().Draw(t, "text")
	case 2:
		text = strings.Join(rapid.SliceOfN(rapid.SampledFrom(boxes), 0, 8).Draw(t, "boxes"),
			rapid.SampledFrom([]string{"", " ", "x"}).Draw(t, "between"))
	case 3:
		text = strings.Repeat(rapid.SampledFrom([]string{" ", "─", "x", "日"}).Draw(t, "of"), rapid.IntRange(0, w).Draw(t, "n"))
	default:
		text = rapid.StringMatching(`[a-c ]{0,12}`).Draw(t, "plain")
	}
	return models.PrintableCell(text, w)
}

// drawnLine generates a line of w cells with pieces in different styles.
func drawnLine(t *rapid.T, w int) string {
	var b strings.Builder
	left := w
	for n := rapid.IntRange(0, 3).Draw(t, "pieces"); n > 0 && left > 0; n-- {
		text := drawnText(t, rapid.IntRange(0, left).Draw(t, "cells"))
		left -= ansi.StringWidth(text)
		b.WriteString(styled(t, text))
	}
	blank := strings.Repeat(" ", left)
	if left > 1 && rapid.Bool().Draw(t, "framed") {
		blank = blank[1:] + "│"
	}
	b.WriteString(styled(t, blank))
	return b.String()
}

func styled(t *rapid.T, text string) string {
	if s := rapid.SampledFrom(styles).Draw(t, "style"); s != "" {
		return s + text + "\x1b[m"
	}
	return text
}

// change generates a frame that could follow the one with lines.
func change(t *rapid.T, lines []string, w, h int) []string {
	next := append([]string(nil), lines...)
	newLine := func() string { return drawnLine(t, w) }
	if len(next) != h {
		next = nil
	}
	switch kind := rapid.IntRange(0, 9).Draw(t, "change"); {
	case next == nil || kind == 0:
		next = nil
		for range h {
			next = append(next, newLine())
		}
	case kind <= 2:
		from := rapid.IntRange(0, h-1).Draw(t, "from")
		to := rapid.IntRange(from, h-1).Draw(t, "to")
		for range rapid.IntRange(1, 3).Draw(t, "by") {
			if part := next[from : to+1]; kind == 1 {
				copy(part, part[1:])
				part[len(part)-1] = newLine()
			} else {
				copy(part[1:], part)
				part[0] = newLine()
			}
		}
	case kind == 3:
		next[rapid.IntRange(0, h-1).Draw(t, "line")] = strings.Repeat(" ", w)
	case kind == 4: // The same text gets another style.
		y := rapid.IntRange(0, h-1).Draw(t, "line")
		next[y] = styled(t, ansi.Strip(next[y]))
	case kind == 5: // The rest is cleared.
		for y := rapid.IntRange(0, h-1).Draw(t, "line"); y < h; y++ {
			next[y] = styled(t, strings.Repeat(" ", w))
		}
	case kind <= 7: // Text is inserted or deleted.
		y := rapid.IntRange(0, h-1).Draw(t, "line")
		text := strings.TrimRight(ansi.Strip(next[y]), " ")
		at, n := rapid.IntRange(0, w).Draw(t, "at"), rapid.IntRange(1, 3).Draw(t, "n")
		head, tail := ansi.Truncate(text, at, ""), ansi.TruncateLeft(text, at, "")
		if kind == 6 {
			tail = strings.Repeat("x", n) + tail
		} else {
			tail = ansi.TruncateLeft(tail, n, "")
		}
		text = models.Truncate(models.Printable(head+tail), w)
		next[y] = text + strings.Repeat(" ", w-ansi.StringWidth(text))
	default:
		for range rapid.IntRange(1, 2).Draw(t, "lines") {
			next[rapid.IntRange(0, h-1).Draw(t, "line")] = newLine()
		}
	}
	return next
}

func TestTerminalShowsTheLastFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 30).Draw(t, "w"), rapid.IntRange(1, 12).Draw(t, "h")
		profile := rapid.SampledFrom([]colorprofile.Profile{colorprofile.ASCII, colorprofile.TrueColor}).Draw(t, "profile")
		term := rapid.SampledFrom([]string{"xterm-256color", "kitty", "linux", "screen", "alacritty"}).Draw(t, "term")
		s := newStage(term, rapid.Bool().Draw(t, "crlf"), profile, w, h)
		s.setSync(rapid.Bool().Draw(t, "sync"))
		var lines []string
		for range rapid.IntRange(1, 12).Draw(t, "frames") {
			switch rapid.IntRange(0, 11).Draw(t, "before") {
			case 0:
				w, h = rapid.IntRange(1, 30).Draw(t, "w"), rapid.IntRange(1, 12).Draw(t, "h")
				s.emu.Resize(w, h)
				s.resize(w, h)
			case 1:
				_, _ = s.Screen.Write([]byte(ansi.SetWindowTitle("x")))
			case 2: // Another program has changed the screen.
				_, _ = s.emu.WriteString("\x1b[4;7;41mrubbish\x1b[1;2r\x1b[?6h\x1b[?7l")
				_, _ = s.Screen.Write([]byte(ansi.EraseEntireScreen))
			case 3:
				_, _ = s.Screen.Write([]byte(ansi.ResetModeAltScreenSaveCursor))
				_, _ = s.Screen.Write([]byte(ansi.SetModeAltScreenSaveCursor))
			}
			lines = change(t, lines, w, h)
			f := frame{content: strings.Join(lines, "\n")}
			// Some lines leave their style open.
			f.content = strings.Replace(f.content, "\x1b[m", "", max(rapid.IntRange(-6, 3).Draw(t, "open"), 0))
			if rapid.Bool().Draw(t, "cursor") {
				f.cursor = tea.NewCursor(rapid.IntRange(0, w-1).Draw(t, "x"), rapid.IntRange(0, h-1).Draw(t, "y"))
			}
			s.sent.Reset()
			s.paint(f)
			if at := s.differs(f.content, profile); at != "" {
				t.Fatalf("%s: %s\nframe %q\nsent %q", term, at, f.content, s.sent.String())
			}
			if c := f.cursor; c != nil {
				if p := s.emu.CursorPosition(); p.X != c.X || p.Y != c.Y {
					t.Fatalf("%s: the cursor is at %v, want %v", term, p, c.Position)
				}
			}
		}
	})
}
