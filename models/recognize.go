package models

import (
	"slices"
	"strings"
)

// A Recognition is the entity that an item matches.
type Recognition struct {
	Entity *Entity
	// Values contains the placeholders of the entity's keys, read from the item's keys.
	Values map[string]string
}

// Recognize finds the entity of an item: one whose templates match all keys of the table, and whose distinguishing
// attributes are present or absent as declared. The most specific match wins. If two matches are equally specific, the
// first one wins. ok is false if no entity matches; Entity.Explain returns the reason. Matching ignores the types and
// the presence of other attributes, so an item with defects still matches its entity.
func Recognize(entities []*Entity, table *Table, it Item) (r Recognition, ok bool) {
	e := bestMatch(entities, table, it)
	if e == nil {
		return Recognition{}, false
	}
	p, _ := e.match(it)
	e.readIndexKeys(it, &p)
	return Recognition{Entity: e, Values: p.valueMap()}, true
}

func bestMatch(entities []*Entity, table *Table, it Item) *Entity {
	if table == nil {
		return nil
	}
	pk, ok := it.Text(table.PartitionKey.Name)
	if !ok {
		return nil
	}
	sk := ""
	if table.SortKey.Name != "" {
		if sk, ok = it.Text(table.SortKey.Name); !ok {
			return nil
		}
	}
	var best *Entity
	weight := -1
	for _, e := range entities {
		if e.Table != table || !e.mayMatch(pk, sk) {
			continue
		}
		if w := e.weight(); w > weight && e.matches(it, pk, sk) {
			best, weight = e, w
		}
	}
	return best
}

// Explain returns nil if the item matches the entity, and otherwise a *Mismatch for the first difference. The error
// quotes parts of the key, which may be personal data, so mask them or show the error only to the user who typed the
// key.
func (e *Entity) Explain(it Item) error {
	_, err := e.match(it)
	return err
}

// weight ranks matches by their literal text first and by their distinguishing attributes second.
func (e *Entity) weight() int {
	w := 0
	keys := e.keys()
	for i := range keys {
		if keys[i].primary {
			w += 2 * keys[i].template.weight()
		}
	}
	if len(e.Has)+len(e.Lacks)+len(e.Is) > 0 {
		w++
	}
	return w
}

// mayMatch is a cheap test that every item of the entity passes: it compares the first letters of a key.
func (e *Entity) mayMatch(pk, sk string) bool {
	keys := e.keys()
	for i := range keys {
		if k := &keys[i]; k.primary && !strings.HasPrefix(k.selectText(e.Table, pk, sk), k.template.LiteralPrefix()) {
			return false
		}
	}
	return true
}

func (k *entityKey) selectText(t *Table, pk, sk string) string {
	if k.Name == t.PartitionKey.Name {
		return pk
	}
	return sk
}

func (e *Entity) matches(it Item, pk, sk string) bool {
	missing := 1
	if e.Table.SortKey.Name != "" {
		missing = 2
	}
	keys := e.keys()
	for i := range keys {
		k := &keys[i]
		if !k.primary {
			continue
		}
		missing--
		if k.shared {
			_, err := e.match(it)
			return err == nil
		}
		if !k.template.matchesKey(k.selectText(e.Table, pk, sk), it) {
			return false
		}
	}
	return missing == 0 && e.checkDistinguishing(it) == nil
}

func (e *Entity) match(it Item) (Placeholders, error) {
	var p Placeholders
	for _, k := range e.Table.PrimaryKeys() {
		text, ok := it.Text(k.Name)
		if !ok {
			return p, &Mismatch{Template: k.Name, Reason: "item has no " + k.Name}
		}
		t, ok := e.KeyTemplate(k.Name)
		if !ok {
			return p, &Mismatch{Template: k.Name, Reason: e.Name + " has no template for " + k.Name}
		}
		m, err := t.ParseItem(text, it.Text)
		if err != nil {
			return p, err
		}
		if err := p.Add(t, m); err != nil {
			return p, err
		}
	}
	return p, e.checkDistinguishing(it)
}

func (e *Entity) checkDistinguishing(it Item) error {
	for _, name := range e.Has {
		if _, ok := it[name]; !ok {
			return &Mismatch{Template: e.Name, Reason: "item has no " + name}
		}
	}
	for _, name := range e.Lacks {
		if _, ok := it[name]; ok {
			return &Mismatch{Template: e.Name, Reason: "item has " + name}
		}
	}
	for _, q := range e.Is {
		if !q.Holds(it, it.Text) {
			return &Mismatch{Template: e.Name, Reason: "item does not meet the condition: " + q.String()}
		}
	}
	return nil
}

// readIndexKeys adds placeholders from index keys and ignores keys that do not fit their template.
func (e *Entity) readIndexKeys(it Item, p *Placeholders) {
	for _, k := range e.keys() {
		if k.primary {
			continue
		}
		text, ok := it.Text(k.Name)
		if !ok {
			continue
		}
		if m, err := k.template.ParseItem(text, it.Text); err == nil {
			// A stale index key may differ: the table's keys take precedence.
			_ = p.Add(k.template, m)
		}
	}
}

// Values returns the placeholders of an item, from its attributes or, where they are missing, from its keys. The result
// refers to the item, so the item must not change while the result is in use.
func (e *Entity) Values(it Item) Values {
	p, err := e.match(it)
	if err == nil {
		e.readIndexKeys(it, &p)
	}
	return func(name string) (string, bool) {
		if v, ok := it.Text(name); ok {
			return v, true
		}
		v, ok := p.Values[name]
		return v, ok
	}
}

// Placeholders collects the values of placeholders from one or more keys. The zero value is empty and ready to use.
type Placeholders struct {
	Values map[string]string

	parts []string // names with only a part of the value: the date of a time
}

// Add adds the values that t parsed from a key. A whole value replaces a part of it, such as a date. If two whole
// values differ, Add keeps the first one and returns a *Mismatch.
func (p *Placeholders) Add(t Template, m Match) error {
	for _, s := range m.Spans {
		name := s.Segment.PartName()
		if name == "" {
			continue
		}
		v, whole := m.Values[name], m.isWhole(name)
		old, seen := p.Values[name]
		part := slices.Index(p.parts, name)
		switch {
		case !seen && !whole:
			p.parts = append(p.parts, name)
			p.set(name, v)
		case !seen:
			p.set(name, v)
		case part >= 0 && whole:
			p.parts = slices.Delete(p.parts, part, part+1)
			p.set(name, v)
		case whole && old != v:
			return t.mismatch(s.Start, name, "{%s} is %q in one key but %q in another", name, Printable(old), Printable(v))
		}
	}
	return nil
}

func (p *Placeholders) set(name, value string) {
	if p.Values == nil {
		p.Values = map[string]string{}
	}
	p.Values[name] = value
}

// valueMap returns the values as a map that is never nil.
func (p *Placeholders) valueMap() map[string]string {
	if p.Values == nil {
		p.Values = map[string]string{}
	}
	return p.Values
}
