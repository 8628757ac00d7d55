// Package draft writes profiles: a program fills a [Profile] with what it found, and gets the text of a profile with
// a comment beside everything that a person has to decide. [Infer] finds entities, key templates and attributes in a
// sample of items, a [Review] holds what a person decides about each part of that, and [Merge] adds a draft to a
// profile that a person wrote.
package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// checkMark begins a note about something that a person has to check or decide.
const checkMark = "CHECK: "

// noteMark is between the notes about one part.
const noteMark = "; "

// Check returns a note about something that a person has to check or decide before the profile
// can be trusted. The commands count these notes, so nothing else may begin with the mark.
func Check(format string, args ...any) string { return checkMark + fmt.Sprintf(format, args...) }

// VersionNote is the note about the attribute that every change increments.
func VersionNote(attribute string) string { return Check("every change increments %s", attribute) }

// UpdatedNote is the note about the attribute that every change sets to its time.
func UpdatedNote(attribute string) string { return Check("every change sets %s", attribute) }

// Checks counts the notes of Check in the text of a profile.
func Checks(text []byte) int { return strings.Count(string(text), checkMark) }

// Settled returns a note without what a person had to check, because the person did.
func Settled(note string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(note, noteMark), func(part string) bool {
		return strings.HasPrefix(part, checkMark)
	}), noteMark)
}

// Spoken returns a note without the marks of Check, for a screen.
func Spoken(note string) string { return strings.ReplaceAll(note, checkMark, "") }

// Joined joins two notes about the same part.
func Joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + noteMark + b
}

// A Profile is a profile to write. Parts are written in the order in which they were added.
// Nothing is validated: the text is loaded like any other profile afterwards, and lint reports
// what is wrong with it.
type Profile struct {
	Name, Title, Description, Source string
	Notes                            []string // lines at the top of the file
	Variables                        []Variable
	Tables                           []*Table
	Entities                         []*Entity
	Patterns                         []*Pattern
}

// A Variable is a value that table names contain as {name}.
type Variable struct {
	Name, Default, Description string
}

// A Table is a table with notes for the reader. Its name may contain variables.
type Table struct {
	models.Table
	Notes []string
}

// An Entity is a kind of item.
type Entity struct {
	Name        string
	Table       string // ID of the table
	Description string
	Source      string
	Updated     string // the attribute with the time of the last change, "" for none
	Version     string // the attribute that counts changes, "" for none
	// Undocumented is set when the attributes are not known.
	Undocumented bool
	Equals       Map // values that tell its items from those of other entities with the same keys, by attribute
	// Keys are written in this order. A key attribute that is a plain attribute has no entry;
	// see Template.
	Keys       []Key
	Attributes []*Attribute
	Notes      []string
}

// A Key is the template of a key attribute.
type Key struct {
	Attribute, Template string
	// When has the attribute and its values with which an item has the key, both empty for an unconditional key.
	When struct {
		Attribute string
		Values    []string
	}
	Note string // evidence, or what a person has to decide
}

func (k Key) tree() any {
	if k.When.Attribute == "" {
		return k.Template
	}
	return Map{{Key: "template", Value: k.Template}, {Key: "when", Value: Map{{Key: k.When.Attribute, Value: k.When.Values}}}}
}

// Template returns the template of a key attribute. A plain attribute has the template {name}; "" means that the
// entity has no such key.
func (e *Entity) Template(attribute string) string {
	for _, k := range e.Keys {
		if k.Attribute == attribute {
			return k.Template
		}
	}
	if a := e.Attribute(attribute); a != nil && !a.KeyOnly {
		return "{" + attribute + "}"
	}
	return ""
}

