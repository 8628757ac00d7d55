// This file reads a pasted id: whose it is, by its prefix.

package accesspatterns

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// DecodeID returns what an id with a documented prefix can be: one candidate
// for each attribute that holds such ids, without matches of keys. Attributes
// that own their ids come alone; those that refer to them only when no entity
// owns them.
func DecodeID(patterns []*Pattern, entities []*models.Entity, id string) []Candidate {
	var own, refers []Candidate
	for _, e := range entities {
		for _, a := range e.Attributes {
			if a.Prefix == "" || len(id) <= len(a.Prefix) || !strings.HasPrefix(id, a.Prefix) {
				continue
			}
			c := Candidate{Entity: e, Attribute: a.Path, Values: map[string]string{a.Path: id}}
			if err := a.Check(id); err != nil {
				c.Warnings = []string{a.Path + ": " + err.Error()}
			}
			c.Patterns = Relations(patterns, entities, View{Entity: e, Values: models.MapValues(c.Values), Keys: map[string]string{}})
			if a.Refers == "" {
				own = append(own, c)
			} else {
				refers = append(refers, c)
			}
		}
	}
	if len(own) > 0 {
		return own
	}
	return refers
}
