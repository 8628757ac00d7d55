// This file shows lines that are drawn when they are seen, and not before.

package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A LineSource is what Lines shows. Line is asked for lines that are seen only,
// so its cost may not depend on how many there are.
type LineSource interface {
	Len() int
	// Line draws a line in exactly w cells on the surface: see Strip.
	Line(i int, on Surface, w int) string
	// Skip reports a line that the cursor passes over: a heading, a blank one.
	Skip(i int) bool
}

// Lines shows the lines of a source, with a cursor or as a text that scrolls.
type Lines struct {
	styles  *Styles
	source  LineSource
	win     window
	w, h    int
	focused bool
}

// NewLines returns an empty list of lines with a cursor.
func NewLines(s *Styles) *Lines { return &Lines{styles: s, win: newWindow(), focused: true} }

// NewScroll returns an empty text: it scrolls and has no cursor.
func NewScroll(s *Styles) *Lines {
	l := NewLines(s)
	l.win.free = true
	return l
}

// SetStyles changes the theme.
func (l *Lines) SetStyles(s *Styles) { l.styles = s }

// SetFocused tells whether keys go to the lines.
func (l *Lines) SetFocused(on bool) { l.focused = on }

// SetSource replaces the lines. The cursor stays on its line if that exists.
func (l *Lines) SetSource(source LineSource) {
	l.source = source
	l.sync(1)
}

// SetSize sets the rectangle.
func (l *Lines) SetSize(w, h int) {
	l.w, l.h = max(w, 0), max(h, 0)
	l.sync(1)
}

func (l *Lines) len() int {
	if l.source == nil {
		return 0
	}
	return l.source.Len()
}

// sync keeps the cursor on a line that it may stand on, the next one in the
// direction of travel, and what heads the first of them on the screen.
func (l *Lines) sync(direction int) {
	n := l.len()
	l.win.resize(n, l.h)
	if l.win.free || n == 0 {
		return
	}
	l.win.cursor = skipHeadings(l.win.cursor, direction, n, l.source.Skip)
	l.win.resize(n, l.h)
	head := l.win.cursor
	for head > 0 && l.source.Skip(head-1) {
		head--
	}
	if head == 0 && l.win.cursor < l.win.height {
		l.win.top = 0
	}
}

// At returns the line under the cursor, or the topmost one of a text; false
// without lines.
func (l *Lines) At() (int, bool) {
	if l.len() == 0 {
		return 0, false
	}
	if l.win.free {
		return l.win.top, true
	}
	return l.win.cursor, !l.source.Skip(l.win.cursor)
}

// Go moves the cursor to a line; a text is scrolled so that the line is seen,
// with some of what stands before it.
func (l *Lines) Go(line int) {
	if !l.win.free {
		l.win.to(line)
		l.sync(1)
		return
	}
	if line < l.win.top || line >= l.win.top+l.win.height {
		l.win.to(line - l.win.height/3)
	}
}

// Update handles moving.
func (l *Lines) Update(msg tea.Msg) bool {
	before := l.win.cursor
	used := l.win.update(msg)
	if used {
		l.sync(direction(before, l.win.cursor))
	}
	return used
}

// Wheel scrolls by one notch of the wheel, as a MouseWheelMsg does.
func (l *Lines) Wheel(up bool) { l.Update(wheelMsg(up)) }

// Click moves the cursor to the line at y; again reports that it was there.
func (l *Lines) Click(_, y int) (again, ok bool) {
	line := l.win.top + y
	if l.win.free || y < 0 || y >= l.h || line >= l.len() || l.source.Skip(line) {
		return false, false
	}
	again = line == l.win.cursor
	l.win.to(line)
	return again, true
}

// View draws the lines on the screen and a scroll bar.
func (l *Lines) View() string {
	if l.w <= 0 || l.h <= 0 {
		return ""
	}
	from, to := l.win.thumb()
	n := l.len()
	var b strings.Builder
	for y := range l.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		if i := l.win.top + y; i < n {
			on := SurfacePlain
			if !l.win.free {
				on = rowSurface(i == l.win.cursor, l.focused)
			}
			b.WriteString(l.source.Line(i, on, l.w-1))
		} else {
			writeBlanks(&b, l.w-1)
		}
		writeThumb(&b, l.styles, y >= from && y < to)
	}
	return b.String()
}

// rowSurface is what a row is drawn on.
func rowSurface(cursor, focused bool) Surface {
	switch {
	case cursor && focused:
		return SurfaceCursor
	case cursor:
		return SurfaceDim
	}
	return SurfacePlain
}
