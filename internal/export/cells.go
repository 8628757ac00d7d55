// This file writes the formats that have columns.

package export

import (
	"encoding/csv"
	"io"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// kindColumn is the title of the column that says what an item is.
const kindColumn = "entity"

// Settle chooses the columns of CSV by items that are all written later, a few at
// a time. It is called before the first Write.
func (w *Writer) Settle(pages iter.Seq[[]models.Item]) {
	if (w.format == CSV || w.format == TSV) && w.columns == nil {
		w.head(pages)
	}
}

// head chooses the columns; see Shape.
func (w *Writer) head(pages iter.Seq[[]models.Item]) {
	w.known = map[string]bool{}
	add := func(name string) {
		if !w.known[name] {
			w.known[name] = true
			w.columns = append(w.columns, name)
		}
	}
	for _, c := range w.shape.Columns {
		add(c)
	}
	if len(w.columns) > 0 {
		return
	}
	for _, e := range w.shape.Entities {
		for _, c := range e.Columns {
			add(c)
		}
	}
	if w.format == Text && len(w.columns) > 0 {
		return
	}
	if w.shape.Table != nil {
		for _, k := range w.shape.Table.KeyAttributes() {
			add(k.Name)
		}
	}
	for _, e := range w.shape.Entities {
		for _, a := range e.Attributes {
			if !a.KeyOnly {
				add(a.Name)
			}
		}
	}
	for items := range pages {
		for _, it := range items {
			for _, n := range it.Names() {
				add(n)
			}
		}
	}
}

// onePage are items that are all there.
func onePage(items []models.Item) iter.Seq[[]models.Item] {
	return func(yield func([]models.Item) bool) { yield(items) }
}

// titles are the columns' titles.
func (w *Writer) titles() []string {
	if w.shape.Kind == nil {
		return w.columns
	}
	return append([]string{kindColumn}, w.columns...)
}

// cellText is what a cell shows: the exact text of a scalar, JSON of a document
// or a set, nothing for NULL and for what is not there.
func cellText(v types.AttributeValue) string {
	if v == nil {
		return ""
	}
	if text, ok := models.ValueText(v); ok {
		return text
	}
	if _, null := v.(*types.AttributeValueMemberNULL); null {
		return ""
	}
	return string(models.AppendValueJSON(nil, v))
}

// CSVCell is text as a spreadsheet and a terminal may have it: no formula, no
// control characters. Line breaks and tabs are text: the cell is quoted.
func CSVCell(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, l := range lines {
		parts := strings.Split(l, "\t")
		for j, p := range parts {
			parts[j] = models.Printable(p)
		}
		lines[i] = strings.Join(parts, "\t")
	}
	return models.CSVCell(strings.Join(lines, "\n"))
}

// A cellWriter writes records of cells.
type cellWriter interface {
	Write(record []string) error
	Flush()
	Error() error
}

// records writes a line an item, below a line of titles.
func (w *Writer) records(items []models.Item) error {
	if w.cells == nil {
		if w.columns == nil {
			w.head(onePage(items))
		}
		w.cells = csv.NewWriter(w.w)
		if w.format == TSV {
			w.cells = &tabWriter{w: w.w}
		}
		titles := append([]string(nil), w.titles()...)
		for i, c := range titles {
			titles[i] = CSVCell(c)
		}
		if err := w.cells.Write(titles); err != nil {
			return err
		}
	}
	for _, it := range items {
		w.noteLeft(it)
		record := make([]string, 0, len(w.columns)+1)
		if w.shape.Kind != nil {
			record = append(record, CSVCell(w.shape.Kind(it)))
		}
		it = w.shape.masked(it)
		for _, c := range w.columns {
			v, _ := it.At(c)
			cell := cellText(v)
			if models.ValueType(v) != models.TypeN {
				cell = CSVCell(cell)
			}
			record = append(record, cell)
		}
		if err := w.cells.Write(record); err != nil {
			return err
		}
	}
	w.cells.Flush()
	return w.cells.Error()
}

// noteLeft remembers what has no column. Columns that the caller chose leave out
// what they leave out.
func (w *Writer) noteLeft(it models.Item) {
	if len(w.shape.Columns) > 0 {
		return
	}
	for n := range it {
		if !w.known[n] {
			w.left[n] = true
		}
	}
}

// rows adds items to the aligned table.
func (w *Writer) rows(items []models.Item) {
	if w.text == nil {
		w.head(onePage(items))
		w.text = NewTextTable(w.titles()...)
	}
	for _, it := range items {
		cells := make([]string, 0, len(w.columns)+1)
		if w.shape.Kind != nil {
			cells = append(cells, w.shape.Kind(it))
		}
		it = w.shape.masked(it)
		for _, c := range w.columns {
			v, _ := it.At(c)
			cells = append(cells, cellText(v))
		}
		w.text.Add(cells...)
	}
}

// WriteRecords writes records as CSV. No cell is run by a spreadsheet.
func WriteRecords(w io.Writer, records [][]string) error {
	out := csv.NewWriter(w)
	for _, r := range records {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = CSVCell(c)
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// A tabWriter writes cells with tabs between them, as spreadsheets take them
// from the clipboard. They know no quotes there: a tab or a line break inside a
// cell becomes a blank.
type tabWriter struct {
	w   io.Writer
	err error
}

var breaks = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

func (t *tabWriter) Write(record []string) error {
	cells := make([]string, len(record))
	for i, c := range record {
		cells[i] = breaks.Replace(c)
	}
	_, t.err = io.WriteString(t.w, strings.Join(cells, "\t")+"\n")
	return t.err
}

func (t *tabWriter) Flush() {}

func (t *tabWriter) Error() error { return t.err }
