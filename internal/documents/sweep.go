package documents

import (
	"encoding/json"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/models"
)

// Sweep is the document of a sweep that was planned. Samples are some of its plans, masked for the user. Price is in USD,
// null if the table has provisioned capacity.
type Sweep struct {
	Action string `json:"action"`
	Title  string `json:"title"`
	Status Status `json:"status"`
	Reason string `json:"reason"`
	Over   string `json:"over"`
	Where  string `json:"where"`
	// Read is how many items the pattern returned, Selected how many of them the filter
	// matches, and Items how many the action would change.
	Read     int      `json:"read"`
	Selected int      `json:"selected"`
	Items    int      `json:"items"`
	Capacity float64  `json:"capacity"` // WCU, estimated
	Price    *float64 `json:"price"`
	// Refusals explain the difference between Selected and Items, the most frequent first.
	Refusals  []SweepRefusal `json:"refusals"`
	Samples   []Change       `json:"samples"`
	Notes     []string       `json:"notes"`
	ReadUnits float64        `json:"consumedCapacity"` // RCU
	Undoes    *string        `json:"undoes,omitempty"` // ID of the sweep that would be undone
}

// SweepRefusal is a reason why some of the items are not changed.
type SweepRefusal struct {
	Status  string `json:"status"`
	Why     string `json:"why"`
	Count   int    `json:"count"`
	Example string `json:"example"` // the masked key of an item
}

// OfSweep describes what a sweep would do. Samples are masked with the masker.
func OfSweep(p sweep.Preview, m *models.Masker) Sweep {
	a := p.Selection.Action
	doc := ofPreview(p, m, false)
	doc.Action, doc.Title, doc.Reason, doc.Over, doc.Where = a.ID, a.Title, p.Selection.Reason, p.Selection.Pattern.ID, p.Selection.Where
	if !p.Provisioned {
		price := p.Price()
		doc.Price = &price
	}
	return doc
}

// OfSweepUndo describes what the undo of a sweep would do.
func OfSweepUndo(p sweep.Preview, id string, m *models.Masker) Sweep {
	doc := ofPreview(p, m, true)
	doc.Undoes = &id
	if a := p.Selection.Action; a != nil {
		doc.Action, doc.Title = a.ID, a.Title
	}
	return doc
}

// ofPreview describes what both have.
func ofPreview(p sweep.Preview, m *models.Masker, undo bool) Sweep {
	doc := Sweep{
		Status: Planned, Read: p.Read, Selected: p.Selected, Items: p.Planned, Capacity: p.Capacity,
		Refusals: []SweepRefusal{}, Samples: []Change{}, Notes: append([]string{}, p.Notes...), ReadUnits: Capacity(p.ReadCapacity),
	}
	if p.Planned == 0 {
		doc.Status = Conflict
	}
	for _, o := range p.Obstacles {
		doc.Refusals = append(doc.Refusals, SweepRefusal{string(o.Status), o.Why, o.Count, o.Example})
	}
	for _, plan := range p.Samples {
		sample := OfChange(plan.Action, Planned, plan.Basis.Reason, plan.Shown(m), undo)
		capacity := plan.Capacity()
		sample.Capacity = &capacity
		doc.Samples = append(doc.Samples, sample)
	}
	return doc
}

// SweepTotals are the members that follow the outcomes in the document of a sweep that was
// applied. They are text and not a struct, because the outcomes before them are written while
// the sweep runs.
func SweepTotals(sum sweep.Summary) string {
	counts := map[sweep.Status]int{}
	for _, status := range sweep.Statuses() {
		counts[status] = sum.Counts[status]
	}
	text, _ := json.Marshal(counts) // a map of numbers
	return fmt.Sprintf(`"sweep":%q,"counts":%s,"consumedCapacity":%g`, sum.ID, text, Capacity(sum.Capacity))
}
