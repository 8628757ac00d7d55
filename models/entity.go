package models

import (
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// An Entity is one kind of item: its keys, attributes and lifecycles. The loader of profiles
// makes it and calls Seal once; from then on several goroutines read it, and it must not
// change.
type Entity struct {
	Name       string
	Title      string
	Table      *Table
	Keys       map[string]Template // by key attribute, of the table and of its indexes
	Has, Lacks []string            // attributes that distinguish it from an entity with the same keys
	Is         []Equality          // values that distinguish it from such an entity; new items get them
	// KeyWhen has, by index key attribute, what an item needs to have the key besides the
	// parts of its template. Without it the item is not in the index.
	KeyWhen map[string][]Equality
	// Owner names another service that writes the items, "" for none. ddbdesk never changes or
	// repairs items with an owner.
	Owner        string
	Undocumented bool // undeclared attributes are masked
	// ByName returns how sensitive an undeclared attribute is by its name, for items that nobody described; nil for no guess.
	ByName func(attribute string) Sensitivity
	// Parent names the entity that the items belong to, "" for none. Sample data and the counts
	// beside an item use it; no request depends on it.
	Parent   string
	Collides bool // keys are not unique: two events at the same time share one
	// Version and Updated name the attributes that every change advances, a counter
	// and the time of the last change, or "". They reveal changes by others.
	Version, Updated string
	Source           string
	Attributes       []*Attribute
	// Columns are paths in the order in which a grid shows them. Without any, a grid shows the
	// required attributes first.
	Columns    []string
	ItemTitle  Template // names an item; the zero template if its ID does
	Groups     []Group
	Lifecycles []*Lifecycle

	// Derived by Seal, because displaying a row reads it many times.
	byPath  map[string]*Attribute
	keyList []entityKey
}

// An entityKey is a key attribute of an entity's items.
type entityKey struct {
	Key
	template Template
	primary  bool // of the table itself, not of an index
	shared   bool // a placeholder occurs more than once in the keys of the table
}

// A Group is a titled list of attributes, by path, in the overview of an item. Attributes of no
// group follow the groups.
type Group struct {
	Title      string
	Attributes []string
}

// Attribute returns the attribute at a dotted path, or nil if the schema does not
// document it. The attribute of a computed part, such as mail:sha256, is that of its value:
// a digest of personal data is personal data.
func (e *Entity) Attribute(path string) *Attribute {
	a := e.byPath[path]
	if e.byPath == nil {
		a = findAttribute(e.Attributes, path)
	}
	if a == nil {
		if name, format, ok := strings.Cut(path, ":"); ok && Format(format).IsComputed() {
			return e.Attribute(name)
		}
	}
	return a
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

// Seal prepares a complete entity for fast use: attributes by path, and keys with
// their templates. It also makes everything nested in a sensitive document at
// least as sensitive as the document. The loader calls it once. Calling it again after the
// attributes or keys changed is allowed; calling it while another goroutine uses the entity is
// not.
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
	e.keyList = e.deriveKeys()
}

func (e *Entity) keys() []entityKey {
	if e.keyList != nil {
		return e.keyList
	}
	return e.deriveKeys()
}

func (e *Entity) deriveKeys() []entityKey {
	keys := []entityKey{}
	for _, k := range e.Table.KeyAttributes() {
		t, ok := e.Keys[k.Name]
		if a := e.Attribute(k.Name); !ok && a != nil && !a.KeyOnly {
			// The name of an attribute may not be valid in the text of a template.
			t, ok = Template{source: "{" + k.Name + "}", segs: []Segment{{Name: k.Name, of: a}}}, true
		}
		if ok {
			keys = append(keys, entityKey{Key: k, template: t, primary: k == e.Table.PartitionKey || k == e.Table.SortKey})
		}
	}
	shareKeys(keys)
	return keys
}

// shareKeys marks the keys of a table that have a placeholder more than once: they cannot be read one by one.
func shareKeys(keys []entityKey) {
	var names []string
	for _, k := range keys {
		for _, s := range k.template.segs {
			if k.primary && s.Name != "" {
				names = append(names, s.Name)
			}
		}
	}
	slices.Sort(names)
	shared := len(slices.Compact(slices.Clone(names))) < len(names)
	for i := range keys {
		keys[i].shared = shared
	}
}

// Lifecycle returns the lifecycle of the attribute, or nil. The attribute is a path.
func (e *Entity) Lifecycle(attribute string) *Lifecycle {
	if i := slices.IndexFunc(e.Lifecycles, func(l *Lifecycle) bool { return l.Attribute == attribute }); i >= 0 {
		return e.Lifecycles[i]
	}
	return nil
}

// KeyTemplate returns the template of a key attribute. A plain attribute that is
// an index key has the template {name}.
func (e *Entity) KeyTemplate(name string) (Template, bool) {
	for _, k := range e.keys() {
		if k.Name == name {
			return k.template, true
		}
	}
	return Template{}, false
}

// KeyNames returns the names of the entity's key attributes in the table's order.
func (e *Entity) KeyNames() []string {
	return NamesOf(e.keys(), func(k entityKey) string { return k.Name })
}

// A KeyState is the result of comparing one key attribute of an item with its
// template.
type KeyState struct {
	Name     string
	Template Template
	Stored   string
	Present  bool
	// Expected is the key that the template makes from the attributes. It is ""
	// when an attribute is missing: then the key must be absent (a sparse index).
	Expected string
	// Problem describes what is wrong, "" when the key matches the attributes.
	Problem string
}

// KeyStates compares every key attribute of the item with its template, in the
// table's order. A problem is a difference between the key and the attributes, which need not
// be the fault of the key: an update that forgot the key and one that forgot the attribute look
// the same.
func (e *Entity) KeyStates(it Item) []KeyState {
	values := e.Values(it)
	var states []KeyState
	for _, name := range e.KeyNames() {
		t, _ := e.KeyTemplate(name)
		s := KeyState{Name: name, Template: t}
		s.Stored, s.Present = it.Text(name)
		expected, err := t.Format(values)
		keyed := e.HasKey(name, values)
		if err == nil && keyed {
			s.Expected = expected
		}
		switch {
		case !keyed && s.Present:
			s.Problem = "present, but only an item of which " + e.KeyCondition(name) + " is in this index"
		case !keyed:
		case err != nil && s.Present:
			s.Problem = "cannot be computed: " + err.Error()
		case err == nil && !s.Present:
			s.Problem = "missing; the item is not in this index"
		case err == nil && s.Stored != expected:
			s.Problem = "does not match the attributes"
		}
		states = append(states, s)
	}
	return states
}

// Build returns an item of the entity: the attributes, and the keys computed from
// them and from extra. An index key with a missing part is omitted (a sparse index).
// The error is a *ValueError for a part of the primary key that is missing, for a value
// that fits no key, and for one with which another item has the same primary key. The caller
// keeps attributes and extra: the item is a copy. Key attributes that are set already are kept
// as they are. Required attributes other than those of the primary key may be missing; see
// MissingAttributes.
func (e *Entity) Build(attributes Item, extra map[string]string) (Item, error) {
	it := attributes.Clone()
	for _, q := range e.Is {
		if err := e.distinguish(it, q); err != nil {
			return nil, err
		}
	}
	values := func(name string) (string, bool) {
		if v, ok := it.Text(name); ok {
			return v, true
		}
		v, ok := extra[name]
		return v, ok
	}
	for _, k := range e.Table.KeyAttributes() {
		t, ok := e.KeyTemplate(k.Name)
		if _, set := it[k.Name]; !ok || set || !e.HasKey(k.Name, values) {
			continue
		}
		v, err := k.Value(t, values)
		if primary := k == e.Table.PartitionKey || k == e.Table.SortKey; err == nil && primary {
			if err = t.Separated(values); v == nil {
				_, err = t.Format(values)
			}
		}
		if err != nil {
			return nil, err
		}
		if v != nil {
			it[k.Name] = v
		}
	}
	return it, nil
}

func (e *Entity) distinguish(it Item, q Equality) error {
	a := e.Attribute(q.Path)
	if _, set := it.At(q.Path); set || a == nil || a.KeyOnly || len(q.Values) != 1 {
		return nil
	}
	v, err := a.Value(q.Values[0])
	if err != nil {
		return &ValueError{q.Path, err}
	}
	e.Set(it, q.Path, v)
	return nil
}

// Value returns the value of the key attribute that its template makes of values, nil
// if a part is missing or empty. The error is a *ValueError for a value that the key
// cannot contain. It is not a missing part: an item with such a value would leave an
// index without notice.
func (k Key) Value(t Template, values Values) (types.AttributeValue, error) {
	text, err := t.Format(values)
	if bad, named := errors.AsType[*ValueError](err); named {
		if v, ok := values(bad.Name); !ok || v == "" {
			return nil, nil //nolint:nilnil // No key is not an error.
		}
	}
	if err != nil {
		return nil, err
	}
	v, err := ScalarValue(k.Type, text)
	if err != nil {
		name := k.Name
		if names := t.Placeholders(); len(names) > 0 {
			name = names[len(names)-1]
		}
		return nil, &ValueError{name, err}
	}
	return v, nil
}

// MissingAttributes returns the required attributes that the item lacks, in byte
// order. An update of a key that does not exist creates such items. Only top-level attributes
// count. The result is nil for a complete item.
func (e *Entity) MissingAttributes(it Item) []string {
	var missing []string
	for _, a := range e.Attributes {
		if _, ok := it[a.Name]; !ok && a.Required && !a.KeyOnly {
			missing = append(missing, a.Name)
		}
	}
	slices.Sort(missing)
	return missing
}
