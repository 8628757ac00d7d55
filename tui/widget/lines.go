package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// A LineSource supplies the lines of a scrolling widget. The widget calls Line only for visible lines, so the cost of a
// frame does not depend on Len. A cache of lines must consider the surface, which changes with the cursor.
type LineSource interface {
	Len() int
	// Line draws line i in exactly w cells on a surface; see Strip.
	Line(i int, on Surface, w int) string
	// Skip reports whether the cursor skips line i, because it is a heading or a blank line.
	Skip(i int) bool
}

// A scroller draws the visible lines of a source with a scroll bar. It moves a cursor or, if win.free is set, the text
// itself. Lines, Fields, Pager, List and Grid are built on it.
type scroller struct {
	styles  *Styles
	source  LineSource
	win     window
	w, h    int // size; for a List, without the filter line
	focused bool
}

func newScroller(s *Styles) scroller { return scroller{styles: s, focused: true} }

func (v *scroller) SetStyles(s *Styles) { v.styles = s }

func (v *scroller) SetFocused(on bool) { v.focused = on }

func (v *scroller) SetSize(w, h int) {
	v.w, v.h = max(w, 0), max(h, 0)
	v.syncCursor(1)
}

func (v *scroller) Update(msg tea.Msg) bool {
	v.syncCursor(1) // The source may have grown.
	before := v.win.cursor
	used := v.win.update(msg)
	if used {
		v.skipHeadings(before)
	}
	return used
}

func (v *scroller) skipHeadings(before int) {
	if v.win.cursor < before {
		v.syncCursor(-1)
	} else {
		v.syncCursor(1)
	}
}

func (v *scroller) Wheel(up bool) {
	v.syncCursor(1)
	before := v.win.cursor
	v.win.wheel(map[bool]int{true: -wheelLines, false: wheelLines}[up])
	v.skipHeadings(before)
}

func (v *scroller) View() string {
	if v.w <= 0 || v.h <= 0 {
		return ""
	}
	from, to := v.win.thumb()
	n := v.len()
	var b strings.Builder
	for y := range v.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		if i := v.win.top + y; i < n {
			b.WriteString(v.source.Line(i, v.surface(i), v.w-1))
		} else {
			writeBlanks(&b, v.w-1)
		}
		writeThumb(&b, v.styles, y >= from && y < to)
	}
	return b.String()
}

func (v *scroller) surface(line int) Surface {
	switch {
	case v.win.hasNoCursor || line != v.win.cursor || v.source.Skip(line):
		return SurfacePlain
	case v.focused:
		return SurfaceCursor
	default:
		return SurfaceDim
	}
}

func cursorBar(on Surface) string {
	if on == SurfacePlain {
		return " "
	}
	return "▌"
}

func (v *scroller) len() int {
	if v.source == nil {
		return 0
	}
	return v.source.Len()
}

func (v *scroller) syncCursor(direction int) {
	n := v.len()
	v.win.resize(n, v.h)
	if v.win.hasNoCursor || n == 0 {
		return
	}
	v.win.cursor = v.nearestSelectable(v.win.cursor, direction)
	v.win.resize(n, v.h)
	first := v.win.cursor
	for first > 0 && v.source.Skip(first-1) {
		first--
	}
	if first == 0 && v.win.cursor < v.win.height && !v.win.wheelScrolled {
		v.win.top = 0
	}
}

// nearestSelectable returns the nearest line that the cursor can be on. It tries direction (1 or -1) first.
func (v *scroller) nearestSelectable(at, direction int) int {
	for _, step := range [...]int{direction, -direction} {
		for i := at; i >= 0 && i < v.len(); i += step {
			if !v.source.Skip(i) {
				return i
			}
		}
	}
	return at
}

func (v *scroller) current() (int, bool) {
	return v.win.cursor, v.win.cursor < v.len() && !v.source.Skip(v.win.cursor)
}

func (v *scroller) moveTo(line int) {
	v.win.moveTo(line)
	v.syncCursor(1)
}

// Click moves the cursor to the line at y. second reports whether the cursor was already on it. ok is false if the text
// has no cursor or there is no line.
func (v *scroller) Click(_, y int) (second, ok bool) {
	line := v.win.top + y
	if v.win.hasNoCursor || y < 0 || y >= v.h || line >= v.len() || v.source.Skip(line) {
		return false, false
	}
	second = line == v.win.cursor
	v.win.moveTo(line)
	return second, true
}

// Lines shows the lines of a source with a cursor.
type Lines struct{ scroller }

// NewLines returns an empty list of lines with a cursor.
func NewLines(s *Styles) *Lines { return &Lines{newScroller(s)} }

// SetStill lets the wheel scroll without moving the cursor; see List.SetStill.
func (l *Lines) SetStill(on bool) { l.win.keepsCursor = on }

// SetSource replaces the lines. The cursor stays on its line if that still exists.
func (l *Lines) SetSource(source LineSource) {
	l.source = source
	l.syncCursor(1)
}

// At returns the line under the cursor, or false if there are no lines.
func (l *Lines) At() (int, bool) { return l.current() }

// Go moves the cursor to a line.
func (l *Lines) Go(line int) { l.moveTo(line) }

