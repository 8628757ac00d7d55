package change

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// Capacity returns the write capacity units (WCU) that the plan consumes, index
// writes included. It is exact for the items as they were read and for the
// indexes of Given.Live.
//
// A write costs a unit for each started kilobyte of the larger of both states of
// its item. In a transaction the table's part costs twice, that of the indexes
// does not. Sources: Amazon DynamoDB Developer Guide, "DynamoDB read and write
// operations" and "Using Global Secondary Indexes: write capacity units"; the
// guide leaves the indexes of a transaction open, measurements against AWS are in
// github.com/nubo-db/dynoxide, pull request 188.
func (p *Plan) Capacity() float64 {
	factor := 2
	if len(p.Writes) == 1 && p.Writes[0].Operation != Check {
		factor = 1
	}
	total := 0
	for _, w := range p.Writes {
		total += writeUnits(w.Before, w.After) * factor
		if w.Operation == Check {
			continue
		}
		for _, x := range p.Basis.Live.table(w.Table).Indexes {
			total += w.indexUnits(x)
		}
	}
	return float64(total)
}

// writeUnits returns the units of a write that replaces one item by another.
func writeUnits(before, after models.Item) int {
	const unit = 1024 // bytes
	return max(1, (max(before.Size(), after.Size())+unit-1)/unit)
}

// indexUnits returns what the write costs in an index: nothing when the entry of
// the item does not change, one write when it is added, changed or removed, and
// two when its key changes. Each is charged by the size of the entry.
func (w Write) indexUnits(x *models.Index) int {
	before, after := indexEntry(w.Table, x, w.Before), indexEntry(w.Table, x, w.After)
	moved := slices.ContainsFunc([]models.Key{x.PartitionKey, x.SortKey}, func(k models.Key) bool {
		return k.Name != "" && !models.EqualValues(before[k.Name], after[k.Name])
	})
	switch {
	case models.EqualItems(before, after):
		return 0
	case before != nil && after != nil && moved:
		return writeUnits(before, nil) + writeUnits(nil, after)
	default:
		return writeUnits(before, after)
	}
}

// indexEntry returns what the index holds of the item, nil when the item is not
// in it. An index whose projection is not documented counts as one of all
// attributes.
func indexEntry(t *models.Table, x *models.Index, it models.Item) models.Item {
	names := slices.Clone(x.Include)
	for _, k := range []models.Key{t.PartitionKey, t.SortKey, x.PartitionKey, x.SortKey} {
		if k.Name == "" {
			continue
		}
		if _, ok := it[k.Name]; !ok {
			return nil
		}
		names = append(names, k.Name)
	}
	if x.Projection != models.ProjectionKeysOnly && x.Projection != models.ProjectionInclude {
		return it
	}
	entry := models.Item{}
	for _, name := range names {
		if v, ok := it[name]; ok {
			entry[name] = v
		}
	}
	return entry
}
