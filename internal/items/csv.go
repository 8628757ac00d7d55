package items

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
	encoder: func(w io.Writer, l *layout) encoder {
		out := csv.NewWriter(w)
		return &recordEncoder{layout: l, record: out.Write, flush: func() error {
			out.Flush()
			return out.Error()
		}}
	},
}

// TSV has the cells of CSV with tabs between them, to paste into a spreadsheet.
var TSV = &Format{
	Name: "tsv", Title: "TSV", Extension: "tsv", Note: "to paste into a spreadsheet",
	columns: allColumns, count: csvCount,
	encoder: func(w io.Writer, l *layout) encoder {
		return &recordEncoder{layout: l, record: func(cells []string) error {
			flat := make([]string, len(cells))
			for i, c := range cells {
				flat[i] = pasted(c)
			}
			_, err := io.WriteString(w, strings.Join(flat, "\t")+"\n")
			return err
		}}
	},
}

// A recordEncoder writes a header and one record for each item.
type recordEncoder struct {
	layout *layout
	record func(cells []string) error
	flush  func() error // nil for an encoder without a buffer
	begun  bool         // the header is written
}

func (e *recordEncoder) write(items []models.Item) error {
	if !e.begun {
		e.begun = true
		if err := e.record(guarded(e.layout.titles())); err != nil {
			return err
		}
	}
	for _, it := range items {
		if err := e.record(e.layout.record(it, CSVCell)); err != nil {
			return err
		}
	}
	if e.flush == nil {
		return nil
	}
	return e.flush()
}

func (e *recordEncoder) close(Tail) error { return nil }

// WriteRecords writes records as CSV. No cell starts a formula. The first record is the header,
// if there is one. Lines end with \n.
func WriteRecords(w io.Writer, records [][]string) error {
	safe := make([][]string, len(records))
	for i, r := range records {
		safe[i] = guarded(r)
	}
	return csv.NewWriter(w).WriteAll(safe)
}

func guarded(cells []string) []string {
	list := make([]string, len(cells))
	for i, c := range cells {
		list[i] = CSVCell(c)
	}
	return list
}

// CSVCell makes text safe for a spreadsheet and a terminal: it does not start a formula,
// and has no control characters except line breaks and tabs, which CSV quotes.
func CSVCell(text string) string {
	if plainCell(text) {
		return text
	}
	var b strings.Builder
	for rest := strings.ReplaceAll(text, "\r\n", "\n"); ; {
		i := strings.IndexAny(rest, "\n\t")
		if i < 0 {
			b.WriteString(models.Printable(rest))
			return models.CSVCell(b.String())
		}
		b.WriteString(models.Printable(rest[:i]))
		b.WriteByte(rest[i])
		rest = rest[i+1:]
	}
}

// pasted keeps one cell that starts no formula where an import dialog splits at commas as well, which nothing quotes
// here.
func pasted(cell string) string {
	parts := strings.Split(breaks.Replace(cell), ",")
	for i := range parts {
		parts[i] = models.CSVCell(parts[i])
	}
	return strings.Join(parts, ",")
}

func plainCell(text string) bool {
	if text == "" {
		return true
	}
	c := text[0]
	return (c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') &&
		models.PrintableASCII(text, 0) == len(text) && strings.IndexByte(text, ';') < 0
}

// breaks replaces what would split a cell of TSV: spreadsheets do not unquote text that is
// pasted.
var breaks = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
