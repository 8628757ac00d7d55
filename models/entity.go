// This file describes entities, and derives from their key templates what an
// item is, what its keys should be, and where they went wrong.

package models

import (
	"sort"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

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
	Source       string
	Attributes   []*Attribute
	Columns      []string
	Groups       []Group
	Lifecycles   []*Lifecycle

	byPath map[string]*Attribute
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

// Seal indexes the attributes by path. The loader calls it once, when the
// entity is complete.
func (e *Entity) Seal() {
	e.byPath = map[string]*Attribute{}
	var walk func([]*Attribute)
	walk = func(list []*Attribute) {
		for _, a := range list {
			e.byPath[a.Path] = a
			walk(a.Attributes)
		}
	}
	walk(e.Attributes)
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
	if t, ok := e.Keys[name]; ok {
		return t, true
	}
	a := e.Attribute(name)
	if a == nil || a.KeyOnly {
		return Template{}, false
	}
	for _, k := range e.Table.KeyAttributes() {
		if k.Name == name {
			// Any attribute can be a key, whatever its name holds.
			return Template{source: "{" + name + "}", segs: []Segment{{Name: name}}}, true
		}
	}
	return Template{}, false
}

// KeyNames returns the key attributes that the entity carries, in the table's
// order.
func (e *Entity) KeyNames() []string {
	var names []string
	for _, k := range e.Table.KeyAttributes() {
		if _, ok := e.KeyTemplate(k.Name); ok {
			names = append(names, k.Name)
		}
	}
	return names
}

// A Recognition is what an item's keys say it is.
type Recognition struct {
	Entity *Entity
	// Values has the placeholders of the entity's keys as the item's keys give
	// them.
	Values map[string]string
}

// Recognise finds the entity of an item among those of its table: every key
// template of the table must match, and what tells the entity from its
// neighbours must be there. The more specific template wins. The error lists
// nothing; ask Entity.Explain for the reason of one entity.
func Recognise(entities []*Entity, table *Table, it Item) (Recognition, bool) {
	best, weight := Recognition{}, -1
	for _, e := range entities {
		if e.Table != table {
			continue
		}
		r, err := e.recognise(it)
		if err != nil {
			continue
		}
		w := 2 * e.keyWeight()
		if len(e.Has)+len(e.Lacks) > 0 {
			w++
		}
		if w > weight {
			best, weight = r, w
		}
	}
	return best, weight >= 0
}

// Explain returns why the item is not an e, nil when it is.
func (e *Entity) Explain(it Item) error {
	_, err := e.recognise(it)
	return err
}

func (e *Entity) keyWeight() int {
	return e.Keys[e.Table.PartitionKey.Name].weight() + e.Keys[e.Table.SortKey.Name].weight()
}

func (e *Entity) recognise(it Item) (Recognition, error) {
	r := Recognition{Entity: e, Values: map[string]string{}}
	lossy := map[string]bool{}
	for _, k := range []Key{e.Table.PartitionKey, e.Table.SortKey} {
		if k.Name == "" {
			continue
		}
		text, ok := it.Text(k.Name)
		if !ok {
			return r, &Mismatch{Template: k.Name, Reason: "the item has no " + k.Name}
		}
		t, ok := e.KeyTemplate(k.Name)
		if !ok {
			return r, &Mismatch{Template: k.Name, Reason: e.Name + " has no template for " + k.Name}
		}
		if err := mergeKey(r.Values, lossy, t, text); err != nil {
			return r, err
		}
	}
	for _, name := range e.Has {
		if _, ok := it[name]; !ok {
			return r, &Mismatch{Template: e.Name, Reason: "the item has no " + name}
		}
	}
	for _, name := range e.Lacks {
		if _, ok := it[name]; ok {
			return r, &Mismatch{Template: e.Name, Reason: "the item has " + name}
		}
	}
	// Index keys add the placeholders that the table's keys do not hold.
	for _, name := range e.KeyNames() {
		text, ok := it.Text(name)
		if t, has := e.KeyTemplate(name); ok && has {
			if m, err := t.Parse(text); err == nil {
				for n, v := range m.Values {
					if _, seen := r.Values[n]; !seen {
						r.Values[n] = v
					}
				}
			}
		}
	}
	return r, nil
}

// mergeKey adds the placeholders of one key to values; two keys must agree.
func mergeKey(values map[string]string, lossy map[string]bool, t Template, text string) error {
	m, err := t.Parse(text)
	if err != nil {
		return err
	}
	for _, s := range t.segs {
		v, ok := m.Values[s.Name]
		if s.Name == "" || !ok {
			continue
		}
		old, seen := values[s.Name]
		if seen && !lossy[s.Name] && !s.Format.Lossy() && old != v {
			return t.mismatch(0, s.Name, "{%s} is %q in one key and %q in the other", s.Name, Printable(old), Printable(v))
		}
		if !seen || lossy[s.Name] {
			values[s.Name], lossy[s.Name] = v, s.Format.Lossy()
		}
	}
	return nil
}

// Values returns the placeholders of an item of the entity: its attributes,
// and what only its keys hold.
func (e *Entity) Values(it Item) Values {
	r, _ := e.recognise(it)
	return func(name string) (string, bool) {
		if v, ok := it.Text(name); ok {
			return v, true
		}
		v, ok := r.Values[name]
		return v, ok
	}
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

// StringValue wraps text as a DynamoDB string.
func StringValue(text string) types.AttributeValue {
	return &types.AttributeValueMemberS{Value: text}
}
