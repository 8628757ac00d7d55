package items

import (
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// Text has aligned columns, for terminals. Long values are cut.
var Text = &Format{
	Name: "table", Title: "aligned text", Extension: "txt", Note: "aligned columns", Buffered: true,
	columns: entityColumns, count: plainCount,
	encoder: func(w io.Writer, l *layout) encoder { return &tableEncoder{layout: l, w: w} },
}

// A tableEncoder collects the rows of a table and writes it at the end.
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

// maxCell is the widest cell that a Drawer gets, and the widest one that the columns of other outputs are aligned to.
const maxCell = 48

// A TextTable is a header and rows of cells. It keeps all rows, because the widths
// of the columns depend on them. Only a Drawer gets cut cells. It is not safe for concurrent use.
type TextTable struct {
	// WholeLast does not cut the cells of the last column: sentences are useless when
	// cut.
	WholeLast bool
	// Keys is the title of a column of keys, "" for none. They are not cut: half a key finds nothing.
	Keys string

	header []string
	rows   [][]string
	widths []int // of the columns so far
	titles bool  // the header was written
}

// A Drawer is an output that draws tables itself, such as a terminal. It gets cells that are
// printable already.
type Drawer interface{ DrawRows(p Part) error }

// A Part is some rows of a table.
type Part struct {
	Header []string
	Rows   [][]string
	Whole  bool // the cells of the last column are sentences, which are useless when cut
}

// NewTextTable returns a table with a header and no rows. The titles are made
// printable like cells: they may be names of attributes.
func NewTextTable(header ...string) *TextTable {
	t := &TextTable{}
	t.Add(header...)
	t.header, t.rows = t.rows[0], nil
	return t
}

// Len returns the number of rows that are not written yet, without the header.
func (t *TextTable) Len() int { return len(t.rows) }

// Add appends a row with as many cells as the header.
func (t *TextTable) Add(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = models.Printable(c)
	}
	t.rows = append(t.rows, row)
}

// whole reports whether the cells of a column are never cut.
func (t *TextTable) whole(column int) bool {
	return t.WholeLast && column == len(t.header)-1 || t.Keys != "" && t.header[column] == t.Keys
}

// Write writes the table with aligned columns. The last column is not padded. The rows of a long table can be written in
// parts: later ones are aligned with those before, unless they are wider.
func (t *TextTable) Write(w io.Writer) error {
	rows, first := t.rows, !t.titles
	t.rows, t.titles = nil, true
	if d, ok := w.(Drawer); ok {
		for _, r := range rows {
			for i, c := range r {
				if !t.whole(i) {
					r[i] = models.Truncate(c, maxCell)
				}
			}
		}
		return d.DrawRows(Part{t.header, rows, t.WholeLast})
	}
	if first {
		rows = slices.Concat([][]string{t.header}, rows)
	}
	for _, r := range rows {
		for i, c := range r {
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			if width := ansi.StringWidth(c); width <= maxCell || t.whole(i) {
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
