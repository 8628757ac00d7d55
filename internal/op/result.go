package op

import (
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Result is what an operation returns. Every front end can show every result.
type Result interface {
	// JSON returns the document of the command contract. What encoding/json makes of it must not change.
	JSON() any
	// Text writes the result for people. Its text may change.
	Text(to Output) error
}

// A Formatter is a result with more formats than text and JSON.
type Formatter interface {
	Result
	// Write writes the result in a format of the operation.
	Write(to Output, format string) error
}

// A Streamer is a result whose rows are shown as they come. Its Text writes each at once.
type Streamer interface {
	Result
	// Each calls do for each row, until there is none or one has an error.
	Each(do func(row any) error) error
}

// An Output takes the text of a result. It may be a terminal that draws tables; see export.Drawer.
type Output struct {
	io.Writer

	Beside io.Writer         // for what is no part of the result, such as a summary, so that scripts can count lines
	Note   func(text string) // says something in one line, beside the result
}

// Lines writes lines, each printable.
func (to Output) Lines(lines ...string) error {
	lines = strings.Split(strings.Join(lines, "\n"), "\n")
	for i, l := range lines {
		lines[i] = models.Printable(l)
	}
	_, err := io.WriteString(to.Writer, strings.Join(lines, "\n")+"\n")
	return err
}

// Rows are documents of one type, as a list. The fields with a col tag are the columns of the table for people, in their
// order: `col:"TITLE"`, or `col:"TITLE,key"` for a column that is not cut, because half a key finds nothing.
type Rows[R any] struct {
	List  []R
	In    any    // the document that has the list; nil if the list is the document
	Empty string // what the user is told if there are no rows, "" for nothing
	Note  string // what the user is told of the rows, "" for nothing
}

// JSON returns the document.
func (r Rows[R]) JSON() any {
	if r.In != nil {
		return r.In
	}
	return append([]R{}, r.List...)
}

// Text writes the table.
func (r Rows[R]) Text(to Output) error {
	if len(r.List) == 0 && r.Empty != "" {
		to.Note(r.Empty)
		return nil
	}
	if r.Note != "" {
		to.Note(r.Note)
	}
	return Table(r.List).Write(to.Writer)
}

// Table returns rows as a table of their columns.
func Table[R any](rows []R) *export.TextTable {
	var header []string
	var fields []int
	of, key := reflect.TypeFor[R](), ""
	for i := range of.NumField() {
		if title, form, _ := strings.Cut(of.Field(i).Tag.Get("col"), ","); title != "" {
			if header, fields = append(header, title), append(fields, i); form == "key" {
				key = title
			}
		}
	}
	t := export.NewTextTable(header...)
	t.Keys = key
	for _, row := range rows {
		v, cells := reflect.ValueOf(row), make([]string, len(fields))
		for i, f := range fields {
			cells[i] = cell(v.Field(f))
		}
		t.Add(cells...)
	}
	return t
}

// cell returns the text of a field: a type with String decides itself, no value is empty.
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

// A Doc is a document with lines for people.
type Doc struct {
	Document any
	Lines    []string
}

// JSON returns the document.
func (d Doc) JSON() any { return d.Document }

// Text writes the lines.
func (d Doc) Text(to Output) error { return to.Lines(d.Lines...) }

// Raw is text that is written as it is, such as a file.
type Raw []byte

// JSON returns the text.
func (r Raw) JSON() any { return string(r) }

// Text writes the text.
func (r Raw) Text(to Output) error {
	_, err := to.Write(r)
	return err
}

// A Stream is rows that are shown as they come. An error ends it.
type Stream[R any] struct {
	Rows iter.Seq2[R, error]
	Line func(R) string // for people
}

// JSON returns nothing: a stream is no document.
func (s Stream[R]) JSON() any { return nil }

// Text writes a line for each row.
func (s Stream[R]) Text(to Output) error {
	return s.Each(func(row any) error { return to.Lines(s.Line(row.(R))) })
}

// Each calls do for each row.
func (s Stream[R]) Each(do func(row any) error) error {
	for r, err := range s.Rows {
		if err == nil {
			err = do(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
