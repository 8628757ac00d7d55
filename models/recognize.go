// This file tells what an item is by its keys.

package models

import (
	"slices"
	"strings"
)

// A Recognition is what an item's keys say it is.
type Recognition struct {
	Entity *Entity
	// Values has the placeholders of the entity's keys as the item's keys give
	// them.
	Values map[string]string
}

// Recognise finds the entity of an item among those of its table: every key
// template of the table must match, and what tells the entity from its
// neighbours must be there. The more specific template wins. When none does,
// ask Entity.Explain for the reason of one entity.
func Recognise(entities []*Entity, table *Table, it Item) (Recognition, bool) {
	e, p := identify(entities, table, it)
	if e == nil {
		return Recognition{}, false
	}
	e.readIndexKeys(it, &p)
	return Recognition{Entity: e, Values: p.all()}, true
}

// identify returns the entity of an item, nil when none fits, and what the
// table's keys say.
func identify(entities []*Entity, table *Table, it Item) (*Entity, Placeholders) {
	var best *Entity
	var values Placeholders
	weight := -1
	for _, e := range entities {
		if e.Table != table || !e.mayBe(it) {
			continue
		}
		w := e.weight()
		if w <= weight {
			continue
		}
		if p, err := e.recognise(it); err == nil {
			best, values, weight = e, p, w
		}
	}
	return best, values
}

// Explain returns why the item is not an e, nil when it is. The error is a
// *Mismatch.
func (e *Entity) Explain(it Item) error {
	_, err := e.recognise(it)
	return err
}

// weight is how much a match proves: literal text first, then what else tells
// the entity from its neighbours.
func (e *Entity) weight() int {
	w := 0
	for _, k := range e.keys() {
		if k.primary {
			w += 2 * k.template.weight()
		}
	}
	if len(e.Has)+len(e.Lacks) > 0 {
		w++
	}
	return w
}

// mayBe is a cheap test that every item of the entity passes: most entities of
// a table are ruled out by the first letters of a key.
func (e *Entity) mayBe(it Item) bool {
	for _, k := range e.keys() {
		if !k.primary {
			continue
		}
		if text, ok := it.Text(k.Name); !ok || !strings.HasPrefix(text, k.template.LiteralPrefix()) {
			return false
		}
	}
	return true
}

// recognise reads the keys of the table, or says why the item is not an e.
func (e *Entity) recognise(it Item) (Placeholders, error) {
	var p Placeholders
	for _, k := range []Key{e.Table.PartitionKey, e.Table.SortKey} {
		if k.Name == "" {
			continue
		}
		text, ok := it.Text(k.Name)
		if !ok {
			return p, &Mismatch{Template: k.Name, Reason: "the item has no " + k.Name}
		}
		t, ok := e.KeyTemplate(k.Name)
		if !ok {
			return p, &Mismatch{Template: k.Name, Reason: e.Name + " has no template for " + k.Name}
		}
		m, err := t.Parse(text)
		if err != nil {
			return p, err
		}
		if err := p.Add(t, m); err != nil {
			return p, err
		}
	}
	for _, name := range e.Has {
		if _, ok := it[name]; !ok {
			return p, &Mismatch{Template: e.Name, Reason: "the item has no " + name}
		}
	}
	for _, name := range e.Lacks {
		if _, ok := it[name]; ok {
			return p, &Mismatch{Template: e.Name, Reason: "the item has " + name}
		}
	}
	return p, nil
}

// readIndexKeys adds the placeholders that the table's keys do not hold. An
// index key that does not fit says nothing.
func (e *Entity) readIndexKeys(it Item, p *Placeholders) {
	for _, k := range e.keys() {
		if k.primary {
			continue
		}
		text, ok := it.Text(k.Name)
		if !ok {
			continue
		}
		if m, err := k.template.Parse(text); err == nil {
			// A stale index key may disagree: what the table's keys say stands.
			_ = p.Add(k.template, m)
		}
	}
}

// Values returns the placeholders of an item of the entity: its attributes,
// and what only its keys hold.
func (e *Entity) Values(it Item) Values {
	p, err := e.recognise(it)
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

// Placeholders are the values that one or more keys give. The zero value is
// empty and ready to use.
type Placeholders struct {
	Values map[string]string

	parts []string // names of which only a part is known: the date of a time
}

// Add takes in what t read in a key. A whole value replaces a part of it. Two
// keys that give whole values must agree: the error is a *Mismatch, and what
// was there before stands.
func (p *Placeholders) Add(t Template, m Match) error {
	for _, s := range m.Spans {
		name := s.Segment.Name
		if name == "" {
			continue
		}
		v, whole := m.Values[name], m.whole(name)
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
		case part < 0 && whole && old != v:
			return t.mismatch(s.Start, name, "{%s} is %q in one key and %q in the other", name, Printable(old), Printable(v))
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

// all returns the values as a map that can be written to.
func (p *Placeholders) all() map[string]string {
	if p.Values == nil {
		p.Values = map[string]string{}
	}
	return p.Values
}
