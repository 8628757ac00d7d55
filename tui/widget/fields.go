// This file lists names and values, for the details of an item.

package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// FieldRow is a line of Fields.
type FieldRow struct {
	ID      string // what the caller knows it by; not shown
	Section string // starts a new group when it differs from the row before
	Label   string
	Value   string
	Note    string // meaning or age, after the value
	Role    Role   // of the value
	Lit     string // what is lit in all of them, folded by Fold; "" for nothing
}

// FieldSource is rows that are made when they are seen.
type FieldSource interface {
	Len() int
	Section(i int) string
	Row(i int) FieldRow
}

// fieldRows are rows that were made before.
type fieldRows []FieldRow

func (f fieldRows) Len() int             { return len(f) }
func (f fieldRows) Section(i int) string { return f[i].Section }
func (f fieldRows) Row(i int) FieldRow   { return f[i] }

const (
	fieldsLabelMax = 28
	fieldsSample   = 200 // rows that are measured for the width of the labels
)

// Fields shows labels and values in two columns, grouped, with a cursor.
type Fields struct {
	styles     *Styles
	source     FieldSource
	lines      []fieldsLine
	rowLine    []int // line of each row
	win        window
	w, h       int
	labelWidth int
	focused    bool
}

// fieldsLine is a row, a heading, or a blank line before a heading.
type fieldsLine struct {
	index   int // -1 for a heading or a blank line
	heading string
}

// NewFields returns an empty list.
func NewFields(s *Styles) *Fields { return &Fields{styles: s, win: newWindow(), focused: true} }

// SetStyles changes the theme.
func (f *Fields) SetStyles(s *Styles) { f.styles = s }

// SetFocused tells whether keys go to the list.
func (f *Fields) SetFocused(on bool) { f.focused = on }

// SetSize sets the rectangle.
func (f *Fields) SetSize(w, h int) {
	f.w, f.h = max(w, 0), max(h, 0)
	f.sync(1)
}

// SetRows replaces the rows. The cursor stays on its line if that exists.
func (f *Fields) SetRows(rows []FieldRow) { f.SetSource(fieldRows(rows)) }

// SetSource replaces the rows by those of a source, of which only what is seen
// is asked for. The cursor stays on its line if that exists.
func (f *Fields) SetSource(source FieldSource) {
	f.source = source
	f.lines, f.rowLine, f.labelWidth = f.lines[:0], f.rowLine[:0], 0
	section := ""
	for i := range source.Len() {
		if own := source.Section(i); own != section {
			section = own
			if len(f.lines) > 0 {
				f.lines = append(f.lines, fieldsLine{index: -1})
			}
			if section != "" {
				f.lines = append(f.lines, fieldsLine{index: -1, heading: section})
			}
		}
		if i < fieldsSample {
			f.labelWidth = max(f.labelWidth, textWidth(source.Row(i).Label, fieldsLabelMax))
		}
		f.rowLine = append(f.rowLine, len(f.lines))
		f.lines = append(f.lines, fieldsLine{index: i})
	}
	f.sync(1)
}

// sync keeps the cursor on a row, the next one in the direction of travel, and
// the heading of the first row on the screen.
func (f *Fields) sync(direction int) {
	f.win.resize(len(f.lines), f.h)
	f.win.cursor = skipHeadings(f.win.cursor, direction, len(f.lines), func(i int) bool { return f.lines[i].index < 0 })
	f.win.resize(len(f.lines), f.h)
	if len(f.rowLine) > 0 && f.win.cursor == f.rowLine[0] && f.win.height > f.rowLine[0] {
		f.win.top = 0
	}
}

// skipHeadings moves a cursor off lines that cannot be chosen.
func skipHeadings(at, direction, n int, heading func(int) bool) int {
	for _, step := range [...]int{direction, -direction} {
		for i := at; i >= 0 && i < n; i += step {
			if !heading(i) {
				return i
			}
		}
	}
	return at
}

// Selected returns the row under the cursor and its index.
func (f *Fields) Selected() (FieldRow, int, bool) {
	if f.win.cursor >= len(f.lines) || f.lines[f.win.cursor].index < 0 {
		return FieldRow{}, -1, false
	}
	i := f.lines[f.win.cursor].index
	return f.source.Row(i), i, true
}

// Select moves the cursor to a row by index.
func (f *Fields) Select(index int) {
	if index >= 0 && index < len(f.rowLine) {
		f.win.to(f.rowLine[index])
		f.sync(1)
	}
}

// Update handles moving.
func (f *Fields) Update(msg tea.Msg) bool {
	before := f.win.cursor
	used := f.win.update(msg)
	if used {
		f.sync(direction(before, f.win.cursor))
	}
	return used
}

func direction(before, after int) int {
	if after < before {
		return -1
	}
	return 1
}

// Wheel scrolls by one notch of the wheel, as a MouseWheelMsg does.
func (f *Fields) Wheel(up bool) { f.Update(wheelMsg(up)) }

// Click moves the cursor to the row at y.
func (f *Fields) Click(_, y int) bool {
	line := f.win.top + y
	if y < 0 || y >= f.h || line >= len(f.lines) || f.lines[line].index < 0 {
		return false
	}
	f.win.to(line)
	return true
}

// View draws the rows on the screen and a scroll bar.
func (f *Fields) View() string {
	if f.w <= 0 || f.h <= 0 {
		return ""
	}
	from, to := f.win.thumb()
	var b strings.Builder
	for y := range f.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		if i := f.win.top + y; i < len(f.lines) {
			f.writeLine(&b, i)
		} else {
			writeBlanks(&b, f.w-1)
		}
		writeThumb(&b, f.styles, y >= from && y < to)
	}
	return b.String()
}

func (f *Fields) writeLine(b *strings.Builder, i int) {
	l := f.lines[i]
	if l.index < 0 {
		f.styles.writeCell(b, RoleTitle, SurfacePlain, " "+l.heading, f.w-1, AlignLeft)
		return
	}
	row := f.source.Row(l.index)
	t := NewStrip(f.styles, rowSurface(i == f.win.cursor, f.focused), f.w-1)
	bar := " "
	if i == f.win.cursor {
		bar = "▌"
	}
	t.Cell(RoleAccent, bar, 2, AlignLeft)
	label := min(f.labelWidth, max(f.w/3, 8))
	end := t.Room() - label
	t.Lit(RoleMuted, row.Label, row.Lit, label)
	t.Cell(RoleText, "", t.Room()-end+2, AlignLeft)
	t.Lit(row.Role, row.Value, row.Lit, t.Room())
	if row.Note != "" {
		t.Lit(RoleFaint, "  "+row.Note, row.Lit, t.Room())
	}
	b.WriteString(t.String())
}
