// This file scrolls styled lines.

package widget

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// pagerStep is how many cells left and right scroll.
const pagerStep = 8

// Pager shows styled lines that were wrapped before, as many as fit. Its cost
// depends on the size of the screen, not on the number of lines.
type Pager struct {
	styles      *Styles
	lines       []string
	win         window
	w, h        int
	shift       int // cells that are scrolled out at the left
	left, right key.Binding
}

// unbroken stands for a hyphen while lines are broken. Printable text holds no
// private characters.
const unbroken = "\uE000"

// Wrap returns text as styled lines of at most w cells, broken between words
// where that is possible, for a Pager or a dialog's body. A hyphen is no place to
// break: dates and ids hold many. Line breaks in the text stay. Its cost depends
// on the length of the text.
func Wrap(s *Styles, r Role, text string, w int) []string {
	lines := wrapped(text, w)
	for i, line := range lines {
		lines[i] = s.Paint(r, line)
	}
	return lines
}

// wrapped breaks text into lines of at most w cells, at blanks where it can.
func wrapped(text string, w int) []string {
	if w <= 0 {
		return nil
	}
	text = strings.ReplaceAll(models.PrintableLines(text), "-", unbroken)
	lines := strings.Split(ansi.Wrap(text, w, ""), "\n")
	for i, line := range lines {
		lines[i] = models.Truncate(strings.ReplaceAll(line, unbroken, "-"), w)
	}
	return lines
}

// NewPager returns an empty pager.
func NewPager(s *Styles) *Pager {
	p := &Pager{
		styles: s, win: newWindow(),
		left:  key.NewBinding(key.WithKeys("left", "h"), key.WithHelp("←/h", "left")),
		right: key.NewBinding(key.WithKeys("right", "l"), key.WithHelp("→/l", "right")),
	}
	p.win.free = true
	return p
}

// SetStyles changes the theme of the scroll bar; the lines are the caller's.
func (p *Pager) SetStyles(s *Styles) { p.styles = s }

// SetLines replaces the lines. They are styled: data in them must have gone
// through Styles.Paint or models.Printable. The position is kept if it exists.
func (p *Pager) SetLines(lines []string) {
	p.lines = lines
	p.win.resize(len(lines), p.h)
}

// SetSize sets the rectangle.
func (p *Pager) SetSize(w, h int) {
	p.w, p.h = max(w, 0), max(h, 0)
	p.win.resize(len(p.lines), p.h)
}

// Top returns the first line on the screen.
func (p *Pager) Top() int { return p.win.top }

// ScrollTo brings a line to the top, as far as there are lines below it.
func (p *Pager) ScrollTo(line int) { p.win.to(line) }

// AtEnd reports whether the last line is on the screen.
func (p *Pager) AtEnd() bool { return p.win.top+p.h >= len(p.lines) }

// Update handles the keys that scroll, and the wheel.
func (p *Pager) Update(msg tea.Msg) bool {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(press, p.left):
			p.shift = max(p.shift-pagerStep, 0)
			return true
		case key.Matches(press, p.right):
			p.shift = min(p.shift+pagerStep, p.furthest())
			return true
		}
	}
	return p.win.update(msg)
}

// Wheel scrolls by one notch of the wheel, as a MouseWheelMsg does.
func (p *Pager) Wheel(up bool) { p.Update(wheelMsg(up)) }

// furthest is how far the widest line on the screen can be scrolled.
func (p *Pager) furthest() int {
	widest := 0
	for _, line := range p.seen() {
		widest = max(widest, ansi.StringWidth(line))
	}
	return max(widest-max(p.w-1, 0), 0)
}

func (p *Pager) seen() []string {
	return p.lines[p.win.top:min(p.win.top+p.h, len(p.lines))]
}

// View draws the lines on the screen and a scroll bar at the right edge.
func (p *Pager) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	from, to := p.win.thumb()
	seen := p.seen()
	var b strings.Builder
	for y := range p.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		line := ""
		if y < len(seen) {
			line = seen[y]
		}
		if p.shift > 0 {
			line = ansi.TruncateLeft(line, p.shift, "")
		}
		b.WriteString(fitStyled(line, p.w-1))
		writeThumb(&b, p.styles, y >= from && y < to)
	}
	return b.String()
}
