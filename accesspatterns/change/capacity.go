package change

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// Capacity returns the write capacity units (WCU) that the plan consumes, including index writes. It is exact if the
// items are as they were read, the indexes are those of UserInput.Live, and each write of a sensitive attribute changes
// its value. DynamoDB does not charge for an index entry that stays the same; Capacity counts it if the plan writes a
// sensitive attribute of the entry, because the cost must not reveal whether the stored value is equal.
//
// A write costs one unit for each started kilobyte of the larger of the items before and after. A transaction doubles
// the cost of the table, but not that of the indexes. Sources: Amazon DynamoDB Developer Guide, "DynamoDB read and
// write operations" and "Using Global Secondary Indexes: write capacity units". The guide does not cover indexes in
// transactions; measurements against AWS are in github.com/nubo-db/dynoxide, pull request 188.
func (p *Plan) Capacity() float64 {
	factor := 2
	if all := p.AllWrites(); len(all) == 1 && all[0].Operation != Check {
		factor = 1
	}
	total := 0
	for w, live := range p.liveWrites {
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
	changes := func(name string) bool {
		return slices.ContainsFunc(w.Changes, func(c models.Change) bool {
			return c.Path == name || strings.HasPrefix(c.Path, name+".")
		})
	}
	switch {
	case before == nil && after == nil:
		return 0
	case before == nil || after == nil:
		return writeUnits(before, after)
	case slices.ContainsFunc(x.KeyAttributes(), func(k models.Key) bool { return changes(k.Name) }):
		return writeUnits(before, nil) + writeUnits(nil, after)
	case slices.ContainsFunc(slices.Concat(before.Names(), after.Names()), changes):
		return writeUnits(before, after)
	}
	return 0
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
