// This file describes entities, and derives from their key templates what an
// item is, what its keys should be, and where they went wrong.

package models

import "sort"

// An Entity is one kind of item: its keys, attributes and lifecycles.
type Entity struct {
	Name         string
	Title        string
	Table        *Table
	Keys         map[string]Template // by key attribute, of the table and of its indexes
	Has, Lacks   []string            // attributes that tell it from an entity with the same keys
	Owner        string              // another service that writes it
	Undocumented bool                // undeclared attributes are masked
	Parent       string
	Collides     bool // its key is not unique: two events of one tick share it
	// Version and Updated name the attributes that every change moves on: a
	// counter and the time of the last change, "" without. Changes made by others
	// are noticed by them.
	Version, Updated string
	Source           string
	Attributes       []*Attribute
	Columns          []string
	Groups           []Group
	Lifecycles       []*Lifecycle

	// What Seal derives; showing a row asks for it many times.
	byPath  map[string]*Attribute
	carried []carriedKey
}

// A carriedKey is a key attribute that an entity's items carry.
type carriedKey struct {
	Key
	template Template
	primary  bool // of the table itself, not of an index
}

// A Group is a titled list of attributes for an overview.
type Group struct {
	Title      string
	Attributes []string
}

// Attribute returns the attribute at a dotted path, nil when not documented.
func (e *Entity) Attribute(path string) *Attribute {
	if e.byPath == nil {
		return findAttribute(e.Attributes, path)
	}
	return e.byPath[path]
}

func findAttribute(list []*Attribute, path string) *Attribute {
	for _, a := range list {
		if a.Path == path {
			return a
		}
		if found := findAttribute(a.Attributes, path); found != nil {
			return found
		}
	}
	return nil
}

// Seal derives what is asked for at every row: attributes by path, and the keys
// with their templates. What is inside a sensitive document becomes as
// sensitive as the document. The loader calls it once, when the entity is
// complete; an entity that was never sealed works, more slowly.
func (e *Entity) Seal() {
	byPath := map[string]*Attribute{}
	var walk func([]*Attribute, Sensitivity)
	walk = func(list []*Attribute, outer Sensitivity) {
		for _, a := range list {
			a.Sensitive = stricter(a.Sensitive, outer)
			byPath[a.Path] = a
			walk(a.Attributes, a.Sensitive)
		}
	}
	walk(e.Attributes, Open)
	e.byPath = byPath
	e.carried = e.deriveKeys()
}

// keys returns the key attributes that the entity carries, in the table's
// order.
func (e *Entity) keys() []carriedKey {
	if e.carried != nil {
		return e.carried
	}
	return e.deriveKeys()
}

func (e *Entity) deriveKeys() []carriedKey {
	keys := []carriedKey{}
	for _, k := range e.Table.KeyAttributes() {
		t, ok := e.Keys[k.Name]
		if a := e.Attribute(k.Name); !ok && a != nil && !a.KeyOnly {
			// Any attribute can be a key, whatever its name holds.
			t, ok = Template{source: "{" + k.Name + "}", segs: []Segment{{Name: k.Name}}}, true
		}
		if ok {
			keys = append(keys, carriedKey{k, t, k == e.Table.PartitionKey || k == e.Table.SortKey})
		}
	}
	return keys
}

// Lifecycle returns the lifecycle of the attribute, nil when it has none.
func (e *Entity) Lifecycle(attribute string) *Lifecycle {
	for _, l := range e.Lifecycles {
		if l.Attribute == attribute {
			return l
		}
	}
	return nil
}

// KeyTemplate returns the template of a key attribute. A plain attribute that
// is an index key has the template of its whole value.
func (e *Entity) KeyTemplate(name string) (Template, bool) {
	for _, k := range e.keys() {
		if k.Name == name {
			return k.template, true
		}
	}
	return Template{}, false
}

// KeyNames returns the key attributes that the entity carries, in the table's
// order.
func (e *Entity) KeyNames() []string {
	keys := e.keys()
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// A KeyState compares one key attribute of an item with its template.
type KeyState struct {
	Name     string
	Template Template
	Stored   string
	Present  bool
	// Expected is what the template makes of the attributes, "" when one of
	// them is missing: then the key must be absent (a sparse index).
	Expected string
	// Problem says what is wrong, "" when the key agrees with the attributes.
	Problem string
}

// KeyStates checks every key attribute of the item, in the table's order.
func (e *Entity) KeyStates(it Item) []KeyState {
	values := e.Values(it)
	var states []KeyState
	for _, name := range e.KeyNames() {
		t, _ := e.KeyTemplate(name)
		s := KeyState{Name: name, Template: t}
		s.Stored, s.Present = it.Text(name)
		expected, err := t.Format(values)
		if err == nil {
			s.Expected = expected
		}
		switch {
		case err != nil && s.Present:
			s.Problem = "cannot be computed: " + err.Error()
		case err == nil && !s.Present:
			s.Problem = "missing: the item is not in this index"
		case err == nil && s.Stored != expected:
			s.Problem = "disagrees with the attributes"
		}
		states = append(states, s)
	}
	return states
}

// Build makes the item of the entity from its attributes by adding every key
// that can be computed. A key of the table that cannot is an error, as is a
// value that does not fit; an index key is left out (a sparse index).
func (e *Entity) Build(attributes Item, extra map[string]string) (Item, error) {
	it := make(Item, len(attributes)+4)
	for n, v := range attributes {
		it[n] = v
	}
	values := func(name string) (string, bool) {
		if v, ok := attributes.Text(name); ok {
			return v, true
		}
		v, ok := extra[name]
		return v, ok
	}
	for _, k := range e.Table.KeyAttributes() {
		t, ok := e.KeyTemplate(k.Name)
		if _, set := it[k.Name]; !ok || set {
			continue
		}
		text, err := t.Format(values)
		if err != nil {
			if k == e.Table.PartitionKey || k == e.Table.SortKey {
				return nil, err
			}
			continue
		}
		v, err := ScalarValue(k.Type, text)
		if err != nil {
			return nil, &ValueError{k.Name, err}
		}
		it[k.Name] = v
	}
	return it, nil
}

// MissingAttributes returns the required attributes that the item lacks: what
// a ghost item, made by an update of a key that did not exist, shows.
func (e *Entity) MissingAttributes(it Item) []string {
	var missing []string
	for _, a := range e.Attributes {
		if _, ok := it[a.Name]; !ok && a.Required && !a.KeyOnly {
			missing = append(missing, a.Name)
		}
	}
	sort.Strings(missing)
	return missing
}
