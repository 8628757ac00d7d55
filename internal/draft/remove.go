package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/models"
)

// CanRemove reports whether the whole part can be left out. An attribute can still be needed for a key; see [Review.Answer].
func (p *Part) CanRemove() bool {
	return p.Kind == EntityPart || p.Kind == AttributePart || p.Kind == PatternPart
}

func (r *Review) removedEntity(i int) bool { return r.answers[partID(i, "")] == Removed }

func (r *Review) entityAt(name string) int {
	return slices.IndexFunc(r.Draft.Profile.Entities, func(e *Entity) bool {
		return cmp.Or(r.names[slices.Index(r.Draft.Profile.Entities, e)], e.Name) == name
	})
}

// patternID is the request, which stays when entities are renamed.
func (r *Review) patternID(q *Pattern) string {
	id := fmt.Sprintf("pattern %s %s %s %v", q.Operation, q.Table, q.Index, q.Key)
	if q.Operation == "get" && len(q.Returns) > 0 {
		id += fmt.Sprint(" ", r.entityAt(q.Returns[0]))
	}
	return id
}

func (r *Review) patternParts() map[int][]Part {
	parts := map[int][]Part{}
	for _, q := range r.withEntities().Patterns {
		if len(q.Returns) == 0 {
			continue
		}
		what := q.Operation
		if q.Index != "" {
			what += " through " + q.Index
		}
		if len(q.Returns) > 1 {
			what += ", returns " + strings.Join(q.Returns, ", ")
		}
		id, i := r.patternID(q), r.entityAt(q.Returns[0])
		parts[i] = append(parts[i], Part{
			ID: id, Kind: PatternPart, Entity: i, Name: q.ID, Inferred: what, Evidence: "the keys allow it", Answer: r.answers[id],
		})
	}
	return parts
}

func (r *Review) reference(refers string) string {
	name, _, _ := strings.Cut(refers, ".")
	i := slices.IndexFunc(r.Draft.Profile.Entities, func(e *Entity) bool { return e.Name == name })
	switch {
	case refers == "" || i < 0:
		return refers
	case r.removedEntity(i):
		return ""
	}
	return strings.Replace(refers, name, cmp.Or(r.names[i], name), 1)
}

func (r *Review) uses(p Part) []string {
	if p.Kind != AttributePart {
		return nil
	}
	e := r.entity(p.Entity, r.Draft.Profile.Entities[p.Entity])
	var list []string
	if t := r.Draft.Profile.Table(e.Table); t != nil {
		for _, k := range t.KeyAttributes() {
			if k.Name == p.Name {
				list = append(list, "key "+k.Name)
			}
		}
	}
	for _, k := range e.Keys {
		if t, err := models.ParseTemplate(k.Template, nil); err == nil && slices.Contains(t.Placeholders(), p.Name) {
			list = append(list, "key "+k.Attribute)
		}
		if k.When.Attribute == p.Name {
			list = append(list, "the condition of key "+k.Attribute)
		}
	}
	for _, f := range e.Equals {
		if f.Key == p.Name {
			list = append(list, "the discriminator")
		}
	}
	if e.Version == p.Name {
		list = append(list, "the number of changes")
	}
	if e.Updated == p.Name {
		list = append(list, "the time of the last change")
	}
	return list
}

// Removal says what else changes when an entity is removed: the patterns that return it, the attributes that refer to it, and the
// items of the sample that nothing recognizes then.
func (r *Review) Removal(entity int) []string {
	next := r.clone()
	next.answers[partID(entity, "")] = Removed
	before, after := r.profile(), next.profile()
	with := map[string]*Pattern{}
	for _, q := range after.Patterns {
		with[next.patternID(q)] = q
	}
	var gone, narrower, references []string
	for _, q := range before.Patterns {
		switch other := with[r.patternID(q)]; {
		case other == nil:
			gone = append(gone, q.ID)
		case len(other.Returns) < len(q.Returns):
			narrower = append(narrower, q.ID)
		}
	}
	for i, e := range r.Draft.Profile.Entities {
		each(e.Attributes, "", func(path string, a *Attribute) {
			if i != entity && !r.removedEntity(i) && r.reference(a.Refers) != next.reference(a.Refers) {
				references = append(references, cmp.Or(r.names[i], e.Name)+"."+path)
			}
		})
	}
	var list []string
	for _, c := range []struct {
		what  string
		names []string
	}{
		{"Removed with it: " + english.PluralWord(len(gone), "pattern ", "patterns "), gone},
		{"No longer returned by " + english.PluralWord(len(narrower), "pattern ", "patterns "), narrower},
		{"No longer a reference: ", references},
	} {
		if len(c.names) > 0 {
			list = append(list, c.what+strings.Join(c.names, ", "))
		}
	}
	known, total := r.known, r.total
	if _, err := next.Profile(); err == nil && next.known < known {
		list = append(list, fmt.Sprintf("ddbdesk then recognizes %d of %d sample items, not %d", next.known, total, known))
	}
	return list
}
