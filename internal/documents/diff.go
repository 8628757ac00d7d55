package documents

import (
	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/models"
)

// Compared is the beginning of the document of diff. The differences of items follow it, then the members of [Comparison].
type Compared struct {
	Left   string            `json:"left"`  // contexts
	Right  string            `json:"right"` //
	Tables []TableDifference `json:"tables"`
}

// TableDifference is a table that differs between two databases. A table without differences is
// not listed.
type TableDifference struct {
	Table       string               `json:"table"` // as the schema names it
	Differences []PropertyDifference `json:"differences"`
}

// PropertyDifference is a property of a table, "" on the side that does not have it.
type PropertyDifference struct {
	Property string `json:"property"`
	Left     string `json:"left"`
	Right    string `json:"right"`
}

// OfTables groups differences by table.
func OfTables(list []compare.TableDifference) []TableDifference {
	out := []TableDifference{}
	for _, d := range list {
		if len(out) == 0 || out[len(out)-1].Table != d.Table {
			out = append(out, TableDifference{Table: d.Table})
		}
		last := &out[len(out)-1]
		last.Differences = append(last.Differences, PropertyDifference{d.Property, d.Left, d.Right})
	}
	return out
}

// Contrast is an item that differs between two databases. Before is its value in the first of them, after in the second.
type Contrast struct {
	Entity     *string      `json:"entity"` // null if no entity matches
	Table      string       `json:"table"`  // as the schema names it
	Key        models.Item  `json:"key"`
	Side       string       `json:"side"`       // left or right if only that database has it, otherwise both
	Attributes []string     `json:"attributes"` // paths that differ; none unless both have it
	Changes    []Difference `json:"changes"`
	// Compared is false if only the digests of the items differ, because more items differ than were read again.
	Compared bool `json:"compared"`
}

// OfContrast describes an item by its masked key and changes.
func OfContrast(d compare.Difference, key models.Item, changes []models.Change) Contrast {
	c := Contrast{
		Table: d.Table.ID, Key: key, Attributes: []string{}, Changes: each(changes, OfDifference),
		Compared: d.Kind != compare.Differs || d.Left != nil,
		Side:     map[compare.Kind]string{compare.OnlyLeft: "left", compare.OnlyRight: "right", compare.Differs: "both"}[d.Kind],
	}
	for _, ch := range c.Changes {
		c.Attributes = append(c.Attributes, ch.Path)
	}
	if d.Entity != nil {
		c.Entity = &d.Entity.Name
	}
	return c
}

// Comparison is the end of the document of diff.
type Comparison struct {
	// Items has the number of items by result.
	Items struct {
		OnlyLeft  int `json:"onlyLeft"`
		OnlyRight int `json:"onlyRight"`
		Different int `json:"different"`
		Equal     int `json:"equal"`
	} `json:"items"`
	// Capacity is in RCU: of the left database, then of the right one.
	Capacity [2]float64 `json:"consumedCapacity"`
}

// OfSummary describes the counts of a comparison.
func OfSummary(sum compare.Summary) Comparison {
	d := Comparison{Capacity: [2]float64{Capacity(sum.Capacity[0]), Capacity(sum.Capacity[1])}}
	d.Items.OnlyLeft, d.Items.OnlyRight, d.Items.Different, d.Items.Equal = sum.OnlyLeft, sum.OnlyRight, sum.Differs, sum.Equal
	return d
}
