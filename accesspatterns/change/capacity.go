package change

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// Capacity returns the write capacity units (WCU) that the plan consumes, including index writes. It is exact if the
// items have not changed since ddbdesk read them and the indexes are those of Given.Live.
//
// A write costs one unit for each started kilobyte of the larger of the items before and after. A transaction doubles
// the cost of the table, but not that of the indexes. Sources: Amazon DynamoDB Developer Guide, "DynamoDB read and
// write operations" and "Using Global Secondary Indexes: write capacity units". The guide does not cover indexes in
// transactions; measurements against AWS are in github.com/nubo-db/dynoxide, pull request 188.
func (p *Plan) Capacity() float64 {
	factor := 2
	if all := p.All(); len(all) == 1 && all[0].Operation != Check {
		factor = 1
	}
	total := 0
	for w, live := range p.livesOf {
		total += writeUnits(w.Before, w.After) * factor
		if w.Operation == Check {
			continue
		}
		for _, x := range live.Indexes {
			total += w.indexUnits(x)
		}
	}
	return float64(total)
}

// writeUnits returns at least one unit. A write whose condition fails costs the same.
func writeUnits(before, after models.Item) int {
	const unit = 1024 // bytes
	return max(1, (max(before.Size(), after.Size())+unit-1)/unit)
}

// indexUnits counts one write for an added, changed or removed index entry, and two if its key changes.
func (w Write) indexUnits(x *models.Index) int {
	before, after := indexEntry(w.Table, x, w.Before), indexEntry(w.Table, x, w.After)
	moved := slices.ContainsFunc(x.KeyAttributes(), func(k models.Key) bool {
		return !models.EqualValues(before[k.Name], after[k.Name])
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

// indexEntry returns nil if the item is not in the index. An undocumented projection counts as ALL.
func indexEntry(t *models.Table, x *models.Index, it models.Item) models.Item {
	names := slices.Clone(x.Include)
	for _, k := range slices.Concat(t.PrimaryKeys(), x.KeyAttributes()) {
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
