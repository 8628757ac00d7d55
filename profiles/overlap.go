// This file tells which entities of a table cannot be told apart by their keys.

package profiles

import "github.com/ddbdesk/ddbdesk/models"

// An Overlap is two entities of one table that can have the same primary key.
// An item with such a key is recognised by its attributes, or not at all.
type Overlap struct {
	A, B *models.Entity
}

// Overlaps lists the pairs of entities whose primary keys overlap, in the order
// of the profile.
func (p *Profile) Overlaps() []Overlap {
	l := &linter{Profile: p}
	var list []Overlap
	for i, a := range p.Entities {
		for _, b := range p.Entities[i+1:] {
			if a.Table == b.Table && l.overlap(a, b) {
				list = append(list, Overlap{a, b})
			}
		}
	}
	return list
}
