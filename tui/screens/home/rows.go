package home

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An entry is what the cursor can be on: a queue, a state, a past change.
type entry struct {
	id    string         // unique on the screen
	open  func() tea.Cmd // what enter does, nil for nothing
	title string         // of the preview
	// items describes the items behind the entry in lines of w cells, for the preview; nil for none.
	items func(w int) []string
}

// A row is one line of the screen. It has one entry, several side by side, or none.
type row struct {
	entry
	text string                // styled, if nothing else draws the line
	draw func(t *widget.Strip) // draws the line after the mark of the cursor
	// graph draws the line of a graph, given the entry under the cursor.
	graph func(w int, chosen string) string
	stops []stop // the entries of a line of a graph, from left to right
}

// A stop is an entry that has a part of a line.
type stop struct {
	entry
	x, w int
}

func textRows(lines []string) []row {
	rows := make([]row, len(lines))
	for i, line := range lines {
		rows[i] = row{text: line}
	}
	return rows
}

// A rowList is rows with a cursor. It is a widget.LineSource, and takes the mouse.
type rowList struct {
	styles *widget.Styles
	lines  *widget.Lines
	rows   []row
	x      int // the column of the cursor, which chooses among entries side by side
}

func newRowList(s *widget.Styles) *rowList {
	l := &rowList{styles: s, lines: widget.NewLines(s)}
	l.lines.SetStill(true)
	l.lines.SetSource(l)
	return l
}

// Len implements widget.LineSource.
func (l *rowList) Len() int { return len(l.rows) }

// Skip implements widget.LineSource: the cursor passes over headings.
func (l *rowList) Skip(i int) bool { return l.rows[i].id == "" && len(l.rows[i].stops) == 0 }

// Line implements widget.LineSource.
func (l *rowList) Line(i int, on widget.Surface, w int) string {
	r := l.rows[i]
	mark := " "
	if on != widget.SurfacePlain {
		mark = "▌"
	}
	switch {
	case r.graph != nil:
		chosen := ""
		if e := l.entry(); e != nil {
			chosen = e.id
		}
		return widget.Place(" "+r.graph(w-1, chosen), w, 1)
	case r.draw == nil:
		return widget.Place(l.styles.Paint(widget.RoleAccent, mark)+r.text, w, 1)
	}
	t := widget.NewStrip(l.styles, on, w)
	t.Put(widget.RoleAccent, mark)
	r.draw(t)
	return t.String()
}

func (l *rowList) set(rows []row, stay bool) {
	id := ""
	if e := l.entry(); e != nil && stay {
		id = e.id
	}
	l.rows = rows
	l.lines.SetSource(l)
	at := 0
	for i, r := range rows {
		k := slices.IndexFunc(r.stops, func(s stop) bool { return s.id == id })
		if k >= 0 {
			at, l.x = i, r.stops[k].x
		}
		if id != "" && r.id == id {
			at = i
		}
	}
	if at == 0 {
		l.x = 0
	}
	l.lines.Go(at)
}

func (l *rowList) entry() *entry {
	i, ok := l.lines.At()
	if !ok || i >= len(l.rows) {
		return nil
	}
	if r := &l.rows[i]; len(r.stops) > 0 {
		return &r.stops[l.stop()].entry
	}
	return &l.rows[i].entry
}

func (l *rowList) stop() int {
	i, _ := l.lines.At()
	best := 0
	for k, s := range l.rows[i].stops {
		if s.x <= l.x {
			best = k
		}
	}
	return best
}

func (l *rowList) press(msg tea.KeyPressMsg) {
	i, ok := l.lines.At()
	if ok && len(l.rows[i].stops) > 0 {
		stops, k := l.rows[i].stops, l.stop()
		switch msg.String() {
		case "left", "h":
			l.x = stops[max(k-1, 0)].x
			return
		case "right", "l":
			l.x = stops[min(k+1, len(stops)-1)].x
			return
		}
	}
	l.lines.Update(msg)
}

// Click implements widget.Clickable.
func (l *rowList) Click(x, y int) (again, ok bool) {
	before := l.entry()
	if _, ok = l.lines.Click(x, y); ok {
		l.x = x - 1
	}
	return ok && before != nil && before.id == l.entry().id, ok
}

// Wheel implements widget.Clickable.
func (l *rowList) Wheel(up bool) { l.lines.Wheel(up) }

func (l *rowList) open() (tea.Cmd, bool) {
	e := l.entry()
	if e == nil || e.open == nil {
		return nil, false
	}
	return e.open(), true
}

func (l *rowList) setStyles(s *widget.Styles) {
	l.styles = s
	l.lines.SetStyles(s)
}
