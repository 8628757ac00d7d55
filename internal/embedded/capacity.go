package embedded

import (
	"encoding/binary"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// One capacity unit reads or writes this many bytes. A strongly consistent read costs one unit, and an eventually
// consistent read half a unit. Transactions double the cost.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
const (
	readUnit  = 4096
	writeUnit = 1024
)

// capacityUnits is the consumption of a table or an index.
type capacityUnits struct {
	CapacityUnits float64
}

// consumedCapacity is the ConsumedCapacity of a response.
type consumedCapacity struct {
	TableName              string
	CapacityUnits          float64
	ReadCapacityUnits      float64                  `json:",omitempty"`
	WriteCapacityUnits     float64                  `json:",omitempty"`
	Table                  *capacityUnits           `json:",omitempty"`
	LocalSecondaryIndexes  map[string]capacityUnits `json:",omitempty"`
	GlobalSecondaryIndexes map[string]capacityUnits `json:",omitempty"`
}

// meter counts the capacity units of one request on one table.
type meter struct {
	table   *table
	onTable float64
	onIndex map[*index]float64
}

func newMeter(tb *table) *meter { return &meter{table: tb, onIndex: map[*index]float64{}} }

// units rounds up to whole units; an empty read or write costs one.
func units(bytes, unit int) float64 { return float64(max(1, (bytes+unit-1)/unit)) }

func (m *meter) read(ix *index, bytes int, consistent bool, factor float64) {
	n := units(bytes, readUnit) * factor
	if !consistent {
		n /= 2
	}
	if ix == nil {
		m.onTable += n
	} else {
		m.onIndex[ix] += n
	}
}

// write applies the factor only to the table, as measured against AWS: github.com/nubo-db/dynoxide, pull request 188.
func (m *meter) write(before, after attribute.Item, factor float64) {
	m.onTable += units(max(before.Size(), after.Size()), writeUnit) * factor
	for _, ix := range m.table.Indexes {
		old, hadKey := m.table.entryKey(ix, before)
		entry, isIn := m.table.entryKey(ix, after)
		oldView, view := ix.view(before), ix.view(after)
		switch {
		case hadKey && isIn && string(old) == string(entry):
			if !oldView.Equal(view) {
				m.onIndex[ix] += units(max(oldView.Size(), view.Size()), writeUnit)
			}
			continue
		case hadKey:
			m.onIndex[ix] += units(oldView.Size(), writeUnit)
		}
		if isIn {
			m.onIndex[ix] += units(view.Size(), writeUnit)
		}
	}
}

func (m *meter) report(mode string) *consumedCapacity {
	if mode != "TOTAL" && mode != "INDEXES" {
		return nil
	}
	c := &consumedCapacity{TableName: m.table.Name, CapacityUnits: m.onTable}
	for ix, n := range m.onIndex {
		c.CapacityUnits += n
		indexes := &c.LocalSecondaryIndexes
		if ix.Global {
			indexes = &c.GlobalSecondaryIndexes
		}
		if *indexes == nil {
			*indexes = map[string]capacityUnits{}
		}
		(*indexes)[ix.Name] = capacityUnits{n}
	}
	if mode == "TOTAL" {
		c.LocalSecondaryIndexes, c.GlobalSecondaryIndexes = nil, nil
		return c
	}
	c.Table = &capacityUnits{m.onTable}
	return c
}

func (c *consumedCapacity) add(o *consumedCapacity) {
	c.CapacityUnits += o.CapacityUnits
	if c.Table == nil {
		return
	}
	c.Table.CapacityUnits += o.Table.CapacityUnits
	addUnits(&c.LocalSecondaryIndexes, o.LocalSecondaryIndexes)
	addUnits(&c.GlobalSecondaryIndexes, o.GlobalSecondaryIndexes)
}

func addUnits(to *map[string]capacityUnits, more map[string]capacityUnits) {
	if *to == nil {
		*to = more
		return
	}
	for name, units := range more {
		(*to)[name] = capacityUnits{(*to)[name].CapacityUnits + units.CapacityUnits}
	}
}

// meters contains the meters of a request on several tables, in order of first use.
type meters struct{ all []*meter }

func (ms *meters) meterOf(tb *table) *meter {
	for _, m := range ms.all {
		if m.table == tb {
			return m
		}
	}
	m := newMeter(tb)
	ms.all = append(ms.all, m)
	return m
}

func (ms *meters) report(mode string) []*consumedCapacity {
	var out []*consumedCapacity
	for _, m := range ms.all {
		if c := m.report(mode); c != nil {
			out = append(out, c)
		}
	}
	return out
}

// split also divides the units into reads and writes, because a repeated write transaction consumes RCU.
func (ms *meters) split(mode string, isRead bool) []*consumedCapacity {
	out := ms.report(mode)
	for _, c := range out {
		if isRead {
			c.ReadCapacityUnits = c.CapacityUnits
		} else {
			c.WriteCapacityUnits = c.CapacityUnits
		}
	}
	return out
}

// count is the number and size of the items in a table or index.
type count struct{ items, bytes int64 }

func (t *tx) count(tb *table, ix *index, before, after attribute.Item) {
	name := string(bucketName(tb, ix))
	d := t.deltas[name]
	if before != nil {
		d.items--
		d.bytes -= int64(ix.view(before).Size())
	}
	if after != nil {
		d.items++
		d.bytes += int64(ix.view(after).Size())
	}
	t.deltas[name] = d
}

func (t *tx) saveCounts() error {
	counts, err := t.system(bucketCounts)
	if err != nil {
		return err
	}
	for name, d := range t.deltas {
		if d == (count{}) {
			continue
		}
		c, err := counts.count([]byte(name))
		if err != nil {
			return err
		}
		data := binary.BigEndian.AppendUint64(nil, uint64(c.items+d.items))
		data = binary.BigEndian.AppendUint64(data, uint64(c.bytes+d.bytes))
		if err := counts.put([]byte(name), data); err != nil {
			return err
		}
	}
	return nil
}

func (b *bucket) count(name []byte) (count, error) {
	data, err := b.get(name)
	switch {
	case err != nil || data == nil:
		return count{}, err
	case len(data) != 16:
		return count{}, b.damagedError("invalid count")
	}
	return count{
		items: int64(binary.BigEndian.Uint64(data)),
		bytes: int64(binary.BigEndian.Uint64(data[8:])),
	}, nil
}

func (t *tx) size(tb *table, ix *index) (count, error) {
	counts, err := t.system(bucketCounts)
	if err != nil {
		return count{}, err
	}
	return counts.count(bucketName(tb, ix))
}

const gigabyte = 1 << 30

// collectionMetrics contains the ItemCollectionMetrics of a response: the size of an item collection after a write.
// Only tables with local indexes report them, because DynamoDB limits their collections to 10 GB. The store does not
// enforce that limit.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html#LSI.ItemCollections
type collectionMetrics struct {
	ItemCollectionKey attribute.Item
	// SizeEstimateRangeGB contains a lower and an upper bound in whole gigabytes.
	SizeEstimateRangeGB [2]float64
}

// collectionReport collects metrics by table. It contains each item collection once.
type collectionReport struct {
	byTable map[string][]*collectionMetrics
	seen    map[string]bool
}

func (r *collectionReport) addAll(t *tx, writes []*write, mode string) error {
	for _, w := range writes {
		if mode != "SIZE" || w.kind == writeNothing || !w.table.hasLocalIndex() {
			continue
		}
		prefix := partitionBytes(w.given, w.table.Keys[:1])
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

// collectionSize returns 0 for a table far below a gigabyte, because counting would cost more than the write.
func (t *tx) collectionSize(tb *table, prefix []byte) (int64, error) {
	size, err := t.size(tb, nil)
	if err != nil {
		return 0, err
	}
	total := size.bytes
	for _, ix := range tb.Indexes {
		if ix.Global {
			continue
		}
		if size, err = t.size(tb, ix); err != nil {
			return 0, err
		}
		total += size.bytes
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
