package models

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// An Entity is one kind of item: its keys, attributes and lifecycles. The schema loader creates it and calls Seal
// once; after that, it must not change, because several goroutines read it.
type Entity struct {
	Name       string
	Title      string
	Table      *Table
	Keys       map[string]Template // templates by key attribute of the table and of its indexes
	Has, Lacks []string            // attributes that distinguish it from an entity with the same keys
	Is         []Equality          // values that distinguish it from such an entity; new items get them
	// KeyWhen lists, by index key attribute, the conditions that an item must meet to have the key, in addition to the
	// template's parts. Items that do not meet them are not in the index.
	KeyWhen map[string][]Equality
	// Owner names another service that writes the items, or is "". ddbdesk never changes or repairs items with an
	// owner.
	Owner        string
	Undocumented bool // ddbdesk masks undeclared attributes for every role
	// ShowUndeclared shows undeclared attributes to every role, because the schema declares that they contain nothing
	// sensitive.
	ShowUndeclared bool
	// ByName guesses the sensitivity of an undeclared attribute from its name, for entities without a declared schema.
	// If ByName is nil, ddbdesk does not guess.
	ByName func(attribute string) Sensitivity
	// Parent names the entity that the items belong to, or is "". Sample data and the counts beside an item use it;
	// requests do not.
	Parent   string
	Collides bool // keys are not unique: two events at the same time have the same key
	// Version names the counter that every change increments, and Updated names the attribute with the time of the last
	// change. Both may be "". ddbdesk uses them to detect changes by others.
	Version, Updated string
	Source           string
	Attributes       []*Attribute
	// Columns are paths in display order. If Columns is empty, a grid shows the required attributes first.
	Columns    []string
	ItemTitle  Template // title of an item; the zero template if its ID is the title
	Groups     []Group
	Lifecycles []*Lifecycle

	// Seal derives these fields, because displaying a row reads them many times.
	byPath  map[string]*Attribute
	keyList []entityKey
}

// An entityKey describes one key attribute of an entity's items.
type entityKey struct {
	Key
	template Template
	primary  bool // key of the table itself, not of an index
	shared   bool // some placeholder occurs more than once in the table's keys
}

// A Group is a titled list of attribute paths in the overview of an item. Attributes without a group follow the groups.
type Group struct {
	Title      string
	Attributes []string
}

// Attribute returns the attribute at a dotted path, or nil if the schema does not document it. A computed part, such as
// mail:sha256, has the attribute of its value, because a digest of personal data is personal data.
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

// ReadTime reads the text of the attribute at a path as a time. It guesses the form, as ParseTime does, only if the text
// does not have the attribute's own format.
func (e *Entity) ReadTime(path, text string, now time.Time) (Time, error) {
	if a := e.Attribute(path); a != nil && a.Format.IsTime() {
		if t, ok := a.Format.ReadTime(text); ok {
			return Time{Time: t, Day: a.Format.IsDay()}, nil
		}
	}
	return ParseTime(text, now)
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

// Seal prepares a complete entity for fast use: it indexes attributes by path and keys with their templates. It also
// makes everything nested in a sensitive document at least as sensitive as the document. The loader calls it once.
// Callers may call it again after they change attributes or keys, but not while another goroutine uses the entity.
func (e *Entity) Seal() {
	byPath := map[string]*Attribute{}
	var walk func([]*Attribute, Sensitivity)
	walk = func(list []*Attribute, outer Sensitivity) {
		for _, a := range list {
			a.Sensitive = Stricter(a.Sensitive, outer)
			byPath[a.Path] = a
			walk(a.Attributes, a.Sensitive)
		}
	}
	walk(e.Attributes, NotSensitive)
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
			// An attribute name may not be valid in the text of a template.
			t, ok = Placeholder(k.Name, a), true
		}
		if ok {
			keys = append(keys, entityKey{Key: k, template: t, primary: k == e.Table.PartitionKey || k == e.Table.SortKey})
		}
	}
	shareKeys(keys)
	return keys
}

// shareKeys marks keys with a placeholder that occurs more than once in the table's keys: they must be read together.
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

// Lifecycle returns the lifecycle of the attribute at a path, or nil.
func (e *Entity) Lifecycle(attribute string) *Lifecycle {
	return First(e.Lifecycles, func(l *Lifecycle) bool { return l.Attribute == attribute })
}

// FormatOf returns the format of the attribute at a path: its declared format, or seconds for an undeclared format of
// the table's TTL attribute, because DynamoDB requires them. e may be nil.
func (e *Entity) FormatOf(path string) Format {
	if e == nil {
		return NoFormat
	}
	if a := e.Attribute(path); a != nil && a.Format != NoFormat {
		return a.Format
	}
	if path != "" && path == e.Table.TTL {
		return EpochSeconds
	}
	return NoFormat
}

