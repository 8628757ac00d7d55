package items

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Format is a way to write items. Formats are package variables and never change.
type Format struct {
	Name      string // name for --output and the journal
	Title     string // title on screens: "JSON lines"
	Extension string // file name extension, without the dot
	Note      string // recommended use, for a list of formats
	ItemNote  string // recommended use for a single item
	Buffered  bool   // writes nothing before Close

	columns columnChoice
	losses  string // values that load reads differently; "" if there are none, or if load does not read the format
	// item appends one item as a separate document. It is nil if the format does not have documents.
	item func(models.Item, []byte) []byte
	// count returns the output for a count. It is nil if the encoder's close method writes the count.
	count   func(n int) string
	encoder func(io.Writer, *layout) encoder
}

// HasColumns reports whether the format is a table with one column for each attribute.
func (f *Format) HasColumns() bool { return f.columns != noColumns }

// Losses describes the values that load reads differently from a file in this format, or returns "". See
// Writer.Changed.
func (f *Format) Losses() string { return f.losses }

// String returns the name of the format.
func (f *Format) String() string { return f.Name }

// An encoder writes items in a format. It masks them with its layout's Masker.
type encoder interface {
	write([]models.Item) error
	close(Tail) error
}

// formats lists the formats for files and --output, in the console's order. TSV and Keys are only for the clipboard.
var formats = []*Format{CSV, JSONL, JSON, DynamoDB, Text}

// Formats returns the formats for files and --output. The slice is shared, so callers must not modify it.
func Formats() []*Format { return formats }

// ItemFormats returns the formats that can write a single item as a document.
func ItemFormats() []*Format {
	return models.Filter(formats, func(f *Format) bool { return f.item != nil })
}

// FormatNamed returns the format with a name for files and --output, or nil.
func FormatNamed(name string) *Format {
	return models.First(formats, func(f *Format) bool { return f.Name == name })
}

// Item returns an item as an indented JSON document. The caller must mask the item. The format must be one of
// ItemFormats.
func (f *Format) Item(it models.Item) string {
	var b bytes.Buffer
	if err := json.Indent(&b, f.item(it, nil), "", "  "); err != nil {
		panic(err) // models always writes valid JSON.
	}
	return string(models.PrintableJSON(b.Bytes()))
}

// These functions format a count for formats that do not write a document.

func plainCount(n int) string { return strconv.Itoa(n) + "\n" }

func csvCount(n int) string { return "count\n" + plainCount(n) }

func jsonCount(n int) string { return `{"count":` + strconv.Itoa(n) + "}\n" }
