package changes

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/models"
)

// WriteCSV writes a line for each item, safe to open in a spreadsheet.
func (b BulkSummary) WriteCSV(w io.Writer) error {
	rows := [][]string{{"table", "key", "status", "why", "journal"}}
	for _, o := range b.Outcomes {
		rows = append(rows, []string{o.Table, o.Key, string(o.Status), o.Why, o.Journal})
	}
	if err := export.WriteRecords(w, rows); err != nil {
		return fmt.Errorf("writing the outcomes: %w", err)
	}
	return nil
}

// WriteJSON writes the counts and an object for each item.
func (b BulkSummary) WriteJSON(w io.Writer) error {
	type outcome struct {
		Table   string     `json:"table"`
		Key     string     `json:"key"`
		Status  BulkStatus `json:"status"`
		Why     string     `json:"why"`
		Journal string     `json:"journal"`
	}
	doc := struct {
		Counts   map[BulkStatus]int `json:"counts"`
		Capacity float64            `json:"consumedCapacity"`
		Items    []outcome          `json:"items"`
	}{map[BulkStatus]int{}, b.Capacity, []outcome{}}
	for _, s := range BulkStatuses() {
		doc.Counts[s] = b.Counts[s]
	}
	for _, o := range b.Outcomes {
		doc.Items = append(doc.Items, outcome{o.Table, models.Printable(o.Key), o.Status, o.Why, o.Journal})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("writing the outcomes: %w", err)
	}
	return nil
}
