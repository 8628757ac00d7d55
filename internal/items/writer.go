// Package items writes items as CSV, TSV, JSON, JSON lines, DynamoDB JSON and aligned text, and creates the files for
// them. It also reads these files, batch-write-item requests and DynamoDB exports to S3. It processes items one by one,
// so that tables may be larger than memory; only aligned text keeps its rows.
//
// To add a format, declare a [Format] in a new file and add it to the list in format.go. No other package lists the
// formats, except that the console offers some of them for the clipboard.
//
// Every format keeps all digits of a number. Control characters and other misleading text never reach the output: JSON
// escapes them, while CSV and text replace them. CSV cells never start a formula. The caller determines which values
// are visible, by passing masked items or a masker.
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
	Count    bool             // the result is a number instead of items

	// Columns contains the attribute paths for the columns of CSV, TSV and text. If it is nil, CSV and TSV use, in this
	// order: the columns of the entities, the key attributes of the table and its indexes, all documented attributes,
	// and the other attributes of the first page in byte order. Text uses the columns of the entities, or all of these
	// if the entities define none.
	Columns []string
	// WithEntity adds the name of each item's entity as the first column, or as the first member in plain JSON. Both are
	// named models.EntityField. DynamoDB JSON never contains it, because tables accept that format.
	WithEntity bool
	// Masker hides values; nil hides nothing.
	Masker *models.Masker
	Plain  bool // text shows the titles of states, for role support
}

// A Tail contains the end of a JSON document after the items.
type Tail struct {
	Count     int
	Truncated bool // an error ended the read, so items are missing
	Fields    []Field
}

// A Field is a member of the document. encoding/json encodes its Value.
type Field struct {
	Name  string
	Value any
}

// A Writer writes items in one format. Call Close even if there are no items; otherwise JSON is incomplete. After an
// error the output is incomplete. A Writer is not safe for concurrent use.
type Writer struct {
	w       io.Writer
	format  *Format
	layout  *layout
	encoder encoder
	written int
}

// NewWriter returns a writer for a format. It writes nothing before the first Write or Close. Only a Buffered format
// buffers more than one page, so w should have its own buffer.
func NewWriter(w io.Writer, f *Format, s Shape) *Writer {
	l := &layout{Shape: s, choice: f.columns, showsLabels: f == Text}
	return &Writer{w: w, format: f, layout: l, encoder: f.encoder(w, l)}
}

// Omitted returns the attributes without a column in byte order. They first appeared after Write had chosen the
// columns.
func (w *Writer) Omitted() []string { return slices.Sorted(maps.Keys(w.layout.omitted)) }

// Changed returns the number of values that the format cannot represent exactly; see Format.Losses.
func (w *Writer) Changed() int {
	if w.format.losses == "" {
		return 0
	}
	return w.layout.lossyValues
}

// ChooseColumns chooses the columns from all items to write. It is optional. Call it before the first Write.
func (w *Writer) ChooseColumns(pages iter.Seq[[]models.Item]) { w.layout.chooseColumns(pages) }

// Write writes items. For an empty page it writes the header. It does not retain the slice, but a Buffered format
// retains the cells.
func (w *Writer) Write(items []models.Item) error {
	if w.countsOnly() {
		return nil
	}
	w.layout.chooseColumns(func(yield func([]models.Item) bool) { yield(items) })
	if err := w.encoder.write(items); err != nil {
		return fmt.Errorf("write %s: %w", w.format.Title, err)
	}
	if w.format.losses != "" && !w.format.HasColumns() {
		for _, it := range items {
			w.layout.lossyValues += w.layout.countRetyped(it)
		}
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
