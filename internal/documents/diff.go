package documents

import (
	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/models"
)

// Contrast is an item that differs between two databases. Before is its value in the first of them, after in the second.
type Contrast struct {
	Kind    compare.Kind `json:"kind"`
	Table   string       `json:"table"`  // as the schema names it
	Entity  *string      `json:"entity"` // null if no entity matches
	Key     models.Item  `json:"key"`
	Changes []Difference `json:"changes"` // none unless the kind is differs
	// Compared is false if only the digests of the items differ, because more items differ than were read again.
	Compared bool `json:"compared"`
}

// OfContrast describes an item by its masked key and changes.
func OfContrast(d compare.Difference, key models.Item, changes []models.Change) Contrast {
	c := Contrast{
		Kind: d.Kind, Table: d.Table.ID, Key: key, Changes: each(changes, OfDifference), Compared: d.Kind != compare.Differs || d.Left != nil,
	}
	if d.Entity != nil {
		c.Entity = &d.Entity.Name
	}
	return c
}
