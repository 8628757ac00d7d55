package items

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

const csvLosses = "control characters, line ends, empty texts, and types that the schema does not declare"

// CSV writes one record for each item, for spreadsheets.
var CSV = &Format{
	Name: "csv", Title: "CSV", Extension: "csv", Note: "for spreadsheets; no cell runs as a formula",
	columns: allColumns, count: csvCount, losses: csvLosses,
	encoder: func(w io.Writer, l *layout) encoder {
		out := csv.NewWriter(w)
		return &recordEncoder{layout: l, record: out.Write, flush: func() error {
			out.Flush()
			return out.Error()
		}}
	},
}

// TSV writes the same cells as CSV, separated by tabs, for pasting into a spreadsheet.
var TSV = &Format{
	Name: "tsv", Title: "TSV", Extension: "tsv", Note: "to paste into a spreadsheet",
	columns: allColumns, count: csvCount, losses: csvLosses,
	encoder: func(w io.Writer, l *layout) encoder {
		return &recordEncoder{layout: l, record: func(cells []string) error {
			guarded := make([]string, len(cells))
			for i, c := range cells {
				if guarded[i] = guardPastedCell(c); guarded[i] != c {
					l.lossyValues++
				}
			}
			_, err := io.WriteString(w, strings.Join(guarded, "\t")+"\n")
			return err
		}}
	},
}

// A recordEncoder writes a header and one record for each item.
type recordEncoder struct {
	layout        *layout
	record        func(cells []string) error
	flush         func() error // flush writes the buffer; nil for an encoder without a buffer
	headerWritten bool         // the header has been written
}

func (e *recordEncoder) write(items []models.Item) error {
	if !e.headerWritten {
		e.headerWritten = true
		if err := e.record(guardCells(e.layout.titles())); err != nil {
			return err
		}
	}
	for _, it := range items {
		if err := e.record(e.layout.record(it, guardCell)); err != nil {
			return err
		}
	}
	if e.flush == nil {
		return nil
	}
	return e.flush()
}

func (e *recordEncoder) close(Tail) error { return nil }

// WriteRecords writes records as CSV; the first may be a header. No cell starts a formula. Lines end with \n.
func WriteRecords(w io.Writer, records [][]string) error {
	guarded := models.MapSlice(records, guardCells)
	return csv.NewWriter(w).WriteAll(guarded)
}

func guardCells(cells []string) []string {
	return models.MapSlice(cells, guardCell)
}

// guardCell makes text safe for spreadsheets and terminals: no formula, and no control characters except line breaks and
// tabs, which CSV quotes. It doubles an apostrophe that load would remove.
func guardCell(text string) string {
	if isPlainCell(text) {
		return text
	}
	var b strings.Builder
	rest := strings.ReplaceAll(text, "\r\n", "\n")
	for i := strings.IndexAny(rest, "\n\t"); i >= 0; i = strings.IndexAny(rest, "\n\t") {
		b.WriteString(models.Printable(rest[:i]))
		b.WriteByte(rest[i])
		rest = rest[i+1:]
	}
	b.WriteString(models.Printable(rest))
	return mapParts(b.String(), func(part string) string { return "'" + part })
}

// removeGuard is the inverse of guardCell, except for the characters that guardCell replaces.
func removeGuard(cell string) string {
	if strings.IndexByte(cell, '\'') < 0 {
		return cell
	}
	return mapParts(cell, func(part string) string { return strings.TrimPrefix(part, "'") })
}

// cellEnds are the characters at which a spreadsheet may split a cell.
const cellEnds = ";\t\r\n"

// mapParts changes the parts of a cell that need a guard. It ignores apostrophes at the beginning of a part, so that a
// text and its guarded form have the same parts.
func mapParts(cell string, change func(part string) string) string {
	var b strings.Builder
	for begin := true; ; begin = false {
		part, rest, end := cell, "", ""
		if i := strings.IndexAny(cell, cellEnds); i >= 0 {
			part, rest, end = cell[:i], cell[i+1:], cell[i:i+1]
		}
		text := strings.TrimLeft(part, "'")
		if begin {
			text += end // a line break at the beginning is guarded too
		}
		if models.CSVCell(text) != text {
			part = change(part)
		}
		b.WriteString(part + end)
		if end == "" {
			return b.String()
		}
		cell = rest
	}
}

