// This file writes plain tables for terminals and pipes.

package main

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// maxCell is the widest cell of a table for people; JSON has the whole value.
const maxCell = 48

type textTable struct {
	rows [][]string
	// wholeLast keeps the last column as long as it is: sentences, which say
	// nothing when cut.
	wholeLast bool
}

func newTable(header ...string) *textTable { return &textTable{rows: [][]string{header}} }

func (t *textTable) add(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = models.Printable(c)
		if !t.wholeLast || i < len(cells)-1 {
			row[i] = models.Truncate(row[i], maxCell)
		}
	}
	t.rows = append(t.rows, row)
}

// write aligns the columns; the last one is not padded.
func (t *textTable) write(w io.Writer) error {
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
