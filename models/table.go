// This file describes tables and indexes, and the entities that live in them.

package models

import "strings"

// A Key is one key attribute of a table or index.
type Key struct {
	Name string
	Type Type // S, N or B
}

// A Projection says which attributes an index holds.
type Projection string

// The projections. Unknown: the document does not say, the table must be asked.
const (
	ProjectionUnknown  Projection = ""
	ProjectionAll      Projection = "ALL"
	ProjectionKeysOnly Projection = "KEYS_ONLY"
	ProjectionInclude  Projection = "INCLUDE"
)

// A Table is one documented table.
type Table struct {
	ID            string // its name inside the profile
	Name          string // the real name, variables resolved
	PartitionKey  Key
	SortKey       Key    // Name "" without a sort key
	TTL           string // attribute that the items carry, "" without TTL
	TTLDocumented string // the attribute that the document's table settings name, when another
	Billing       string
	Description   string
	Source        string
	Indexes       []*Index
}

// An Index is one documented global secondary index.
type Index struct {
	Name         string
	Label        string
	PartitionKey Key
	SortKey      Key
	Projection   Projection
	Include      []string
	Optional     bool // a live table may lack it
	Source       string
}

// Index returns the index called name, nil when there is none.
func (t *Table) Index(name string) *Index {
	for _, x := range t.Indexes {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// KeysOf returns the partition and sort key of the table, or of its index x
// when x is not nil. The sort key's Name is "" when there is none.
func (t *Table) KeysOf(x *Index) (partition, sort Key) {
	if x != nil {
		return x.PartitionKey, x.SortKey
	}
	return t.PartitionKey, t.SortKey
}

// KeyAttributes returns every key attribute of the table and its indexes, the
// table's first, each once.
func (t *Table) KeyAttributes() []Key {
	var keys []Key
	add := func(k Key) {
		for _, have := range keys {
			if have.Name == k.Name {
				return
			}
		}
		if k.Name != "" {
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

// PrimaryKey returns the item's key attributes of the table; false when one is
// missing.
func (t *Table) PrimaryKey(it Item) (Item, bool) {
	key := Item{}
	for _, k := range []Key{t.PartitionKey, t.SortKey} {
		if k.Name == "" {
			continue
		}
		v, ok := it[k.Name]
		if !ok {
			return nil, false
		}
		key[k.Name] = v
	}
	return key, true
}

// KeyText spells the primary key of an item for people: "PK / SK".
func (t *Table) KeyText(it Item) string {
	pk, _ := it.Text(t.PartitionKey.Name)
	if t.SortKey.Name == "" {
		return pk
	}
	sk, _ := it.Text(t.SortKey.Name)
	return strings.Join([]string{pk, sk}, " / ")
}
