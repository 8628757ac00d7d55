// This file writes the rows of a run in every output format. Rows are written
// as they come, so that a table larger than memory can be exported.

package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

type rowWriter struct {
	w       io.Writer
	format  string
	request *accesspatterns.Request
	opened  bool
	written int
	columns []string
	table   *textTable
	csv     *csv.Writer
}

func newRowWriter(w io.Writer, format string, r *accesspatterns.Request) *rowWriter {
	switch format {
	case "json", "jsonl", "dynamodb":
		w = jsonWriter{w}
	}
	return &rowWriter{w: w, format: format, request: r}
}

// rows writes masked rows.
func (w *rowWriter) rows(rows []models.Item) error {
	if w.request.IsCount() && (w.format == "table" || w.format == "csv" || w.format == "jsonl") {
		return nil
	}
	switch w.format {
	case "json", "dynamodb":
		return w.elements(rows)
	case "jsonl":
		for _, it := range rows {
			if _, err := w.w.Write(append(it.AppendJSON(nil), '\n')); err != nil {
				return err
			}
		}
		return nil
	case "csv":
		return w.csvRows(rows)
	default:
		return w.tableRows(rows)
	}
}

// elements writes rows into the array that opens the envelope.
func (w *rowWriter) elements(rows []models.Item) error {
	var text []byte
	if !w.opened {
		w.opened = true
		name := "items"
		if w.format == "dynamodb" {
			name = "Items"
		}
		text = append(text, `{"`+name+`":[`...)
	}
	for _, it := range rows {
		if w.written > 0 {
			text = append(text, ',')
		}
		w.written++
		text = append(text, '\n')
		if w.format == "dynamodb" {
			text = it.AppendDynamoDBJSON(text)
		} else {
			text = it.AppendJSON(text)
		}
	}
	_, err := w.w.Write(text)
	return err
}

// head chooses the columns: the entity's own, then everything documented, then
// what the first rows have besides.
func (w *rowWriter) head(rows []models.Item) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			w.columns = append(w.columns, name)
		}
	}
	for _, e := range w.request.Pattern.Returns {
		for _, c := range e.Columns {
			add(c)
		}
	}
	if w.format == "table" && len(w.columns) > 0 {
		return
	}
	for _, k := range w.request.Pattern.Table.KeyAttributes() {
		add(k.Name)
	}
	for _, e := range w.request.Pattern.Returns {
		for _, a := range e.Attributes {
			if !a.KeyOnly {
				add(a.Name)
			}
		}
	}
	for _, it := range rows {
		for _, n := range it.Names() {
			add(n)
		}
	}
}

func cellText(it models.Item, column string) string {
	v, ok := it.At(column)
	if !ok {
		return ""
	}
	if text, ok := models.ValueText(v); ok {
		return text
	}
	if _, null := v.(*types.AttributeValueMemberNULL); null {
		return ""
	}
	return string(models.AppendValueJSON(nil, v))
}

func (w *rowWriter) csvRows(rows []models.Item) error {
	if w.csv == nil {
		w.head(rows)
		w.csv = csv.NewWriter(w.w)
		names := make([]string, len(w.columns))
		for i, c := range w.columns {
			names[i] = csvCell(c)
		}
		if err := w.csv.Write(names); err != nil {
			return err
		}
	}
	for _, it := range rows {
		record := make([]string, len(w.columns))
		for i, c := range w.columns {
			v, _ := it.At(c)
			record[i] = cellText(it, c)
			if models.ValueType(v) != models.TypeN {
				record[i] = csvCell(record[i])
			}
		}
		if err := w.csv.Write(record); err != nil {
			return err
		}
	}
	w.csv.Flush()
	return w.csv.Error()
}

func (w *rowWriter) tableRows(rows []models.Item) error {
	if w.table == nil {
		w.head(rows)
		w.table = newTable(w.columns...)
	}
	for _, it := range rows {
		cells := make([]string, len(w.columns))
		for i, c := range w.columns {
			cells[i] = cellText(it, c)
		}
		w.table.add(cells...)
	}
	return nil
}

// end closes the output. total sums the pages, next is the token or "".
func (w *rowWriter) end(total session.Page, next string) error {
	if w.request.IsCount() && w.format != "json" && w.format != "dynamodb" {
		return w.count(total.Count)
	}
	switch w.format {
	case "json":
		return w.envelope(total, next)
	case "dynamodb":
		if w.request.IsCount() {
			_, err := fmt.Fprintf(w.w, "],\"Count\":%d}\n", total.Count)
			return err
		}
		_, err := io.WriteString(w.w, "]}\n")
		return err
	case "table":
		if len(w.table.rows) == 1 {
			return nil
		}
		return w.table.write(w.w)
	}
	return nil
}

func (w *rowWriter) count(n int) error {
	text := strconv.Itoa(n)
	switch w.format {
	case "csv":
		text = "count\n" + text
	case "jsonl":
		text = `{"count":` + text + "}"
	}
	_, err := io.WriteString(w.w, text+"\n")
	return err
}

// envelope writes the fields behind the items.
func (w *rowWriter) envelope(total session.Page, next string) error {
	var token any
	if next != "" {
		token = next
	}
	tail := []struct {
		name  string
		value any
	}{
		{"count", total.Count},
		{"scannedCount", total.Scanned},
		{"consumedCapacity", math.Round(total.Capacity*1000) / 1000},
		{"requests", total.Requests},
		{"next", token},
		{"finding", describeFinding(w.request.Pattern.Defect())},
	}
	text := []byte("],")
	for i, f := range tail {
		if i > 0 {
			text = append(text, ',')
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.name, err)
		}
		text = append(text, `"`+f.name+`":`...)
		text = append(text, value...)
	}
	_, err := w.w.Write(append(text, "}\n"...))
	return err
}