// PlainName returns the name of an attribute for role support: its title, or its path if it has none. For a key
// attribute that the entity does not declare or that repeats other attributes, it returns "key" or "index key" instead,
// and key is true. e may be nil.
func (e *Entity) PlainName(path string) (name string, key bool) {
	if e == nil {
		return path, false
	}
	t, isKey := e.KeyTemplate(path)
	switch a := e.Attribute(path); {
	case a != nil && (!isKey || t.String() == "{"+path+"}"):
		return cmp.Or(a.Title, path), false
	case KeyPosition(e.Table.PrimaryKeys(), path) >= 0:
		return "key", true
	case KeyPosition(e.Table.KeyAttributes(), path) >= 0:
		return "index key", true
	}
	return path, false
}

// KeyTemplate returns the template of a key attribute. A plain attribute that is an index key has the template {name}.
func (e *Entity) KeyTemplate(name string) (Template, bool) {
	for _, k := range e.keys() {
		if k.Name == name {
			return k.template, true
		}
	}
	return Template{}, false
}

// KeyPlaceholders returns the distinct placeholders of the primary key. Their values form the key.
func (e *Entity) KeyPlaceholders() []string {
	var names []string
	for _, k := range e.Table.PrimaryKeys() {
		t, _ := e.KeyTemplate(k.Name)
		for _, name := range t.Placeholders() {
			names = AppendOnce(names, name)
		}
	}
	return names
}

// KeyNames returns the names of the entity's key attributes in the table's order.
func (e *Entity) KeyNames() []string {
	return MapSlice(e.keys(), func(k entityKey) string { return k.Name })
}

// A KeyState compares one key attribute of an item with its template.
type KeyState struct {
	Name     string
	Template Template
	Stored   string
	Present  bool
	// Expected is the key that the template makes from the attributes. If an attribute is missing, Expected is "" and
	// the key must be absent (a sparse index).
	Expected string
	// Problem describes what is wrong. It is "" if the key matches the attributes.
	Problem string
}

