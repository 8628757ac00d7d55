package widget

// FieldRow is a row of Fields.
type FieldRow struct {
	ID        string // identifies the row to the caller; not shown
	Section   string // starts a new group when it differs from the row before
	Label     string
	Value     string
	Note      string // meaning or age, after the value
	Role      Role   // of the value
	Highlight string // text to highlight in all of them, as Fold returns it; "" for none
}

// FieldSource supplies rows on demand.
type FieldSource interface {
	Len() int
	Section(i int) string
	Row(i int) FieldRow
}

// fieldRows are rows that already exist.
type fieldRows []FieldRow

func (f fieldRows) Len() int             { return len(f) }
func (f fieldRows) Section(i int) string { return f[i].Section }
func (f fieldRows) Row(i int) FieldRow   { return f[i] }

const (
	fieldsLabelMax = 28
	fieldsSample   = 200 // rows that are measured for the width of the labels
)

// Fields shows labels and values in two columns, in groups, with a cursor.
type Fields struct {
	scroller
	rows       FieldSource
	lines      []fieldsLine
	rowLine    []int // line of each row
	labelWidth int
}

// fieldsLine is a row, a heading, or a blank line before a heading.
type fieldsLine struct {
	index   int // -1 for a heading or a blank line
	heading string
}

// NewFields returns an empty list.
func NewFields(s *Styles) *Fields {
	f := &Fields{scroller: newScroller(s)}
	f.source = fieldLines{f}
	return f
}

// SetRows replaces the rows. The cursor stays on its line if that exists.
func (f *Fields) SetRows(rows []FieldRow) { f.SetSource(fieldRows(rows)) }

// SetSource replaces the rows by those of a source, which is called only for
// visible rows and for a sample that determines the width of the labels. The
// cursor stays on its line if that exists. Len and Section are called for all rows, so they
// must be cheap; Row is not.
func (f *Fields) SetSource(source FieldSource) {
	f.rows = source
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

// Selected returns the row under the cursor and its index. It is false if there are no rows.
func (f *Fields) Selected() (FieldRow, int, bool) {
	line, ok := f.current()
	if !ok {
		return FieldRow{}, -1, false
	}
	i := f.lines[line].index
	return f.rows.Row(i), i, true
}

// Select moves the cursor to a row by index. An index without a row changes nothing.
func (f *Fields) Select(index int) {
	if index >= 0 && index < len(f.rowLine) {
		f.moveTo(f.rowLine[index])
	}
}

// fieldLines are the lines of Fields.
type fieldLines struct{ f *Fields }

func (l fieldLines) Len() int        { return len(l.f.lines) }
func (l fieldLines) Skip(i int) bool { return l.f.lines[i].index < 0 }

func (l fieldLines) Line(i int, on Surface, w int) string {
	f, line := l.f, l.f.lines[i]
	t := NewStrip(f.styles, on, w)
	if line.index < 0 {
		t.Cell(RoleTitle, " "+line.heading, w, AlignLeft)
		return t.String()
	}
	row := f.rows.Row(line.index)
	t.Cell(RoleAccent, cursorBar(on), 2, AlignLeft)
	label := min(f.labelWidth, max(f.w/3, 8))
	end := t.Room() - label
	t.Highlight(RoleMuted, row.Label, row.Highlight, label)
	t.Cell(RoleText, "", t.Room()-end+2, AlignLeft)
	t.Highlight(row.Role, row.Value, row.Highlight, t.Room())
	if row.Note != "" {
		t.Highlight(RoleFaint, "  "+row.Note, row.Highlight, t.Room())
	}
	return t.String()
}
