// Package items writes items as CSV, TSV, JSON, JSON lines, DynamoDB JSON and aligned text, and creates the files for
// them. It also reads these files, the requests of batch-write-item and DynamoDB exports to S3. It writes and reads
// items one by one, so that it can export and load tables larger than memory; only aligned text keeps its rows.
//
// To add a format, declare a [Format] in a new file and add it to the list in format.go. Code outside this package does
// not list the formats, except where the console offers some of them for the clipboard.
//
// Every format keeps all digits of a number. Control characters and other misleading text never reach the output: JSON
// escapes them without loss, CSV and text replace them. No CSV cell starts a formula. The caller controls what is
// visible, by passing masked items or a masker.
package items

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Shape describes the items before the first one arrives.
type Shape struct {
	Table    *models.Table
	Entities []*models.Entity // entities that the items may have
	Count    bool             // the result is a number, not items

	// Columns are the columns of CSV, TSV and text, as attribute paths. Without them, CSV and TSV have, in this order:
	// the columns of the entities, the key attributes of the table and its indexes, every documented attribute, and the
	// other attributes of the first page, in byte order. Text has the columns of the entities, or all of these if the
	// entities define none.
	Columns []string
	// Kind adds the name of each item's entity: a first column, or a first member of plain JSON, both called
	// models.EntityField. DynamoDB JSON never contains it, because tables accept that format.
	Kind bool
	// Masker hides values; nil hides nothing.
	Masker *models.Masker
}

// A Tail contains the end of a JSON document, after its items.
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

// A Writer writes items in one format. After an error the output is incomplete. It is not safe for concurrent use. Call
// Close even if there are no items: otherwise JSON would be incomplete.
type Writer struct {
	w       io.Writer
	format  *Format
	layout  *layout
	encoder encoder
	written int
}

// NewWriter returns a writer of the format. It writes nothing before the first Write or Close. Only a Buffered format
// buffers more than a page, so w should have its own buffer.
func NewWriter(w io.Writer, f *Format, s Shape) *Writer {
	l := &layout{Shape: s, choice: f.columns, labels: f == Text}
	return &Writer{w: w, format: f, layout: l, encoder: f.encoder(w, l)}
}

// LeftOut returns the attributes that have no column, in byte order. The columns are chosen before the first item is
// written, and these attributes first appeared later.
func (w *Writer) LeftOut() []string { return slices.Sorted(maps.Keys(w.layout.left)) }

// Changed returns the number of values that the format cannot represent exactly: control characters, line endings and
// empty texts in CSV.
func (w *Writer) Changed() int {
	if w.format.columns != allColumns {
		return 0
	}
	return w.layout.changed
}

// Settle chooses the columns from all items to write. It is optional, and must precede the first Write.
func (w *Writer) Settle(pages iter.Seq[[]models.Item]) { w.layout.choose(pages) }

// Write writes items. An empty page writes the header. Write does not keep the slice, but a Buffered format keeps the
// cells.
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

// Close writes the text after the items. It does not close the underlying writer.
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
