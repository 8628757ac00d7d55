package widget

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// pagerStep is the number of cells that left and right scroll.
const pagerStep = 8

// Pager shows styled lines that were wrapped before. The cost of a frame depends
// on the size of the screen, not on the number of lines.
type Pager struct {
	scroller
	lines       []string
	shift       int // cells scrolled out at the left
	left, right key.Binding

	more    string // note of Panel while lines follow
	subject any    // what Panel made the lines for, in made cells
	made    int
}

// unbroken replaces a hyphen while lines are wrapped. Printable text contains no
// private-use characters.
const unbroken = "\uE000"

// Wrap returns text as styled lines of at most w cells for a Pager or the body of
// a dialog. It breaks between words where possible, never after a hyphen: dates
// and IDs contain many. Line breaks in the text are kept.
func Wrap(s *Styles, r Role, text string, w int) []string {
	lines := wrapped(text, w)
	for i, line := range lines {
		lines[i] = s.Paint(r, line)
	}
	return lines
}

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
		scroller: newScroller(s), more: "more ↓",
		left:  key.NewBinding(key.WithKeys("left", "h"), key.WithHelp("←/h", "left")),
		right: key.NewBinding(key.WithKeys("right", "l"), key.WithHelp("→/l", "right")),
	}
	p.win.free = true
	p.source = pagerLines{p}
	return p
}

// SetLines replaces the lines. They are styled: data in them must have gone
// through Styles.Paint or models.Printable. The position is kept if it exists.
func (p *Pager) SetLines(lines []string) {
	p.lines = lines
	p.sync(1)
}

// SetStyles changes the theme. Panel makes its lines again.
func (p *Pager) SetStyles(s *Styles) {
	p.scroller.SetStyles(s)
	p.made = 0
}

// Again makes Panel make its lines again, although they are about the same subject. The position stays.
func (p *Pager) Again() { p.made = 0 }

// SetMore changes the note that Panel shows while lines follow, which names the key
// that scrolls where the pager does not have the focus.
func (p *Pager) SetMore(note string) { p.more = note }

// pagerLeast is the minimum width of the text in a panel, in cells.
const pagerLeast = 10

// Panel draws a text in a panel of w by h cells, with a blank cell at its left edge.
// lines is called with the width only when the subject, a comparable value, or the
// width changes; another subject starts at its first line. It sets the size of the pager, so
// call no SetSize for it.
func (p *Pager) Panel(panel Panel, w, h int, subject any, lines func(w int) []string) string {
	iw, ih := PanelInner(w, h)
	room := max(iw-2, pagerLeast)
	if subject != p.subject {
		p.win.top = 0
	}
	if subject != p.subject || room != p.made {
		p.subject, p.made, p.lines = subject, room, lines(room)
	}
	p.SetSize(iw-1, ih)
	if panel.Note == "" && !p.AtEnd() {
		panel.Note = p.more
	}
	return panel.Render(p.styles, Indent(p.View(), iw, ih), w, h)
}

// Top returns the first visible line.
func (p *Pager) Top() int { return p.win.top }

// ScrollTo scrolls a line to the top, as far as enough lines follow it. A line out of range is
// moved to the nearest position.
func (p *Pager) ScrollTo(line int) { p.win.to(line) }

// AtEnd reports whether the last line is visible.
func (p *Pager) AtEnd() bool { return p.win.top+p.h >= len(p.lines) }

// Update handles the keys that scroll, and the mouse wheel.
func (p *Pager) Update(msg tea.Msg) bool {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(press, p.left):
			p.shift = max(p.shift-pagerStep, 0)
			return true
		case key.Matches(press, p.right):
			p.shift = min(p.shift+pagerStep, p.maxShift())
			return true
		}
	}
	return p.scroller.Update(msg)
}

func (p *Pager) maxShift() int {
	widest := 0
	for _, line := range p.lines[p.win.top:min(p.win.top+p.h, len(p.lines))] {
		widest = max(widest, models.Width(line))
	}
	return max(widest-max(p.w-1, 0), 0)
}

// pagerLines are the lines of a Pager, scrolled sideways.
type pagerLines struct{ p *Pager }

func (l pagerLines) Len() int      { return len(l.p.lines) }
func (l pagerLines) Skip(int) bool { return false }

func (l pagerLines) Line(i int, _ Surface, w int) string {
	line := l.p.lines[i]
	if l.p.shift > 0 {
		line = ansi.TruncateLeft(line, l.p.shift, "")
	}
	return fitStyled(line, w)
}
