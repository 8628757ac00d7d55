package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A driftLine is an item with drift, and the outcome of its repair: "" without --repair, or
// after an error that ends the search.
type driftLine struct {
	item    drift.Result
	masker  *models.Masker
	key     string // masked
	defects []change.Defect

	repair, why, journal string
	plan                 *change.Plan
}

// document returns the item for the JSON document.
func (l driftLine) document() inconsistency {
	doc := inconsistency{
		Table: l.item.Table.Name, Repair: op.OrNull(l.repair), Why: op.OrNull(models.Printable(l.why)),
		Writes: []change.Write{}, Journal: op.OrNull(l.journal),
		Defects: defectsOf(l.defects),
	}
	doc.Key, _ = l.item.Table.PrimaryKey(l.masker.Item(l.item.Table, l.item.Item))
	if l.item.Entity != nil {
		doc.Entity = &l.item.Entity.Name
	}
	if l.plan != nil {
		doc.Writes = l.plan.Shown(l.masker).Writes
	}
	return doc
}

// An inconsistency is one item of the document. It always has all its fields. Repair is the outcome
// of the repair: planned, committed, conflict or impossible; Why is its reason or its notes.
// Writes are those of the plan, and Journal is the ID of an applied repair.
type inconsistency struct {
	Table   string         `json:"table"`
	Entity  *string        `json:"entity"` // null if no entity matches
	Key     models.Item    `json:"key"`
	Defects []defect       `json:"defects"`
	Repair  *string        `json:"repair"` // null without --repair, or if it failed
	Why     *string        `json:"why"`
	Writes  []change.Write `json:"writes"`
	Journal *string        `json:"journal"`
}

// A defect is one defect of an item. Stored and expected values are masked.
type defect struct {
	Kind      change.DefectKind `json:"kind"`
	Attribute *string           `json:"attribute"`
	Stored    *string           `json:"stored"`
	Expected  *string           `json:"expected"`
	Text      string            `json:"text"`
}

// defectsOf describes the defects of an item. The defects must be masked already; see
// change.Defect.Shown.
func defectsOf(list []change.Defect) []defect {
	out := make([]defect, len(list))
	for i, d := range list {
		out[i] = defect{d.Kind, op.OrNull(d.Attribute), op.OrNull(d.Stored), op.OrNull(d.Expected), d.Text}
	}
	return out
}

// failed records a conflict or a refusal, and returns any other error.
func (l *driftLine) failed(err error) error {
	l.repair, l.why = "", err.Error()
	switch {
	case cli.HasType[*change.Conflict](err):
		l.repair = repairConflict
	case cli.HasType[*session.Refusal](err):
		l.repair = repairImpossible
	default:
		return err
	}
	return nil
}

// A driftWriter writes the items as a table, or as a JSON document of which each
// item is written as it is found.
type driftWriter struct {
	w       io.Writer
	repairs bool             // the table has a column for repairs
	table   *items.TextTable // nil for JSON
	list    *cli.List        // nil for text
}

// newDriftWriter returns the writer of a drift command's output format.
func newDriftWriter(w io.Writer, o driftOptions) *driftWriter {
	d := &driftWriter{w: w, repairs: o.repair}
	if o.output == "json" {
		d.list = cli.NewList(w, "{", "items")
		return d
	}
	header := []string{"ENTITY", "KEY", "DEFECT", "ATTRIBUTE"}
	if o.repair {
		header = append(header, "REPAIR")
	}
	d.table = items.NewTextTable(append(header, "DETAILS")...)
	d.table.Keys = "KEY"
	d.table.WholeLast = true
	return d
}

// add writes an item.
func (d *driftWriter) add(l driftLine) error {
	if d.table != nil {
		return d.row(l)
	}
	return d.list.Add(l.document())
}

// row adds a line for each defect. The plan of a repair without --yes is written
// at once, before the table.
func (d *driftWriter) row(l driftLine) error {
	entity := "–"
	if l.item.Entity != nil {
		entity = l.item.Entity.Name
	}
	for i, defect := range l.defects {
		cells := []string{entity, l.key, string(defect.Kind), defect.Attribute}
		if d.repairs {
			cells = append(cells, l.repair)
		}
		details := defectText(defect)
		if i == 0 && l.why != "" {
			details += " (" + l.why + ")"
		}
		d.table.Add(append(cells, details)...)
	}
	if l.repair != repairPlanned {
		return nil
	}
	return cli.WriteLines(d.w, strings.TrimRight(l.plan.Shown(l.masker).Text(), "\n"), "")
}

// defectText describes a defect by its stored and expected values where it has them.
func defectText(d change.Defect) string {
	switch {
	case d.Stored != "" && d.Expected != "":
		return fmt.Sprintf("%s, expected %s", d.Stored, d.Expected)
	case d.Stored != "":
		return fmt.Sprintf("%s: %s", d.Stored, d.Text)
	case d.Expected != "":
		return fmt.Sprintf("expected %s: %s", d.Expected, d.Text)
	}
	return d.Text
}

// close completes the table or the document.
func (d *driftWriter) close(sum drift.Summary) error {
	if d.table != nil {
		if d.table.Len() == 0 {
			return nil
		}
		return d.table.Write(d.w)
	}
	return d.list.End(fmt.Sprintf(`"count":%d,"scanned":%d,"consumedCapacity":%g`,
		sum.Items, sum.Scanned, reading.Round(sum.Capacity)))
}
