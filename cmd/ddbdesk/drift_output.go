// This file writes what a search for drift found, item by item as it is found.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A driftLine is an item with a defect, and what became of its repair.
type driftLine struct {
	item    session.DriftItem
	masker  *models.Masker
	key     string // shown
	defects []accesspatterns.Defect

	repair, why, journal string
	plan                 *accesspatterns.Plan
}

// driftJSON always has all its fields.
type driftJSON struct {
	Table   string                        `json:"table"`
	Entity  *string                       `json:"entity"` // null when none fits
	Key     models.Item                   `json:"key"`
	Defects []defectJSON                  `json:"defects"`
	Repair  *string                       `json:"repair"` // null when none was asked for, or it failed
	Why     *string                       `json:"why"`
	Writes  []accesspatterns.PlannedWrite `json:"writes"`
	Journal *string                       `json:"journal"`
}

type defectJSON struct {
	Kind      accesspatterns.DefectKind `json:"kind"`
	Attribute *string                   `json:"attribute"`
	Stored    *string                   `json:"stored"`
	Expected  *string                   `json:"expected"`
	Text      string                    `json:"text"`
}

func (l driftLine) document() driftJSON {
	doc := driftJSON{
		Table: l.item.Table.Name, Defects: []defectJSON{}, Repair: optional(l.repair), Why: optional(models.Printable(l.why)),
		Writes: []accesspatterns.PlannedWrite{}, Journal: optional(l.journal),
	}
	doc.Key, _ = l.item.Table.PrimaryKey(l.masker.Item(l.item.Table, l.item.Item))
	if l.item.Entity != nil {
		doc.Entity = &l.item.Entity.Name
	}
	for _, d := range l.defects {
		doc.Defects = append(doc.Defects, defectJSON{d.Kind, optional(d.Attribute), optional(d.Stored), optional(d.Expected), d.Text})
	}
	if l.plan != nil {
		doc.Writes = l.plan.Shown(l.masker).Writes
	}
	return doc
}

// A driftWriter writes a table, or a document whose items are written as they
// come.
type driftWriter struct {
	w       io.Writer
	flags   driftFlags
	table   *export.TextTable
	written int
}

func newDriftWriter(w io.Writer, f driftFlags) *driftWriter {
	d := &driftWriter{w: w, flags: f}
	if f.output == "json" {
		d.w = export.Visible(w)
		return d
	}
	header := []string{"ENTITY", "KEY", "DEFECT", "ATTRIBUTE"}
	if f.repair {
		header = append(header, "REPAIR")
	}
	d.table = export.NewTextTable(append(header, "WHAT")...)
	d.table.WholeLast = true
	return d
}

// add writes an item.
func (d *driftWriter) add(l driftLine) error {
	if d.table != nil {
		return d.row(l)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(l.document()); err != nil {
		return fmt.Errorf("writing an item: %w", err)
	}
	head := ",\n"
	if d.written == 0 {
		head = `{"items":[` + "\n"
	}
	d.written++
	_, err := d.w.Write(append([]byte(head), bytes.TrimSpace(text.Bytes())...))
	return err
}

// row adds a line for each defect. The plan of a repair that is to be looked at
// is written at once.
func (d *driftWriter) row(l driftLine) error {
	entity := "–"
	if l.item.Entity != nil {
		entity = l.item.Entity.Name
	}
	for i, defect := range l.defects {
		cells := []string{entity, l.key, string(defect.Kind), defect.Attribute}
		if d.flags.repair {
			cells = append(cells, l.repair)
		}
		what := defectWords(defect)
		if i == 0 && l.why != "" {
			what += " (" + l.why + ")"
		}
		d.table.Add(append(cells, what)...)
	}
	if l.repair != repairPlanned {
		return nil
	}
	lines := strings.Split(strings.TrimRight(l.plan.Shown(l.masker).Text(), "\n"), "\n")
	for i, line := range lines {
		lines[i] = models.Printable(line)
	}
	_, err := io.WriteString(d.w, strings.Join(lines, "\n")+"\n\n")
	return err
}

// defectWords says how it is and should be where that tells, else what is wrong.
func defectWords(d accesspatterns.Defect) string {
	switch {
	case d.Stored != "" && d.Expected != "":
		return fmt.Sprintf("is %s, should be %s", d.Stored, d.Expected)
	case d.Stored != "":
		return fmt.Sprintf("is %s: %s", d.Stored, d.Text)
	case d.Expected != "":
		return fmt.Sprintf("should be %s: %s", d.Expected, d.Text)
	}
	return d.Text
}

// end closes the output.
func (d *driftWriter) end(sum session.DriftSummary) error {
	if d.table != nil {
		if d.table.Len() == 0 {
			return nil
		}
		return d.table.Write(d.w)
	}
	head := "\n]"
	if d.written == 0 {
		head = `{"items":[]`
	}
	_, err := fmt.Fprintf(d.w, "%s,\"count\":%d,\"scanned\":%d,\"consumedCapacity\":%g}\n",
		head, sum.Items, sum.Scanned, thousandths(sum.Capacity))
	return err
}

// thousandths rounds capacity units: the sum of many pages is not exact.
func thousandths(units float64) float64 { return math.Round(units*1000) / 1000 }
