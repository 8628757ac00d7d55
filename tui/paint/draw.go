package paint

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// A pointer is the state of the terminal's cursor.
type pointer struct {
	unknown bool // another program may have changed it
	visible bool
	style   int    // of DECSCUSR
	colour  string // #rrggbb, "" for the terminal's default
}

func pointerOf(c *tea.Cursor) pointer {
	if c == nil {
		return pointer{}
	}
	p := pointer{visible: true, style: int(c.Shape)*2 + 1}
	if !c.Blink {
		p.style++
	}
	if c.Color != nil {
		p.colour = hex(c.Color)
	}
	return p
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func (p pointer) styled(old pointer) string {
	var b strings.Builder
	if old.style != p.style {
		b.WriteString(ansi.SetCursorStyle(p.style))
	}
	switch {
	case old.colour == p.colour:
	case p.colour == "":
		b.WriteString(ansi.ResetCursorColor)
	default:
		b.WriteString(ansi.SetCursorColor(p.colour))
	}
	return b.String()
}

func (s *Screen) paint(f frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame = f
	if s.begun && !s.alt || s.scr == nil {
		return // Another program has the terminal, or it was restored.
	}
	if !s.begun { // Bubble Tea would enter it with its next tick.
		s.begun, s.alt = true, true
		s.send(ansi.SetModeAltScreenSaveCursor + s.whole())
		return
	}
	if !s.behind { // Otherwise the last frame is drawn later.
		s.send(s.changes())
	}
}

// plain resets the terminal to the state that the renderer assumes. Other programs
// leave colors, margins and modes behind.
var plain = ansi.ResetStyle + ansi.ResetModeOrigin + "\x1b[r" + ansi.ResetModeInsertReplace + ansi.SetModeAutoWrap

func (s *Screen) whole() string {
	s.forget()
	return plain + ansi.SetModeUnicodeCore + s.changes()
}

func (s *Screen) changes() string {
	if s.scr == nil || s.width == 0 || s.height == 0 {
		return ""
	}
	if s.fill() {
		s.scr.Render(s.cells.RenderBuffer)
	}
	if c := s.frame.cursor; c != nil {
		s.scr.MoveTo(min(max(c.X, 0), s.width-1), min(max(c.Y, 0), s.height-1))
	}
	_ = s.scr.Flush() // Writing to a buffer cannot fail.
	cells := s.buf.String()
	s.buf.Reset()
	old, p := s.shown, pointerOf(s.frame.cursor)
	s.shown = p
	return s.wrap(cells, old, p)
}

// wrap prevents half a frame from being shown where the terminal supports that.
func (s *Screen) wrap(cells string, old, p pointer) string {
	var b strings.Builder
	dress := p.styled(old)
	hide := !p.visible && (old.visible || old.unknown)
	show := p.visible && (!old.visible || old.unknown)
	if !s.sync && cells != "" && p.visible && !show {
		hide, show = true, true
	}
	if s.sync && cells != "" {
		b.WriteString(ansi.SetModeSynchronizedOutput)
	}
	if hide {
		b.WriteString(ansi.ResetModeTextCursorEnable)
	}
	b.WriteString(dress)
	b.WriteString(cells)
	if show {
		b.WriteString(ansi.SetModeTextCursorEnable)
	}
	if s.sync && cells != "" {
		b.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	return b.String()
}

func (s *Screen) fill() bool {
	lines := strings.Split(s.frame.content, "\n")
	for len(lines) < s.height {
		lines = append(lines, "")
	}
	lines = lines[:s.height]
	if slices.Equal(lines, s.drawn) {
		return false
	}
	if !closed(lines) {
		s.drawn = nil
		s.cells.Clear()
		uv.NewStyledString(s.frame.content).Draw(s.cells, s.cells.Bounds())
		for y := range s.height {
			s.anchor(y)
		}
		return true
	}
	for y, line := range lines {
		// The renderer may scroll any line, so it compares all of them.
		s.cells.TouchLine(0, y, s.width)
		if s.drawn == nil || s.drawn[y] != line {
			uv.NewStyledString(line).Draw(s.cells, uv.Rect(0, y, s.width, 1))
			s.anchor(y)
		}
	}
	s.drawn = lines
	return true
}

// closed reports whether every line resets its style, so that each can be drawn by itself.
func closed(lines []string) bool {
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
