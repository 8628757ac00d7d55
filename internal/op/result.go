package op

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Result is the result of an operation. Every front end can show every result.
type Result interface {
	// JSON returns the document of the command contract. Its JSON encoding must not change.
	JSON() any
	// Text writes the result for people. Its text may change.
	Text(to Output) error
}

// A Formatter is a result that supports more formats than text and JSON.
type Formatter interface {
	Result
	// Write writes the result in one of the operation's formats.
	Write(to Output, format string) error
}

// An Envelope is the document that contains the rows of a stream as one of its members.
type Envelope struct {
	Member string     // "" if there is no document around the rows, or if the list is the document
	Array  bool       // the document is a list of rows
	Head   any        // members before the rows
	Tail   func() any // returns the members after the rows; called after writing the rows
	// End receives the error that ended the rows or the output, after everything is written. It returns the outcome.
	// With a nil End, the outcome is that error.
	End func(err error) error
}

// An Output receives the text of a result. It may be a terminal, which draws tables itself; see items.Drawer.
type Output struct {
	io.Writer

	SideOutput io.Writer         // receives text outside of the result, such as a summary, so that scripts can count lines
	Note       func(text string) // writes a one-line note outside of the result
	Plain      bool              // the text is for role support; see [session.Role.Plain]

	// Grid returns a writer that draws the items of a request in the console's columns. It is nil if the output is not
	// a terminal.
	Grid func(w *workspace.Workspace, r *accesspatterns.Request) Items
	// Progress shows a line after one second and refreshes it until end is called. It is nil if nobody would see it.
	Progress func(line func() string) (end func())
}

// Items receives a pattern's results page by page. An items.Writer implements it.
type Items interface {
	Write(items []models.Item) error
	Close(tail items.Tail) error
	// Omitted returns the attributes without a column.
	Omitted() []string
	// Changed returns the number of values that the format cannot represent exactly.
	Changed() int
}

// Notef writes a formatted note.
func (to Output) Notef(format string, args ...any) { to.Note(fmt.Sprintf(format, args...)) }

// Lines writes lines and makes them printable.
func (to Output) Lines(lines ...string) error {
	if len(lines) == 0 {
		return nil
	}
	lines = strings.Split(strings.Join(lines, "\n"), "\n")
	for i, l := range lines {
		lines[i] = models.Printable(l)
	}
	_, err := io.WriteString(to.Writer, strings.Join(lines, "\n")+"\n")
	return err
}

// Draws reports whether the output is a terminal, which draws tables itself.
func (to Output) Draws() bool {
	_, ok := to.Writer.(items.Drawer)
	return ok
}

// At returns a time in the form of the output: short on a terminal, otherwise RFC 3339.
func (to Output) At(t time.Time) string {
	if d, ok := to.Writer.(items.Drawer); ok {
		return d.At(t)
	}
	return t.Format(time.RFC3339)
}

// Sentences writes lines that no one copies as a whole, such as a plan. A terminal wraps them.
func (to Output) Sentences(lines ...string) error {
	if to.Draws() && len(lines) > 0 {
		return items.NewSentences(strings.Split(strings.Join(lines, "\n"), "\n")...).Write(to.Writer)
	}
	return to.Lines(lines...)
}