// Attribute returns the attribute with a name, or nil.
func (e *Entity) Attribute(name string) *Attribute {
	for _, a := range e.Attributes {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Has reports whether an item has the values that tell the entity's items apart; never without
// such values. Values are compared as text.
func (e *Entity) Has(it models.Item) bool {
	for _, f := range e.Equals {
		if text, ok := it.Text(f.Key); !ok || text != f.Value {
			return false
		}
	}
	return len(e.Equals) > 0
}

// An Attribute is an attribute with the evidence for it. Attributes nested in it are under
// Nested; the field Attributes of the embedded type is not used. Note becomes a comment and
// must not contain a value of an item.
type Attribute struct {
	models.Attribute
	Nested   []*Attribute
	Examples []string
	Note     string
}

// A Pattern is an access pattern. Key, Parameters and each filter are written as they are.
type Pattern struct {
	ID, Title        string
	Operation        string // get, query, scan or write
	Writes           string // the operation of DynamoDB, of a write
	Table, Index     string
	Key, Parameters  Map
	FanOut           Map
	Filter           []Map
	Returns          []string
	Order            string
	Consistent       bool
	Limit            int
	Condition        string
	Set              []string
	Source           []string
	Documented       bool
	Notes            []string
	NotInTheLanguage []string // parts of the pattern that the profile language has no words for
}

// Map is a mapping of YAML in the order in which it is written. A key must not occur twice.
type Map []Field

// A Field is a key of a mapping. Value is a string, a bool, an int, a list of strings, a Map or a list of Maps.
type Field struct {
	Key   string
	Value any
	Above []string // comment lines above the key
	Note  string   // comment after the value
}

func (m *Map) add(key string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case bool:
		if !v {
			return
		}
	case int:
		if v == 0 {
			return
		}
	case []string:
		if len(v) == 0 {
			return
		}
	case Map:
		if len(v) == 0 {
			return
		}
	case []Map:
		if len(v) == 0 {
			return
		}
	}
	*m = append(*m, Field{Key: key, Value: value})
}

func (p *Profile) tree() Map {
	var m, variables, tables, entities, patterns Map
	m.add("name", p.Name)
	m.add("title", p.Title)
	m.add("description", p.Description)
	m.add("source", p.Source)
	for _, v := range p.Variables {
		var d Map
		d.add("default", v.Default)
		d.add("description", v.Description)
		variables = append(variables, Field{Key: v.Name, Value: d})
	}
	for _, t := range p.Tables {
		tables = append(tables, Field{Key: t.ID, Value: t.tree(), Above: t.Notes})
	}
	for _, e := range p.Entities {
		entities = append(entities, Field{Key: e.Name, Value: e.tree(), Above: e.Notes})
	}
	for _, q := range p.Patterns {
		above := q.Notes
		if len(q.NotInTheLanguage) > 0 {
			above = append(above, Check("not imported: %s", strings.Join(q.NotInTheLanguage, "; ")))
		}
		patterns = append(patterns, Field{Key: q.ID, Value: q.tree(), Above: above})
	}
	m.add("variables", variables)
	m.add("tables", tables)
	m.add("entities", entities)
	m.add("patterns", patterns)
	return m
}

func keyTree(k models.Key) any {
	if k.Name == "" || k.Type == "" || k.Type == models.TypeS {
		return k.Name
	}
	return Map{{Key: "name", Value: k.Name}, {Key: "type", Value: string(k.Type)}}
}

func keysTree(keys []models.Key) any {
	switch len(keys) {
	case 0:
		return ""
	case 1:
		return keyTree(keys[0])
	}
	names, list := make([]string, len(keys)), make([]Map, len(keys))
	plain := true
	for i, k := range keys {
		names[i], list[i] = k.Name, Map{{Key: "name", Value: k.Name}}
		if _, named := keyTree(k).(string); !named {
			plain = false
			list[i].add("type", string(k.Type))
		}
	}
	if plain {
		return names
	}
	return list
}

func (t *Table) tree() Map {
	var m, indexes Map
	if t.Name != t.ID {
		m.add("name", t.Name)
	}
	m.add("partition_key", keyTree(t.PartitionKey))
	m.add("sort_key", keyTree(t.SortKey))
	m.add("ttl", t.TTL)
	m.add("billing", t.Billing)
	m.add("stream", t.Stream.Word())
	m.add("description", t.Description)
	m.add("source", t.Source)
	for _, x := range t.Indexes {
		var d Map
		d.add("label", x.Label)
		d.add("partition_key", keysTree(x.PartitionKeys))
		d.add("sort_key", keysTree(x.SortKeys))
		d.add("projection", string(x.Projection))
		d.add("include", x.Include)
		d.add("local", x.Local)
		d.add("optional", x.Optional)
		d.add("source", x.Source)
		indexes = append(indexes, Field{Key: x.Name, Value: d})
	}
	m.add("indexes", indexes)
	return m
}

func (e *Entity) tree() Map {
	var m, keys, when Map
	m.add("table", e.Table)
	m.add("description", e.Description)
	m.add("source", e.Source)
	m.add("undocumented", e.Undocumented)
	for _, k := range e.Keys {
		keys = append(keys, Field{Key: k.Attribute, Value: k.tree(), Note: k.Note})
	}
	m.add("keys", keys)
	when.add("equals", e.Equals)
	m.add("when", when)
	m.add("version", e.Version)
	m.add("updated", e.Updated)
	m.add("attributes", attributesTree(e.Attributes))
	return m
}

func attributesTree(list []*Attribute) Map {
	var m Map
	for _, a := range list {
		var d Map
		d.add("type", string(a.Type))
		d.add("items", string(a.Items))
		d.add("required", a.Required)
		d.add("format", string(a.Format))
		d.add("prefix", a.Prefix)
		d.add("enum", a.Enum)
		d.add("open", a.OpenEnum)
		d.add("sensitive", string(a.Sensitive))
		d.add("key_only", a.KeyOnly)
		d.add("refers", a.Refers)
		d.add("equals", a.Equals)
		d.add("undocumented", a.Undocumented)
		if !a.Documented {
			d = append(d, Field{Key: "documented", Value: false})
		}
		d.add("description", a.Description)
		d.add("examples", a.Examples)
		d.add("attributes", attributesTree(a.Nested))
		m = append(m, Field{Key: a.Name, Value: d, Note: a.Note})
	}
	return m
}

func (q *Pattern) tree() Map {
	var m Map
	m.add("title", q.Title)
	m.add("operation", q.Operation)
	m.add("writes", q.Writes)
	m.add("table", q.Table)
	m.add("index", q.Index)
	m.add("key", q.Key)
	m.add("fan_out", q.FanOut)
	m.add("filter", q.Filter)
	m.add("set", q.Set)
	m.add("condition", q.Condition)
	m.add("returns", q.Returns)
	m.add("order", q.Order)
	m.add("consistent", q.Consistent)
	m.add("limit", q.Limit)
	m.add("parameters", q.Parameters)
	if !q.Documented {
		m = append(m, Field{Key: "documented", Value: false})
	}
	m.add("source", q.Source)
	return m
}

// Table returns the table with an ID, or nil.
func (p *Profile) Table(id string) *Table {
	for _, t := range p.Tables {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// Entity returns the entity with a name, or nil.
func (p *Profile) Entity(name string) *Entity {
	for _, e := range p.Entities {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Define ties a parameter to the attribute that defines it, as Entity.attribute, unless it is
// tied already. A parameter with the name of the attribute needs no entry, because the loader
// ties it by itself.
func (q *Pattern) Define(parameter, attribute string) {
	for _, f := range q.Parameters {
		if f.Key == parameter {
			return
		}
	}
	q.Parameters = append(q.Parameters, Field{Key: parameter, Value: Map{{Key: "attribute", Value: attribute}}})
}