// guardPastedCell also guards the text after each comma, where an import dialog may split unquoted TSV cells.
func guardPastedCell(cell string) string {
	parts := strings.Split(breakReplacer.Replace(cell), ",")
	for i := range parts {
		parts[i] = models.CSVCell(parts[i])
	}
	return strings.Join(parts, ",")
}

func isPlainCell(text string) bool {
	if text == "" {
		return true
	}
	c := text[0]
	return (c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') &&
		models.IndexNonPrintable(text, 0) == len(text) && strings.IndexByte(text, ';') < 0
}

// breakReplacer replaces characters that would split a TSV cell, because spreadsheets do not unquote pasted text.
var breakReplacer = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

// csv reads empty cells as absent attributes, and cells that look like JSON as JSON, as in the output of `run -o csv`.
// It detects the separator from the header, or from a line such as sep=; before it.
func (r *reader) csv(in *bufio.Reader) error {
	c := csv.NewReader(in)
	c.ReuseRecord = true
	begin, _ := in.Peek(in.Size())
	line, _, _ := bytes.Cut(begin, []byte("\n"))
	if sep, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("sep=")); ok && len(sep) == 1 {
		c.Comma = rune(sep[0])
		_, _ = in.Discard(len(line) + 1)
	} else {
		c.Comma = separator(string(line))
	}
	c.LazyQuotes = c.Comma == '\t' // Tab-separated cells are never quoted.
	header, err := c.Read()
	if err != nil {
		return r.csvError(err)
	}
	header = slices.Clone(header)
	for i, name := range header {
		switch header[i] = removeGuard(name); {
		case header[i] == "":
			return inputErrorf("%s: line 1: column %d has no name", models.Printable(r.name), i+1)
		case slices.Contains(header[:i], header[i]):
			return inputErrorf("%s: line 1: duplicate column %q", models.Printable(r.name), models.Printable(header[i]))
		}
	}
	for records := 0; ; records++ {
		record, err := c.Read()
		switch {
		case err == io.EOF && records == 0 && len(header) == 1:
			return inputErrorf("%s is neither JSON nor CSV; see ddbdesk load --help for the formats", models.Printable(r.name))
		case err == io.EOF:
			return nil
		}
		if err != nil {
			return r.csvError(err)
		}
		m := map[string]any{}
		r.cells = map[string]string{}
		for i, cell := range record {
			if cell = removeGuard(cell); cell != "" {
				m[header[i]], r.cells[header[i]] = cellValue(cell), cell
			}
		}
		if err := r.item(m); err != nil {
			return err
		}
	}
}

// separator returns the most frequent separator outside of quotes in a header.
func separator(header string) rune {
	best, maximum := ',', 0
	for _, sep := range ",;\t|" {
		n, inQuotes := 0, false
		for _, c := range header {
			switch {
			case c == '"':
				inQuotes = !inQuotes
			case c == sep && !inQuotes:
				n++
			}
		}
		if n > maximum {
			best, maximum = sep, n
		}
	}
	return best
}

func (r *reader) csvError(err error) error {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return inputErrorf("%s: invalid CSV in line %d: %v", models.Printable(r.name), p.Line, p.Err)
	}
	return r.explain(err)
}

// cellValue returns numbers as text, because the attribute determines the type. JSON may be plain or DynamoDB JSON.
func cellValue(cell string) any {
	if cell == "" || cell[0] != '{' && cell[0] != '[' {
		return cell
	}
	var v any
	if err := models.DecodeJSON(cell, &v); err != nil {
		return cell
	}
	if m, ok := v.(map[string]any); ok && len(m) == 1 {
		if decoded, err := models.TypedItem(map[string]any{"": v}); err == nil {
			return decoded[""] // with its type
		}
	}
	for _, t := range []models.Type{models.TypeM, models.TypeL} {
		if decoded, err := models.TypedItem(map[string]any{"": map[string]any{string(t): v}}); err == nil && isFilled(v) {
			return decoded[""]
		}
	}
	return v
}

// isFilled reports whether a map or a list has elements. Empty ones look the same in plain and DynamoDB JSON.
func isFilled(v any) bool {
	m, _ := v.(map[string]any)
	list, _ := v.([]any)
	return len(m)+len(list) > 0
}
