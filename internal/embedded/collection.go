package embedded

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

const gigabyte = 1 << 30

// collectionMetrics are the ItemCollectionMetrics of a response: the size of an item
// collection after a write. Only tables with local indexes report them, because their
// collections are limited to 10 GB, a limit that the store does not enforce.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html#LSI.ItemCollections
type collectionMetrics struct {
	ItemCollectionKey attribute.Item
	// SizeEstimateRangeGB is a lower and an upper bound in whole gigabytes.
	SizeEstimateRangeGB [2]float64
}

// collectionReport collects metrics by table, each item collection once.
type collectionReport struct {
	byTable map[string][]*collectionMetrics
	seen    map[string]bool
}

func (r *collectionReport) addAll(t *tx, writes []*write, mode string) error {
	for _, w := range writes {
		if mode != "SIZE" || w.kind == writeNothing || !w.table.hasLocalIndex() {
			continue
		}
		prefix := partition(w.given, w.table.Keys[:1])
		if id := w.table.ID + string(prefix); !r.seen[id] {
			if r.byTable == nil {
				r.byTable, r.seen = map[string][]*collectionMetrics{}, map[string]bool{}
			}
			r.seen[id] = true
			size, err := t.collectionSize(w.table, prefix)
			if err != nil {
				return err
			}
			low, name := float64(size/gigabyte), w.table.Keys[0].Name
			r.byTable[w.table.Name] = append(r.byTable[w.table.Name], &collectionMetrics{
				ItemCollectionKey: attribute.Item{name: w.given[name]}, SizeEstimateRangeGB: [2]float64{low, low + 1},
			})
		}
	}
	return nil
}

func (tb *table) hasLocalIndex() bool {
	return slices.ContainsFunc(tb.Indexes, func(ix *index) bool { return !ix.Global })
}

// collectionSize returns 0 if the whole table was far below a gigabyte before this write: counting would cost more
// than the write.
func (t *tx) collectionSize(tb *table, prefix []byte) (int64, error) {
	held, err := t.size(tb, nil)
	if err != nil {
		return 0, err
	}
	total := held.bytes
	for _, ix := range tb.Indexes {
		if ix.Global {
			continue
		}
		if held, err = t.size(tb, ix); err != nil {
			return 0, err
		}
		total += held.bytes
	}
	if total < gigabyte/2 {
		return 0, nil
	}
	return t.countCollection(tb, prefix)
}

func (t *tx) countCollection(tb *table, prefix []byte) (int64, error) {
	var size int64
	err := t.walk(tb, nil, prefixRange(prefix), false, func(row []byte) (bool, error) {
		it, err := attribute.DecodeItem(row)
		if err != nil {
			return false, err
		}
		size += int64(it.Size())
		for _, ix := range tb.Indexes {
			if _, isIn := tb.entryKey(ix, it); isIn && !ix.Global {
				size += int64(ix.view(it).Size())
			}
		}
		return true, nil
	})
	return size, err
}
