// This file writes aligned tables of text, for terminals and pipes.

package export

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// maxCell is the widest cell of a table for people, in terminal cells; JSON has
// the whole value.
const maxCell = 48

// A TextTable is rows of cells below a header. It keeps them all, as the widths
// of its columns depend on them.
type TextTable struct {
	// WholeLast keeps the last column as long as it is: sentences, which say
	// nothing when cut.
	WholeLast bool

	rows [][]string
}

// NewTextTable returns a table with a header and no rows. Titles may be names of
// attributes: they are made printable like cells.
func NewTextTable(header ...string) *TextTable {
	t := &TextTable{}
	t.Add(header...)
	return t
}

// Len returns the number of rows, the header not counted.
func (t *TextTable) Len() int { return len(t.rows) - 1 }

// Add appends a row, which has as many cells as the header.
func (t *TextTable) Add(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		if t.WholeLast && i == len(cells)-1 {
			row[i] = models.Printable(c)
			continue
		}
		row[i] = models.PrintableCell(c, maxCell)
	}
	t.rows = append(t.rows, row)
}

// Write aligns the columns; the last one is not padded.
func (t *TextTable) Write(w io.Writer) error {
	widths := make([]int, len(t.rows[0]))
	for _, r := range t.rows {
		for i, c := range r {
			widths[i] = max(widths[i], ansi.StringWidth(c))
		}
	}
	var b strings.Builder
	for _, r := range t.rows {
		line := ""
		for i, c := range r {
			line += c
			if i < len(r)-1 {
				line += strings.Repeat(" ", widths[i]-ansi.StringWidth(c)+2)
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
