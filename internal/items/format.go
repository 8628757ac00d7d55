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
	Name      string // name in --output and in the journal
	Title     string // name for people: "JSON lines"
	Extension string // file name extension, without the dot
	Note      string // recommended use, for a list of formats
	ItemNote  string // recommended use for a single item
	Buffered  bool   // writes nothing before Close

	columns columnChoice
	// item appends one item as a separate document; nil if the format has no documents.
	item func(models.Item, []byte) []byte
	// count returns the output for a count; nil if the encoder's close writes it.
	count   func(n int) string
	encoder func(io.Writer, *layout) encoder
}

// HasColumns reports whether the format is a table with a column for each attribute.
func (f *Format) HasColumns() bool { return f.columns != noColumns }

// String returns the name of the format.
func (f *Format) String() string { return f.Name }

// An encoder writes items in a format. It masks them with the Masker of its layout.
type encoder interface {
	write([]models.Item) error
	close(Tail) error
}

// formats lists the formats of files and of --output, in the order in which the console offers them. TSV and Keys are
// only for the clipboard.
var formats = []*Format{CSV, JSONL, JSON, DynamoDB, Text}

// Formats returns the formats of files and of --output. Callers must not modify the shared slice.
func Formats() []*Format { return formats }

// ItemFormats returns the formats that can write a single item as a document.
func ItemFormats() []*Format {
	var list []*Format
	for _, f := range formats {
		if f.item != nil {
			list = append(list, f)
		}
	}
	return list
}

// Named returns the format of files and of --output with a name, or nil.
func Named(name string) *Format {
	for _, f := range formats {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Item returns an item as an indented JSON document. The caller must mask the item, and the format must be one of
// ItemFormats.
func (f *Format) Item(it models.Item) string {
	var b bytes.Buffer
	if err := json.Indent(&b, f.item(it, nil), "", "  "); err != nil {
		panic(err) // models writes valid JSON.
	}
	return string(models.PrintableJSON(b.Bytes()))
}

// The count formatters of formats that do not write a document.

func plainCount(n int) string { return strconv.Itoa(n) + "\n" }

func csvCount(n int) string { return "count\n" + plainCount(n) }

func jsonCount(n int) string { return `{"count":` + strconv.Itoa(n) + "}\n" }