// JSON writes a document as indented JSON without control characters.
func (to Output) JSON(document any) error {
	e := json.NewEncoder(items.NewEscapingWriter(to.Writer))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// Rows is a list of documents of one type. Fields with a col tag become the columns of the table in text, in this
// order: `col:"TITLE"`, or `col:"TITLE,key"` for a column that must not be cut, because a partial key finds nothing.
type Rows struct {
	List  any    // slice of documents
	Plain any    // a slice of other documents as the table for role support; nil for List
	Drawn any    // a slice of other documents as the table for role support on a terminal; nil for Plain
	In    any    // document that contains the list; nil if the list is the document
	Empty string // message if there are no rows, or ""
	Note  string // note about the rows, or ""
	Next  string // note below the table on a terminal, or ""
	// Optional lists the columns that a Drawer omits first, in this order.
	Optional []string
}

// JSON returns the document.
func (r Rows) JSON() any {
	switch {
	case r.In != nil:
		return r.In
	case reflect.ValueOf(r.List).Len() == 0:
		return []any{}
	}
	return r.List
}

// Text writes the table.
func (r Rows) Text(to Output) error {
	if reflect.ValueOf(r.List).Len() == 0 && r.Empty != "" {
		to.Note(r.Empty)
		return nil
	}
	if r.Note != "" {
		to.Note(r.Note)
	}
	list := r.List
	switch {
	case to.Plain && to.Draws() && r.Drawn != nil:
		list = r.Drawn
	case to.Plain && r.Plain != nil:
		list = r.Plain
	}
	t := Table(list)
	t.Optional = r.Optional
	err := t.Write(to.Writer)
	if err == nil && r.Next != "" && to.Draws() {
		to.Note(r.Next)
	}
	return err
}

// Table returns a table of documents with their columns. rows is a slice.
func Table(rows any) *items.TextTable {
	var header []string
	var fields []int
	list := reflect.ValueOf(rows)
	rowType, key := list.Type().Elem(), ""
	for i := range rowType.NumField() {
		if title, form, _ := strings.Cut(rowType.Field(i).Tag.Get("col"), ","); title != "" {
			if header, fields = append(header, title), append(fields, i); form == "key" {
				key = title
			}
		}
	}
	t := items.NewTextTable(header...)
	t.Keys = key
	for row := range list.Len() {
		t.Add(models.MapSlice(fields, func(f int) string { return cell(list.Index(row).Field(f)) })...)
	}
	return t
}

// cell returns the text of a field. It prefers the String method of the type. A missing value is empty.
func cell(v reflect.Value) string {
	if k := v.Kind(); v.IsZero() && (k == reflect.Pointer || k == reflect.Struct) {
		return ""
	}
	switch x := v.Interface().(type) {
	case time.Time:
		return x.Format(time.RFC3339)
	case fmt.Stringer:
		return x.String()
	case []string:
		return strings.Join(x, ", ")
	}
	return fmt.Sprint(reflect.Indirect(v).Interface())
}

// OrNull returns a pointer to text, or nil for "". JSON encodes nil as null.
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// A Doc is a document with lines of text.
type Doc struct {
	Document any
	Head     func(to Output) []string // lines with times, before the others; nil for none
	Lines    []string
	Notes    []string // notes in addition to the lines
	After    string   // note after the document in every format, or ""
}

// JSON returns the document.
func (d Doc) JSON() any { return d.Document }

// Text writes the lines.
func (d Doc) Text(to Output) error {
	for _, text := range d.Notes {
		to.Note(text)
	}
	if d.Head != nil {
		d.Lines = slices.Concat(d.Head(to), d.Lines)
	}
	return to.Sentences(d.Lines...)
}

// Raw is text to write unchanged, such as a file.
type Raw []byte

// JSON returns the text.
func (r Raw) JSON() any { return string(r) }

// Text writes the text.
func (r Raw) Text(to Output) error {
	_, err := to.Write(r)
	return err
}

// A Stream is a result whose rows appear as they arrive. An error ends it. As text, each row is a line or a row of a
// table.
type Stream struct {
	Envelope

	Rows  iter.Seq2[any, error]
	Line  func(to Output, row any) string // returns "" for a row to omit from the text
	Table *items.TextTable                // table without rows; nil for lines
	Cells func(row any) [][]string
	Drawn func(row any, cells [][]string) [][]string // returns the cells for a Drawer, nil to omit the row; may be nil
	Above func(to Output, row any) []string          // returns lines to write immediately above the table; nil for none
	First *items.TextTable                           // table before the rows, or nil
}

// JSON returns nil, because a stream is not a document.
func (s Stream) JSON() any { return nil }

// tablePart is the number of rows to align together, so that memory use stays low.
const tablePart = 1000

// Text writes a line for each row, or a table in parts.
func (s Stream) Text(to Output) error {
	if s.Table == nil {
		return s.Each(func(row any) error {
			if line := s.Line(to, row); line != "" {
				return to.Sentences(line)
			}
			return nil
		})
	}
	gap := ""
	if s.First != nil {
		gap = "\n"
		if err := s.First.Write(to.Writer); err != nil {
			return err
		}
	}
	write := func() error {
		if _, err := io.WriteString(to.Writer, gap); err != nil {
			return err
		}
		gap = ""
		return s.Table.Write(to.Writer)
	}
	err := s.Each(func(row any) error {
		if s.Above != nil {
			if err := to.Sentences(s.Above(to, row)...); err != nil {
				return err
			}
		}
		rows := s.Cells(row)
		if to.Draws() && s.Drawn != nil {
			rows = s.Drawn(row, rows)
		}
		for _, cells := range rows {
			s.Table.Add(cells...)
		}
		if s.Table.Len() < tablePart {
			return nil
		}
		return write()
	})
	if s.Table.Len() == 0 {
		return err
	}
	return cmp.Or(err, write())
}

// Pushed returns the rows that a function passes to add. After the reader of the rows stops, add returns an error. The
// reader receives the error of the function after the rows.
func Pushed(run func(add func(row any) error) error) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		more := true
		err := run(func(row any) error {
			if more = more && yield(row, nil); !more {
				return context.Canceled
			}
			return nil
		})
		if err != nil && more {
			yield(nil, err)
		}
	}
}

// Each calls do for each row, until there are no more rows or an error occurs.
func (s Stream) Each(do func(row any) error) error {
	for row, err := range s.Rows {
		if err == nil {
			err = do(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
