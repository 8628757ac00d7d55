package models

import "strings"

// IDName returns the placeholder that identifies an item of the entity to people: the one that is named after the
// entity, else the last one of the sort key, else the first of the partition key. It is "" for a key without
// placeholders. It is for titles and links only. It does not have to be unique: the primary key
// identifies an item.
func (e *Entity) IDName() string {
	pk, _ := e.KeyTemplate(e.Table.PartitionKey.Name)
	sk, _ := e.KeyTemplate(e.Table.SortKey.Name)
	names := append(pk.Placeholders(), sk.Placeholders()...)
	best := ""
	if len(names) > 0 {
		best = names[0]
	}
	if n := sk.Placeholders(); len(n) > 0 {
		best = n[len(n)-1]
	}
	for _, n := range names {
		if strings.EqualFold(n, e.Name+"Id") || strings.EqualFold(n, "id") {
			best = n
		}
	}
	return best
}
