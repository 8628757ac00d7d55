// Package items writes items as CSV, TSV, JSON, JSON lines, DynamoDB JSON and
// aligned text, creates the files that hold them, and reads such files, the requests of
// batch-write-item and exports of DynamoDB to S3. Items are written and read one by
// one, so that a table larger than memory can be exported and loaded; only aligned text
// keeps its rows.
//
// To add a format, declare a [Format] in a file of its own and add it to the list
// in format.go. Nothing outside this package names the formats one by one, except
// where the console offers some of them for the clipboard.
//
// Every format keeps all digits of a number. Control characters and other text
// that could mislead a terminal never reach the output: JSON escapes them without
// loss, CSV and text replace them. No CSV cell starts a formula. What may be shown
// is decided by the caller, who passes masked items or a masker.
package items

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Shape is what is known about the items before the first one arrives.
type Shape struct {
	Table    *models.Table
	Entities []*models.Entity // entities that the items may have
	Count    bool             // the result is a number, not items

	// Columns are the columns of CSV, TSV and text, as attribute paths. Without them, CSV
	// and TSV have, in this order: the columns of the entities, the key attributes of the
	// table and its indexes, every documented attribute, and the other attributes of the
	// first page, in byte order. Text has the columns of the entities, or all of these if
	// the entities name none.
	Columns []string
	// Kind adds the name of each item's entity: a first column, or a first member of plain JSON, both called
	// models.EntityField. DynamoDB JSON never has it, because it is what a table takes.
	Kind bool
	// Masker hides what may not be written; nil hides nothing.
	Masker *models.Masker
}

// A Tail is what a JSON document holds after its items.
type Tail struct {
	Count     int
	Truncated bool // an error ended the reading, so items are missing
	Fields    []Field
}

// A Field is a member of the document; encoding/json encodes its Value.
type Field struct {
	Name  string
	Value any
}

// A Writer writes items in one format. After an error the output is incomplete. It is not safe
// for concurrent use. Close must be called even when there are no items: JSON would not be
// complete.
type Writer struct {
	w       io.Writer
	format  *Format
	layout  *layout
	encoder encoder
	written int
}

// NewWriter returns a writer of the format. It writes nothing before the first
// Write or Close. The writer does not buffer more than a page, except for a format that is
// Buffered, so w should.
func NewWriter(w io.Writer, f *Format, s Shape) *Writer {
	l := &layout{Shape: s, choice: f.columns, labels: f == Text}
	return &Writer{w: w, format: f, layout: l, encoder: f.encoder(w, l)}
}

// LeftOut returns the attributes that have no column, in byte order: columns are
// chosen before the first item is written, and these attributes came later.
func (w *Writer) LeftOut() []string { return slices.Sorted(maps.Keys(w.layout.left)) }

// Changed returns how many values the format cannot hold as they are: control characters, line ends and empty texts in CSV.
func (w *Writer) Changed() int {
	if w.format.columns != allColumns {
		return 0
	}
	return w.layout.changed
}

// Settle chooses the columns from all items that will be written. It is optional,
// and precedes the first Write.
func (w *Writer) Settle(pages iter.Seq[[]models.Item]) { w.layout.choose(pages) }

// Write writes items. An empty page is allowed; it writes the header. The slice is not kept,
// except that a Buffered format keeps the cells.
func (w *Writer) Write(items []models.Item) error {
	if w.countsOnly() {
		return nil
	}
	w.layout.choose(func(yield func([]models.Item) bool) { yield(items) })
	if err := w.encoder.write(items); err != nil {
		return fmt.Errorf("write %s: %w", w.format.Title, err)
	}
	w.written += len(items)
	return nil
}

// Close writes what follows the items. It does not close the underlying writer.
func (w *Writer) Close(t Tail) error {
	var err error
	if w.countsOnly() {
		_, err = io.WriteString(w.w, w.format.count(t.Count))
	} else {
		err = w.encoder.close(t)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", w.format.Title, err)
	}
	return nil
}

func (w *Writer) countsOnly() bool { return w.layout.Count && w.format.count != nil }
