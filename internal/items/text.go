package items

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// Text writes aligned columns for terminals, and cuts long values.
var Text = &Format{
	Name: "table", Title: "aligned text", Extension: "txt", Note: "aligned columns", Buffered: true,
	columns: entityColumns, count: plainCount,
	encoder: func(w io.Writer, l *layout) encoder { return &tableEncoder{layout: l, w: w} },
}

// A tableEncoder collects the rows of a table and writes them at the end.
type tableEncoder struct {
	layout *layout
	w      io.Writer
	table  *TextTable
}

func (e *tableEncoder) write(items []models.Item) error {
	if e.table == nil {
		e.table = NewTextTable(e.layout.titles()...)
	}
	for _, it := range items {
		e.table.Add(e.layout.record(it, func(cell string) string { return cell })...)
	}
	return nil
}

func (e *tableEncoder) close(Tail) error {
	if e.table == nil || e.table.Len() == 0 {
		return nil
	}
	return e.table.Write(e.w)
}

// maxCell is the maximum width, in cells, to which outputs other than a Drawer align columns.
const maxCell = 48

// A TextTable is a header and rows of cells. It keeps all rows, because they determine the column widths. It does not
// cut cells; a Drawer may. It is not safe for concurrent use.
type TextTable struct {
	// WholeLast means that the last column contains sentences, which a Drawer must not cut.
	WholeLast bool
	// Keys is the title of the column of keys, or "". Write aligns its rows at any width.
	Keys string
	// Optional lists the titles of the columns that a Drawer omits first, in this order, if the table is too wide.
	Optional []string
	// Kinds contains the kinds of lifecycle states in the column STATE, which a Drawer marks. Without Kinds, a Drawer
	// marks the states of requests and tables.
	Kinds map[string]models.StateKind

	header        []string
	rows          [][]string
	widths        []int // column widths so far
	headerWritten bool  // the header has been written
}

// A Drawer is an output that draws tables itself, such as a terminal. It receives printable cells. At returns a time in
// short form.
type Drawer interface {
	DrawRows(p Part) error
	At(t time.Time) string
}

// A Part contains consecutive rows of a table.
type Part struct {
	Header   []string
	Rows     [][]string
	Whole    bool     // the last column contains sentences, which must not be cut
	Optional []string // titles of the columns to omit first
	Kinds    map[string]models.StateKind
}

// NewTextTable returns a table with a header and no rows. It makes the titles printable, because they may be attribute
// names.
func NewTextTable(header ...string) *TextTable {
	t := &TextTable{}
	t.Add(header...)
	t.header, t.rows = t.rows[0], nil
	return t
}

// NewSentences returns a table of lines of text without a header. A Drawer wraps them.
func NewSentences(lines ...string) *TextTable {
	t := NewTextTable("")
	t.WholeLast = true
	for _, line := range lines {
		t.Add(line)
	}
	return t
}

// Len returns the number of rows that Write has not written yet, without the header.
func (t *TextTable) Len() int { return len(t.rows) }

// Add appends a row, which must have as many cells as the header.
func (t *TextTable) Add(cells ...string) {
	row := models.MapSlice(cells, models.Printable)
	t.rows = append(t.rows, row)
}

// isWhole reports whether Write must not cut the cells of a column.
func (t *TextTable) isWhole(column int) bool {
	return t.WholeLast && column == len(t.header)-1 || t.Keys != "" && t.header[column] == t.Keys
}

// Write writes the table with aligned columns, except that it does not pad the last one. Callers may write a long table
// in parts: later rows align with earlier ones unless they are wider.
func (t *TextTable) Write(w io.Writer) error {
	rows, first := t.rows, !t.headerWritten
	t.rows, t.headerWritten = nil, true
	if d, ok := w.(Drawer); ok {
		return d.DrawRows(Part{t.header, rows, t.WholeLast, t.Optional, t.Kinds})
	}
	if first && !slices.Equal(t.header, []string{""}) {
		rows = slices.Concat([][]string{t.header}, rows)
	}
	for _, r := range rows {
		for i, c := range r {
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			if width := ansi.StringWidth(c); width <= maxCell || t.isWhole(i) {
				t.widths[i] = max(t.widths[i], width)
			}
		}
	}
	var b strings.Builder
	for _, r := range rows {
		line := ""
		for i, c := range r {
			line += c
			if i < len(r)-1 {
				line += strings.Repeat(" ", max(t.widths[i]-ansi.StringWidth(c), 0)+2)
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
