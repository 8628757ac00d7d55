package models

import "slices"

// A Key is one key attribute of a table or index.
type Key struct {
	Name string
	Type Type // S, N or B
}

// A Projection defines which attributes an index contains.
type Projection string

// The projections. ProjectionUnknown means that the schema does not say; the
// live table knows.
const (
	ProjectionUnknown  Projection = ""
	ProjectionAll      Projection = "ALL"
	ProjectionKeysOnly Projection = "KEYS_ONLY"
	ProjectionInclude  Projection = "INCLUDE"
)

// A Table is one documented table.
type Table struct {
	ID            string // its name in the profile
	Name          string // its name in DynamoDB, variables resolved
	PartitionKey  Key
	SortKey       Key    // Name is "" without a sort key
	TTL           string // attribute of the items, "" without TTL
	TTLDocumented string // attribute in the documented table settings, if it differs
	Billing       string
	Description   string
	Source        string
	Indexes       []*Index
}

// An Index is one documented secondary index.
type Index struct {
	Name         string
	Label        string
	PartitionKey Key
	SortKey      Key
	Projection   Projection
	Include      []string
	Local        bool // a local secondary index: its partition key is that of the table
	Optional     bool // may be absent from a live table
	Source       string
}

// Index returns the index called name, or nil.
func (t *Table) Index(name string) *Index {
	for _, x := range t.Indexes {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// KeysOf returns the partition and sort key of the index x, or of the table if x
// is nil. Without a sort key, its Name is "".
func (t *Table) KeysOf(x *Index) (partition, sort Key) {
	if x != nil {
		return x.PartitionKey, x.SortKey
	}
	return t.PartitionKey, t.SortKey
}

// PrimaryKeys returns the key attributes of the table itself: one or two.
func (t *Table) PrimaryKeys() []Key {
	if t.SortKey.Name == "" {
		return []Key{t.PartitionKey}
	}
	return []Key{t.PartitionKey, t.SortKey}
}

// KeyAttributes returns the key attributes of the table and then of its indexes,
// each once.
func (t *Table) KeyAttributes() []Key {
	var keys []Key
	add := func(k Key) {
		if k.Name != "" && !slices.ContainsFunc(keys, func(have Key) bool { return have.Name == k.Name }) {
			keys = append(keys, k)
		}
	}
	add(t.PartitionKey)
	add(t.SortKey)
	for _, x := range t.Indexes {
		add(x.PartitionKey)
		add(x.SortKey)
	}
	return keys
}

// PrimaryKey returns the item's primary key; false when an attribute of it is
// missing.
func (t *Table) PrimaryKey(it Item) (Item, bool) {
	key := Item{}
	for _, k := range t.PrimaryKeys() {
		v, ok := it[k.Name]
		if !ok {
			return nil, false
		}
		key[k.Name] = v
	}
	return key, true
}

// KeyText returns the primary key of an item for display: "PK / SK".
func (t *Table) KeyText(it Item) string {
	pk, _ := it.Text(t.PartitionKey.Name)
	if t.SortKey.Name == "" {
		return pk
	}
	sk, _ := it.Text(t.SortKey.Name)
	return pk + " / " + sk
}
