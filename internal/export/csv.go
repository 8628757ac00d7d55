package export

import (
	"encoding/csv"
	"io"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// CSV has one record for each item, for spreadsheets.
var CSV = &Format{
	Name: "csv", Title: "CSV", Extension: "csv", Note: "for spreadsheets; no cell runs as a formula",
	columns: allColumns, count: csvCount,
	encoder: func(w io.Writer, l *layout) encoder { return &recordEncoder{layout: l, w: csv.NewWriter(w)} },
}

// TSV has the cells of CSV with tabs between them, to paste into a spreadsheet.
var TSV = &Format{
	Name: "tsv", Title: "TSV", Extension: "tsv", Note: "to paste into a spreadsheet",
	columns: allColumns, count: csvCount,
	encoder: func(w io.Writer, l *layout) encoder { return &recordEncoder{layout: l, w: &tabWriter{w: w}} },
}

// A recordWriter writes records of cells, as csv.Writer does.
type recordWriter interface {
	Write(record []string) error
	Flush()
	Error() error
}

// A recordEncoder writes a header and one record for each item.
type recordEncoder struct {
	layout *layout
	w      recordWriter
	begun  bool
}

func (e *recordEncoder) write(items []models.Item) error {
	if !e.begun {
		e.begun = true
		if err := e.w.Write(guarded(e.layout.titles())); err != nil {
			return err
		}
	}
	for _, it := range items {
		if err := e.w.Write(e.layout.record(it, CSVCell)); err != nil {
			return err
		}
	}
	e.w.Flush()
	return e.w.Error()
}

func (e *recordEncoder) close(Tail) error { return nil }

// WriteRecords writes records as CSV. No cell starts a formula.
func WriteRecords(w io.Writer, records [][]string) error {
	out := csv.NewWriter(w)
	for _, r := range records {
		if err := out.Write(guarded(r)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func guarded(cells []string) []string {
	list := make([]string, len(cells))
	for i, c := range cells {
		list[i] = CSVCell(c)
	}
	return list
}

// CSVCell makes text safe for a spreadsheet and a terminal: it starts no formula
// and has no control characters but line breaks and tabs, which CSV quotes.
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

// A tabWriter separates cells by tabs. Spreadsheets do not unquote pasted text: a
// tab or a line break inside a cell becomes a space.
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
