package documents

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// Inconsistency is one item of the document. It always has all its fields. Repair is the outcome
// of the repair: planned, committed, conflict or impossible; Why is its reason or its notes.
// Writes are those of the plan, and Journal is the ID of an applied repair.
type Inconsistency struct {
	Table   string         `json:"table"`
	Entity  *string        `json:"entity"` // null if no entity matches
	Key     models.Item    `json:"key"`
	Defects []Defect       `json:"defects"`
	Repair  *string        `json:"repair"` // null without --repair, or if it failed
	Why     *string        `json:"why"`
	Writes  []change.Write `json:"writes"`
	Journal *string        `json:"journal"`
}

// Defect is one defect of an item. Stored and expected values are masked.
type Defect struct {
	Kind      change.DefectKind `json:"kind"`
	Attribute *string           `json:"attribute"`
	Stored    *string           `json:"stored"`
	Expected  *string           `json:"expected"`
	Text      string            `json:"text"`
}

// OfDefects describes the defects of an item. The defects must be masked already; see
// change.Defect.Shown.
func OfDefects(list []change.Defect) []Defect {
	out := make([]Defect, len(list))
	for i, d := range list {
		out[i] = Defect{d.Kind, OrNull(d.Attribute), OrNull(d.Stored), OrNull(d.Expected), d.Text}
	}
	return out
}
