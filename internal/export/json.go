// This file writes the formats that are JSON.

package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/ddbdesk/ddbdesk/models"
)

// Visible returns a writer of JSON that spells what leads a terminal or an eye
// astray as \uXXXX. Each Write to it must hold whole characters.
func Visible(w io.Writer) io.Writer { return visible{w} }

type visible struct{ w io.Writer }

func (v visible) Write(text []byte) (int, error) {
	if _, err := v.w.Write(models.PrintableJSON(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// elements writes items into the array that opens the document.
func (w *Writer) elements(items []models.Item) error {
	var text []byte
	if !w.opened {
		w.opened = true
		name := "items"
		if w.format == DynamoDB {
			name = "Items"
		}
		text = append(text, `{"`+name+`":[`...)
	}
	for i, it := range items {
		it = w.shape.masked(it)
		if w.written+i > 0 {
			text = append(text, ',')
		}
		text = append(text, '\n')
		if w.format == DynamoDB {
			text = it.AppendDynamoDBJSON(text)
		} else {
			text = it.AppendJSON(text)
		}
	}
	_, err := w.w.Write(text)
	return err
}

// lines writes an item, or its key, a line.
func (w *Writer) lines(items []models.Item) error {
	var text []byte
	for _, it := range items {
		it = w.shape.masked(it)
		text = text[:0]
		if w.format == Keys {
			key, _ := w.shape.Table.PrimaryKey(it)
			text = key.AppendDynamoDBJSON(text)
		} else {
			text = it.AppendJSON(text)
		}
		if _, err := w.w.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// closeDocument writes the members behind the items. DynamoDB's own document
// has none but the number of a count.
func (w *Writer) closeDocument(t Tail) error {
	if !w.opened {
		if err := w.elements(nil); err != nil {
			return err
		}
	}
	fields := t.Fields
	if w.format == DynamoDB {
		fields = nil
		if w.shape.Count {
			fields = []Field{{"Count", t.Count}}
		}
	} else {
		fields = append([]Field{{"count", t.Count}}, fields...)
	}
	text := []byte("]")
	for _, f := range fields {
		value, err := json.Marshal(f.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		text = append(text, `,"`+f.Name+`":`...)
		text = append(text, value...)
	}
	_, err := w.w.Write(append(text, "}\n"...))
	return err
}

// number writes the answer of a count where it is no document.
func (w *Writer) number(n int) error {
	text := strconv.Itoa(n)
	switch w.format {
	case CSV, TSV:
		text = "count\n" + text
	case JSONL, Keys:
		text = `{"count":` + text + "}"
	default:
	}
	_, err := io.WriteString(w.w, text+"\n")
	return err
}
