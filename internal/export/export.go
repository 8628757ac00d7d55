// Package export writes items for spreadsheets, scripts and people: CSV, TSV,
// JSON, JSON lines, DynamoDB's own JSON and aligned text. Items are written as
// they come, so that a table larger than memory can be exported; only aligned
// text keeps its rows.
//
// Numbers keep every digit in every format. What a terminal would act on never
// gets out: JSON spells such characters as \uXXXX and loses nothing, CSV and
// text show them as models.Printable does. No cell of CSV is run by a
// spreadsheet. Masking is the caller's, who gives a Shape the function for it or
// writes items that are masked.
package export

import (
	"fmt"
	"io"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Format is a way to write items.
type Format string

// The formats.
const (
	CSV      Format = "csv"      // a line of cells an item, for spreadsheets
	TSV      Format = "tsv"      // the same with tabs, to be pasted into one
	JSON     Format = "json"     // one document: items, and figures behind them
	JSONL    Format = "jsonl"    // a line of JSON an item
	DynamoDB Format = "dynamodb" // one document {"Items":[…]} with DynamoDB's types
	Text     Format = "table"    // aligned columns, long cells cut
	Keys     Format = "keys"     // a line an item: its primary key, typed as DynamoDB takes it
)

// Formats lists the formats that a person chooses from for a file.
func Formats() []Format { return []Format{CSV, JSONL, JSON, DynamoDB, Text} }

// Ext is the usual ending of a file in the format, without its dot.
func (f Format) Ext() string {
	switch f {
	case DynamoDB:
		return "json"
	case Text:
		return "txt"
	case Keys:
		return "jsonl"
	default:
		return string(f)
	}
}

// Title is what the format is called for people.
func (f Format) Title() string {
	switch f {
	case CSV:
		return "CSV"
	case TSV:
		return "TSV"
	case JSON:
		return "JSON"
	case JSONL:
		return "JSON lines"
	case DynamoDB:
		return "DynamoDB JSON"
	case Text:
		return "aligned text"
	case Keys:
		return "keys"
	default:
		return string(f)
	}
}

// A Shape is what is known of the items before the first one comes.
type Shape struct {
	Table    *models.Table
	Entities []*models.Entity // what the items may be
	Count    bool             // the answer is a number, not items

	// Columns, when set, are the columns of CSV, TSV and text, as attribute
	// paths. Without them CSV has, in this order: what the entities show as
	// columns, the key attributes of the table and its indexes, every documented
	// attribute, and what else the items of the first Write have, in byte order.
	// Text has only the first of these where there are any.
	Columns []string
	// Kind, when set, names what an item is, for a column in front: a result of
	// several entities. The column is called "entity".
	Kind func(models.Item) string
	// Mask, when set, returns an item as it may be written. Kind is asked before.
	Mask func(models.Item) models.Item
}

// masked is an item as it is written.
func (s Shape) masked(it models.Item) models.Item {
	if s.Mask == nil {
		return it
	}
	return s.Mask(it)
}

// A Tail is what a JSON document says behind its items.
type Tail struct {
	Count  int
	Fields []Field
}

// A Field is a member of the document; Value is given to encoding/json.
type Field struct {
	Name  string
	Value any
}

// A Writer writes items in one format. After an error of the writer below, what
// was written is not whole.
type Writer struct {
	w       io.Writer
	format  Format
	shape   Shape
	opened  bool
	written int

	columns []string
	known   map[string]bool // heads of the columns
	left    map[string]bool
	text    *TextTable
	cells   cellWriter
}

// NewWriter returns the writer of a format. Nothing is written before the first
// items, or Close.
func NewWriter(w io.Writer, f Format, s Shape) *Writer {
	switch f {
	case JSON, JSONL, DynamoDB, Keys:
		w = Visible(w)
	case CSV, TSV, Text:
	}
	return &Writer{w: w, format: f, shape: s, left: map[string]bool{}}
}

// Written returns how many items were written.
func (w *Writer) Written() int { return w.written }

// LeftOut returns, in byte order, the attributes that have no column: the
// columns are chosen at the first Write, and these came later.
func (w *Writer) LeftOut() []string {
	names := make([]string, 0, len(w.left))
	for n := range w.left {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Write writes items. It may be called with none, which settles the columns of
// CSV and text.
func (w *Writer) Write(items []models.Item) error {
	if w.shape.Count && w.format != JSON && w.format != DynamoDB {
		return nil
	}
	var err error
	switch w.format {
	case JSON, DynamoDB:
		err = w.elements(items)
	case JSONL, Keys:
		err = w.lines(items)
	case CSV, TSV:
		err = w.records(items)
	default:
		w.rows(items)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", w.format.Title(), err)
	}
	w.written += len(items)
	return nil
}

// Close writes what stands behind the items. It does not close the writer
// below.
func (w *Writer) Close(t Tail) error {
	var err error
	switch {
	case w.format == JSON || w.format == DynamoDB:
		err = w.closeDocument(t)
	case w.shape.Count:
		err = w.number(t.Count)
	case w.format == Text && w.text != nil && w.text.Len() > 0:
		err = w.text.Write(w.w)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", w.format.Title(), err)
	}
	return nil
}
