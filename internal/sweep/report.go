package sweep

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/models"
)

// WriteCSV writes a line for each item, safe to open in a spreadsheet. The columns are a part
// of the command contract. Keys are masked.
func (s Summary) WriteCSV(w io.Writer) error {
	rows := [][]string{{"table", "key", "status", "why", "journal"}}
	for _, o := range s.Outcomes {
		rows = append(rows, []string{o.Table, o.Key, string(o.Status), o.Why, o.Journal})
	}
	if err := items.WriteRecords(w, rows); err != nil {
		return fmt.Errorf("writing the outcomes: %w", err)
	}
	return nil
}

// WriteJSON writes the counts and an object for each item. It is a part of the command
// contract: every status has a count, also 0, and items is never null.
func (s Summary) WriteJSON(w io.Writer) error {
	doc := struct {
		Sweep    string         `json:"sweep"`
		Counts   map[Status]int `json:"counts"`
		Capacity float64        `json:"consumedCapacity"`
		Items    []Outcome      `json:"items"`
	}{s.ID, map[Status]int{}, s.Capacity, []Outcome{}}
	for _, status := range Statuses() {
		doc.Counts[status] = s.Counts[status]
	}
	for _, o := range s.Outcomes {
		o.Key = models.Printable(o.Key)
		doc.Items = append(doc.Items, o)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("writing the outcomes: %w", err)
	}
	return nil
}
