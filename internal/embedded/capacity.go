package embedded

import (
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// The bytes that one capacity unit reads or writes. A strongly consistent read costs
// one unit, an eventually consistent one half a unit. Transactions double the cost.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
const (
	readUnit  = 4096
	writeUnit = 1024
)

// capacityUnits is the part of a table or an index.
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

// meter adds up the capacity units of one request on one table.
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

// write applies the factor of a transaction to the table alone: an index entry costs what it costs outside of one.
// Measured against AWS: github.com/nubo-db/dynoxide, pull request 188.
func (m *meter) write(before, after attribute.Item, factor float64) {
	m.onTable += units(max(before.Size(), after.Size()), writeUnit) * factor
	for _, ix := range m.table.Indexes {
		old, wasIn := m.table.entryKey(ix, before)
		entry, isIn := m.table.entryKey(ix, after)
		oldView, view := ix.view(before), ix.view(after)
		switch {
		case wasIn && isIn && string(old) == string(entry):
			if !oldView.Equal(view) {
				m.onIndex[ix] += units(max(oldView.Size(), view.Size()), writeUnit)
			}
			continue
		case wasIn:
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
		by := &c.LocalSecondaryIndexes
		if ix.Global {
			by = &c.GlobalSecondaryIndexes
		}
		if *by == nil {
			*by = map[string]capacityUnits{}
		}
		(*by)[ix.Name] = capacityUnits{n}
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

// meters are the meters of a request on several tables, in order of first use.
type meters struct{ all []*meter }

func (ms *meters) of(tb *table) *meter {
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

// split also tells reads from writes: a repeated write transaction costs reads.
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