// pagerStep is the number of cells by which left and right scroll.
const pagerStep = 8

// A Pager shows styled lines that are already wrapped. The cost of a frame depends on the size of the screen, not on
// the number of lines.
type Pager struct {
	scroller
	lines  []string
	offset int // number of cells scrolled out on the left

	more       string // note that Panel shows while more lines follow
	subject    any    // subject of the lines, which Make built for builtWidth
	builtWidth int
}

// hyphenMark replaces hyphens during wrapping. Printable text never contains private-use characters.
const hyphenMark = "\uE000"

// Wrap returns text as styled lines of at most w cells, for a Pager or the body of a dialog. It breaks between words
// where possible, but never after a hyphen, because dates and IDs contain many. It keeps line breaks.
func Wrap(s *Styles, r Role, text string, w int) []string {
	lines := wrapLines(text, w)
	for i, line := range lines {
		lines[i] = s.Paint(r, line)
	}
	return lines
}

func wrapLines(text string, w int) []string {
	if w <= 0 {
		return nil
	}
	text = strings.ReplaceAll(models.PrintableLines(text), "-", hyphenMark)
	lines := strings.Split(ansi.Wrap(text, w, ""), "\n")
	for i, line := range lines {
		lines[i] = models.Truncate(strings.ReplaceAll(line, hyphenMark, "-"), w)
	}
	return lines
}

// NewPager returns an empty pager.
func NewPager(s *Styles) *Pager {
	p := &Pager{scroller: newScroller(s), more: "more ↓"}
	p.win.hasNoCursor = true
	p.source = pagerLines{p}
	return p
}

// SetLines replaces the lines. They are styled, so any data in them must have passed through Styles.Paint or
// models.Printable. The pager keeps its position if that still exists.
func (p *Pager) SetLines(lines []string) {
	p.lines = lines
	p.syncCursor(1)
}

// SetStyles sets the theme. The next Make calls lines again.
func (p *Pager) SetStyles(s *Styles) {
	p.scroller.SetStyles(s)
	p.builtWidth = 0
}

// Make calls lines for a width, but only if the subject (a comparable value) or the width changed, or after
// Invalidate. For a new subject, the pager scrolls to the top.
func (p *Pager) Make(subject any, w int, lines func(w int) []string) {
	if subject != p.subject {
		p.win.top = 0
	}
	if subject != p.subject || w != p.builtWidth {
		p.subject, p.builtWidth = subject, w
		p.SetLines(lines(w))
	}
}

// Invalidate makes the next Make call lines even for the same subject. The pager keeps its position.
func (p *Pager) Invalidate() { p.builtWidth = 0 }

// Len returns the number of lines.
func (p *Pager) Len() int { return len(p.lines) }

// SetMore sets the note that Panel shows while more lines follow. Name the key that scrolls, if the pager does not have
// the focus.
func (p *Pager) SetMore(note string) { p.more = note }

// minPager is the minimum width, in cells, of the text in a panel.
const minPager = 10

// Panel draws a text in a panel of w by h cells, with a blank cell at the left edge. It calls lines like Make does. It
// also sets the pager's size, so do not call SetSize.
func (p *Pager) Panel(panel Panel, w, h int, subject any, lines func(w int) []string) string {
	iw, ih := PanelInner(w, h)
	p.Make(subject, max(iw-2, minPager), lines)
	p.SetSize(iw-1, ih)
	if panel.Note == "" && !p.AtEnd() {
		panel.Note = p.more
	}
	return panel.Render(p.styles, Indent(p.View(), iw, ih), w, h)
}

// Top returns the index of the first visible line.
func (p *Pager) Top() int { return p.win.top }

// ScrollTo scrolls a line to the top if enough lines follow it. It moves an index out of range to the nearest line.
func (p *Pager) ScrollTo(line int) { p.win.moveTo(line) }

// AtEnd reports whether the last line is visible.
func (p *Pager) AtEnd() bool { return p.win.top+p.h >= len(p.lines) }

// Update handles scroll keys and the mouse wheel. It reports whether it used the message.
func (p *Pager) Update(msg tea.Msg) bool {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "left", "h":
			p.offset = max(p.offset-pagerStep, 0)
			return true
		case "right", "l":
			p.offset = min(p.offset+pagerStep, p.maxOffset())
			return true
		}
	}
	return p.scroller.Update(msg)
}

func (p *Pager) maxOffset() int {
	widest := 0
	for _, line := range p.lines[p.win.top:min(p.win.top+p.h, len(p.lines))] {
		widest = max(widest, models.Width(line))
	}
	return max(widest-max(p.w-1, 0), 0)
}

// pagerLines adapts the lines of a Pager, scrolled sideways, to LineSource.
type pagerLines struct{ p *Pager }

func (l pagerLines) Len() int      { return len(l.p.lines) }
func (l pagerLines) Skip(int) bool { return false }

func (l pagerLines) Line(i int, _ Surface, w int) string {
	line := l.p.lines[i]
	if l.p.offset > 0 {
		line = ansi.TruncateLeft(line, l.p.offset, "")
	}
	return fitStyled(line, w)
}
