package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A sampledEntity is an entity with its sample values by attribute, including values that occur only in keys.
type sampledEntity struct {
	entity *Entity
	parts  []string // attributes in its primary key
	values map[string]map[string]bool
	items  int
}

func (a *analysis) recordSample(e *Entity, c cluster, parts map[string]map[int]string) {
	s := &sampledEntity{entity: e, values: map[string]map[string]bool{}, items: len(c.items)}
	for _, k := range a.table.PrimaryKeys() {
		if t, err := models.ParseTemplate(e.Template(k.Name), nil); err == nil {
			s.parts = append(s.parts, t.Placeholders()...)
		}
	}
	for _, d := range e.Attributes {
		if d.Type != models.TypeS && d.Type != models.TypeN {
			continue
		}
		values := map[string]bool{}
		for _, text := range parts[d.Name] {
			values[text] = true
		}
		for _, it := range c.items {
			if text, ok := it.Text(d.Name); ok {
				values[text] = true
			}
		}
		s.values[d.Name] = values
	}
	a.profile.sampled = append(a.profile.sampled, s)
}

func (s *sampledEntity) ids() (list []*Attribute) {
	for _, name := range s.parts {
		if d := s.entity.Attribute(name); d != nil && !d.Format.IsTime() && s.items > 1 && len(s.values[name]) == s.items {
			list = append(list, d)
		}
	}
	return list
}

// addReferences compares values and ignores names. Of two IDs with the same values, it selects the one that is a key.
func (p *Profile) addReferences() {
	for _, s := range p.sampled {
		for _, d := range s.entity.Attributes {
			if len(s.values[d.Name]) == 0 || d.Refers != "" || d.Format.IsTime() || slices.ContainsFunc(s.entity.Keys, func(k Key) bool {
				return k.Attribute == d.Name
			}) {
				continue
			}
			if to, id := p.target(s, d); to != nil {
				d.Refers = to.entity.Name + "." + id.Name
				d.Note = JoinNotes(d.Note, fmt.Sprintf("%d of its %d values are IDs of %s",
					countShared(s.values[d.Name], to.values[id.Name]),
					len(s.values[d.Name]), to.entity.Name))
				if d.Sensitive == models.NotSensitive && id.Sensitive != models.NotSensitive {
					d.Sensitive, d.Enum, d.OpenEnum, d.Examples = id.Sensitive, nil, false, nil
					d.Note = JoinNotes(d.Note, CheckNote("sensitive: %s", d.Sensitive))
				}
				if id.KeyOnly && id.Sensitive == models.NotSensitive && d.Sensitive != models.NotSensitive {
					id.Sensitive, id.Note = d.Sensitive, JoinNotes(id.Note, CheckNote("sensitive: %s", d.Sensitive))
				}
			}
		}
	}
}

func (p *Profile) target(from *sampledEntity, d *Attribute) (best *sampledEntity, id *Attribute) {
	values, maximum := from.values[d.Name], 0
	isID := slices.Contains(from.ids(), d)
	for _, to := range p.sampled {
		for _, candidate := range to.ids() {
			hits := countShared(values, to.values[candidate.Name])
			switch {
			case to == from || candidate.Type != d.Type || !isDistinctive(d, candidate, to, values, hits):
				continue
			case isID && (len(to.parts) > len(from.parts) || len(to.parts) == len(from.parts) && to.items <= from.items &&
				!containsEntityName(d.Name, to.entity)):
				continue // it is the other attribute that refers to this ID
			}
			rank := hits*4 + 2*boolToInt(len(to.parts) == 1) + boolToInt(candidate.Name == d.Name)
			if rank > maximum {
				best, id, maximum = to, candidate, rank
			}
		}
	}
	return best, id
}

// A reference must have at least referValues different values, of which at least the share referShare has items in the
// sample.
const (
	referValues = 3
	referShare  = 0.6
)

// isDistinctive also requires a matching name for small numbers and common words, because these match by chance.
func isDistinctive(d, id *Attribute, to *sampledEntity, values map[string]bool, hits int) bool {
	if hits < min(referValues, len(values)) || hits < 2 || float64(hits) < referShare*float64(len(values)) {
		return false
	}
	hasName := d.Name == id.Name || containsEntityName(d.Name, to.entity)
	for text := range values {
		isNumber := strings.Trim(text, "0123456789") == ""
		if !hasName && len(text) < 6 || isNumber && len(text) < 10 && (!hasName || len(to.parts) > 1) {
			return false
		}
	}
	return hasName || hits >= referValues && (hits == len(values) || cmp.Or(d.Format, id.Format) != "")
}

func containsEntityName(name string, e *Entity) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(e.Name))
}

func countShared(a, b map[string]bool) int {
	n := 0
	for text := range a {
		n += boolToInt(b[text])
	}
	return n
}
