package items

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/ddbdesk/ddbdesk/models"
)

const jsonLosses = "types that the schema does not declare"

// JSON writes one document: the items, the fields of the Tail, "masked": true if it hides a value, and "truncated":
// true if an error ended it. DynamoDB writes the last two as well.
var JSON = &Format{
	Name: "json", Title: "JSON", Extension: "json", Note: "one document, as written by ddbdesk run -o json",
	ItemNote: "plain values, exact numbers", losses: jsonLosses,
	item: models.Item.AppendJSON,
	encoder: func(w io.Writer, l *layout) encoder {
		return &documentEncoder{items: l.encoder(), w: NewEscapingWriter(w), name: "items", tail: func(t Tail) []Field {
			return append([]Field{{"count", t.Count}}, t.Fields...)
		}}
	},
}

// DynamoDB writes one document {"Items":[…]} with DynamoDB types, plus Count if the caller requested only a count.
var DynamoDB = &Format{
	Name: "dynamodb", Title: "DynamoDB JSON", Extension: "json", Note: "with DynamoDB's types", ItemNote: "with DynamoDB's types",
	item: models.Item.AppendDynamoDBJSON,
	encoder: func(w io.Writer, l *layout) encoder {
		return &documentEncoder{items: l.Masker.Encoder(l.Table, true), w: NewEscapingWriter(w), name: "Items", tail: func(t Tail) []Field {
			if !l.Count {
				return nil
			}
			return []Field{{"Count", t.Count}}
		}}
	},
}

// JSONL writes each item as one line of JSON.
var JSONL = &Format{
	Name: "jsonl", Title: "JSON Lines", Extension: "jsonl", Note: "one item per line, complete", count: jsonCount, losses: jsonLosses,
	encoder: func(w io.Writer, l *layout) encoder {
		return &lineEncoder{w: NewEscapingWriter(w), item: l.encoder().Append}
	},
}

// Keys writes one line for each item, with its primary key as DynamoDB JSON.
var Keys = &Format{
	Name: "keys", Title: "keys", Extension: "jsonl", Note: "primary keys as DynamoDB JSON, one per line", count: jsonCount,
	encoder: func(w io.Writer, l *layout) encoder {
		return &lineEncoder{w: NewEscapingWriter(w), item: func(text []byte, it models.Item) []byte {
			if l.Masker != nil {
				it = l.Masker.Item(l.Table, it)
			}
			key, _ := l.Table.PrimaryKey(it)
			return key.AppendDynamoDBJSON(text)
		}}
	},
}

// NewEscapingWriter returns a writer for JSON that escapes characters as \uXXXX if they could mislead a terminal or a
// reader. Each Write must contain whole characters.
func NewEscapingWriter(w io.Writer) io.Writer { return escapingWriter{w} }

type escapingWriter struct{ w io.Writer }

func (v escapingWriter) Write(text []byte) (int, error) {
	if _, err := v.w.Write(models.PrintableJSON(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// A documentEncoder writes one JSON document that contains an array of items and a tail.
type documentEncoder struct {
	items  *models.ItemEncoder
	w      io.Writer
	name   string // name of the array
	tail   func(Tail) []Field
	text   []byte // reused buffer
	opened bool
	filled bool // the array is not empty
}

func (e *documentEncoder) write(items []models.Item) error {
	e.text = e.text[:0]
	if !e.opened {
		e.opened = true
		e.text = append(e.text, `{"`+e.name+`":[`...)
	}
	for _, it := range items {
		if e.filled {
			e.text = append(e.text, ',')
		}
		e.filled = true
		e.text = e.items.Append(append(e.text, '\n'), it)
		if err := e.flush(pieceBytes); err != nil {
			return err
		}
	}
	return e.flush(1)
}

// pieceBytes is the approximate number of JSON bytes per write.
const pieceBytes = 32 << 10

func (e *documentEncoder) flush(minimum int) error {
	if len(e.text) < minimum {
		return nil
	}
	_, err := e.w.Write(e.text)
	e.text = e.text[:0]
	return err
}

func (e *documentEncoder) close(t Tail) error {
	if !e.opened {
		if err := e.write(nil); err != nil {
			return err
		}
	}
	text, fields := []byte("]"), e.tail(t)
	if e.items.Masked() {
		fields = append(fields, Field{"masked", true})
	}
	if t.Truncated {
		fields = append(fields, Field{"truncated", true})
	}
	for _, f := range fields {
		value, err := json.Marshal(f.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		text = append(text, `,"`+f.Name+`":`...)
		text = append(text, value...)
	}
	_, err := e.w.Write(append(text, "}\n"...))
	return err
}

// A lineEncoder writes each item as one line of JSON.
type lineEncoder struct {
	w    io.Writer
	item func(text []byte, it models.Item) []byte
	text []byte // reused buffer
}

func (e *lineEncoder) write(items []models.Item) error {
	e.text = e.text[:0]
	for i, it := range items {
		e.text = append(e.item(e.text, it), '\n')
		if i < len(items)-1 && len(e.text) < pieceBytes {
			continue
		}
		if _, err := e.w.Write(e.text); err != nil {
			return err
		}
		e.text = e.text[:0]
	}
	return nil
}

func (e *lineEncoder) close(Tail) error { return nil }