// KeyStates compares every key attribute of the item with its template, in the table's order. A problem means that the
// key and the attributes differ. Either can be wrong: an update that omitted the key looks the same as one that omitted
// the attribute.
func (e *Entity) KeyStates(it Item) []KeyState {
	values := e.Values(it)
	var states []KeyState
	for _, name := range e.KeyNames() {
		t, _ := e.KeyTemplate(name)
		s := KeyState{Name: name, Template: t}
		s.Stored, s.Present = it.Text(name)
		expected, err := t.Format(values)
		keyed := e.HasKey(name, it, values)
		if err == nil && keyed {
			s.Expected = expected
		}
		switch {
		case !keyed && s.Present:
			s.Problem = "present, but an item is in this index only if " + e.KeyCondition(name)
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

// Build returns an item of the entity with the given attributes and the keys computed from them and from extra. It
// omits an index key with a missing part (a sparse index). The error is a *ValueError if a part of the primary key is
// missing, if a value cannot be part of a key, or if different values would make the same primary key. Build copies the
// attributes and changes neither argument. Build keeps key attributes that are already set. Required attributes outside
// the primary key may be missing; see MissingAttributes.
func (e *Entity) Build(attributes Item, extra map[string]string) (Item, error) {
	it := attributes.Clone()
	for _, q := range e.Is {
		if err := e.setDistinguishing(it, q); err != nil {
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
		if _, set := it[k.Name]; !ok || set || !e.HasKey(k.Name, it, values) {
			continue
		}
		v, err := k.Value(t, values)
		if primary := k == e.Table.PartitionKey || k == e.Table.SortKey; err == nil && primary {
			if err = t.CheckDelimiters(values); v == nil {
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

func (e *Entity) setDistinguishing(it Item, q Equality) error {
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

// Value returns the key attribute's value, built by its template from values, or nil if a part is missing or empty. The
// error is a *ValueError for a value that the key cannot contain. Such a value is not treated as missing, because the
// item would leave an index without notice.
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

// MissingAttributes returns the required attributes that the item lacks, in byte order. An update of a key that does
// not exist creates such items. Only top-level attributes are checked. The result is nil for a complete item.
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

// expiryName matches the names of times that a program sets in advance: expiresAt, dueDate, valid_until.
var expiryName = LazyRegexp(`(?i:expir|deadline|^(exp|ttl|due)$|(^|[_.])(due|until|ttl)(_|$))|Due|Until|TTL|Ttl|^due[A-Z]`)

// Span estimates when an item was created and when it last changed from its first and last times that are not in the
// future. The Updated attribute takes precedence for the last change, which ignores times equal to the time to live.
// Span ignores days, personal data and times of expiry for both results. It ignores future times because they are
// usually an expiry or a schedule, and skips times that do not parse because the span is only a hint. A result is zero
// if no time qualifies.
func (e *Entity) Span(it Item, now time.Time) (first, last time.Time) {
	expires, _ := e.Table.Expires(it)
	read := func(a *Attribute) (time.Time, bool) {
		text, ok := it.Text(a.Path)
		isExpiry := a.Path == e.Table.TTL || expiryName().MatchString(a.Path)
		if !ok || isExpiry || a.Sensitive != NotSensitive || !a.Format.IsTime() || a.Format.IsDay() {
			return time.Time{}, false
		}
		t, ok := a.Format.ReadTime(text)
		return t, ok && !t.After(now)
	}
	for _, a := range e.Attributes {
		t, ok := read(a)
		if ok && (first.IsZero() || t.Before(first)) {
			first = t
		}
		if ok && t.After(last) && t.Unix() != expires.Unix() {
			last = t
		}
	}
	if a := e.Attribute(e.Updated); a != nil {
		if t, ok := read(a); ok {
			last = t
		}
	}
	return first, last
}

// Expires returns when an item expires, or false if it does not expire. Only a value of type N is a time to live;
// DynamoDB ignores other types. Source: Amazon DynamoDB Developer Guide, "Using time to live (TTL) in DynamoDB".
func (t *Table) Expires(it Item) (time.Time, bool) {
	if t.TTL == "" || ValueType(it[t.TTL]) != TypeN {
		return time.Time{}, false
	}
	digits, _ := it.Text(t.TTL)
	return EpochSeconds.ReadTime(digits)
}

// IDName returns the placeholder that identifies an item of the entity to people: the one named after the entity, or
// else the last one in the sort key, or else the first one in the partition key. It returns "" for a key without
// placeholders. Use it for titles and links only: it need not be unique, while the primary key is.
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

// An Equality is a condition on an attribute: it has one of the values, or it is present or absent. DynamoDB compares
// typed values, but comparing text is enough here because an attribute has one type.
type Equality struct {
	Path   string
	Values []string // values in the form of Item.Text; nil allows any value, including documents
	Lacks  bool     // the item does not have the attribute
}

// Holds reports whether an item with the values meets the condition.
func (q Equality) Holds(it Item, values Values) bool {
	v, ok := values(q.Path)
	if q.Values != nil {
		return ok && slices.Contains(q.Values, v)
	}
	_, stored := it.At(q.Path)
	return (stored || ok) != q.Lacks
}

// String describes the condition, as in "status is open or review".
func (q Equality) String() string {
	switch {
	case q.Lacks:
		return q.Path + " is missing"
	case q.Values == nil:
		return q.Path + " is set"
	}
	return fmt.Sprintf("%s is %s", q.Path, strings.Join(q.Values, " or "))
}

// Distinguishes reports whether an attribute distinguishes the entity's items from those of other entities.
func (e *Entity) Distinguishes(path string) bool {
	return slices.ContainsFunc(e.Is, func(q Equality) bool { return q.Path == path })
}

// HasKey reports whether an item with the values meets the conditions for the key attribute. It returns true if there
// are no conditions. It does not check the parts of the template; see Key.Value.
func (e *Entity) HasKey(name string, it Item, values Values) bool {
	return !slices.ContainsFunc(e.KeyWhen[name], func(q Equality) bool { return !q.Holds(it, values) })
}

// KeyCondition describes when an item has the key attribute, as in "status is open". It returns "" if every item has
// it.
func (e *Entity) KeyCondition(name string) string {
	return strings.Join(MapSlice(e.KeyWhen[name], Equality.String), " and ")
}

// KeyInputs lists the attributes that a key attribute depends on: those in its template and its condition. A name may
// occur twice. If any of them changes, compute the key again.
func (e *Entity) KeyInputs(name string) []string {
	t, _ := e.KeyTemplate(name)
	names := t.Placeholders()
	for _, q := range e.KeyWhen[name] {
		names = append(names, q.Path)
	}
	return names
}

// PathNames returns the attribute names along a dotted path. A declared name that contains a dot is one name, whether
// or not an item has it; PathNames splits everything else at the dots. Requests need the separate names because each
// one gets its own #alias: in an expression, a dot always separates two names. The result is never empty.
func (e *Entity) PathNames(path string) []string {
	for _, k := range e.Table.KeyAttributes() {
		if k.Name == path {
			return []string{path}
		}
	}
	return pathNames(e.Attributes, path)
}

func pathNames(list []*Attribute, path string) []string {
	var found *Attribute
	for _, a := range list {
		longer := found == nil || len(a.Name) > len(found.Name)
		if longer && (a.Name == path || strings.HasPrefix(path, a.Name+".")) {
			found = a
		}
	}
	switch {
	case found == nil:
		return strings.Split(path, ".")
	case found.Name == path:
		return []string{path}
	default:
		return append([]string{found.Name}, pathNames(found.Attributes, path[len(found.Name)+1:])...)
	}
}

// Set sets the value at a dotted path of an item of the entity; see PathNames. A name that the item already has takes
// precedence, as in Item.At. It copies maps along the path.
func (e *Entity) Set(it Item, path string, v types.AttributeValue) {
	if _, whole := it[path]; whole {
		it[path] = v
		return
	}
	it.SetNames(e.PathNames(path), v)
}

// Remove removes the value at a dotted path of an item of the entity; see Set. A missing path is not an error. Remove
// keeps a map that becomes empty.
func (e *Entity) Remove(it Item, path string) {
	if _, present := it.At(path); !present {
		return
	}
	if names := e.PathNames(path); len(names) > 1 {
		it.Remove(path)
	} else {
		delete(it, path)
	}
}
