package items

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Format is one way to write items. Formats are package variables and never change.
type Format struct {
	Name      string // value of --output, and in the journal
	Title     string // for people: "JSON lines"
	Extension string // of a file name, without the dot
	Note      string // what it is good for, for a list of formats
	ItemNote  string // the same for a single item
	Buffered  bool   // writes nothing before Close

	columns columnChoice
	// item appends one item as a document of its own; nil when the format has none.
	item func(models.Item, []byte) []byte
	// count returns the output of a count; nil when close of the encoder writes it.
	count   func(n int) string
	encoder func(io.Writer, *layout) encoder
}

// HasColumns reports whether the format is a table with a column for each attribute.
func (f *Format) HasColumns() bool { return f.columns != noColumns }

// String returns the name of the format.
func (f *Format) String() string { return f.Name }

// An encoder writes items in a format. It masks them as its layout says.
type encoder interface {
	write([]models.Item) error
	close(Tail) error
}

// formats are all formats of files and of --output, in the order in which they are
// offered. TSV and Keys are for the clipboard.
var formats = []*Format{CSV, JSONL, JSON, DynamoDB, Text}

// Formats returns the formats of files and of --output. The slice is shared and must not
// change.
func Formats() []*Format { return formats }

// ItemFormats returns the formats that can hold a single item as a document.
func ItemFormats() []*Format {
	var list []*Format
	for _, f := range formats {
		if f.item != nil {
			list = append(list, f)
		}
	}
	return list
}

// Named returns the format of files and of --output with that name, nil for none.
func Named(name string) *Format {
	for _, f := range formats {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Item returns one item, which the caller masked, as an indented JSON document. The
// format must be one of ItemFormats.
func (f *Format) Item(it models.Item) string {
	var b bytes.Buffer
	if err := json.Indent(&b, f.item(it, nil), "", "  "); err != nil {
		panic(err) // models writes valid JSON.
	}
	return string(models.PrintableJSON(b.Bytes()))
}

// The outputs of a count in formats that are not one document.

func plainCount(n int) string { return strconv.Itoa(n) + "\n" }

func csvCount(n int) string { return "count\n" + plainCount(n) }

func jsonCount(n int) string { return `{"count":` + strconv.Itoa(n) + "}\n" }
