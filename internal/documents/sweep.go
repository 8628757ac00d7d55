package documents

import (
	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/models"
)

// Sweep is the document of a sweep that was planned. Samples are some of its plans, masked for the user. Price is in USD,
// null if the table has provisioned capacity.
type Sweep struct {
	Action    string         `json:"action"`
	Title     string         `json:"title"`
	Status    Status         `json:"status"`
	Reason    string         `json:"reason"`
	Over      string         `json:"over"`
	Where     string         `json:"where"`
	Read      int            `json:"read"`
	Selected  int            `json:"selected"`
	Items     int            `json:"items"`
	Capacity  float64        `json:"capacity"` // WCU, estimated
	Price     *float64       `json:"price"`
	Refusals  []SweepRefusal `json:"refusals"`
	Samples   []Change       `json:"samples"`
	Notes     []string       `json:"notes"`
	ReadUnits float64        `json:"consumedCapacity"` // RCU
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
	doc := Sweep{
		Action: a.ID, Title: a.Title, Status: Planned, Reason: p.Selection.Reason, Over: p.Selection.Pattern.ID,
		Where: p.Selection.Where, Read: p.Read, Selected: p.Selected, Items: p.Planned, Capacity: p.Capacity,
		Refusals: []SweepRefusal{}, Samples: []Change{}, Notes: append([]string{}, p.Notes...), ReadUnits: Capacity(p.ReadCapacity),
	}
	if !p.Provisioned {
		price := p.Price()
		doc.Price = &price
	}
	if p.Planned == 0 {
		doc.Status = Conflict
	}
	for _, o := range p.Obstacles {
		doc.Refusals = append(doc.Refusals, SweepRefusal{string(o.Status), o.Why, o.Count, o.Example})
	}
	for _, plan := range p.Samples {
		sample := OfChange(a, Planned, p.Selection.Reason, plan.Shown(m), false)
		capacity := plan.Capacity()
		sample.Capacity = &capacity
		doc.Samples = append(doc.Samples, sample)
	}
	return doc
}
