// Package draft writes schemas. A program fills a [Profile] with its findings and gets the text of a schema, with a
// comment next to each part that a person must decide. [Infer] finds entities, key templates and attributes in a sample
// of items, a [Review] contains a person's decisions about these parts, and [Merge] adds a draft to a schema that a
// person wrote.
package draft

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// checkMark starts a note that a person must check.
const checkMark = "CHECK: "

// noteMark separates the notes about one part.
const noteMark = "; "

// CheckNote returns a note about a part that a person must check or decide before anyone can trust the schema.
// Commands count these notes, so no other text may contain the mark.
func CheckNote(format string, args ...any) string { return checkMark + fmt.Sprintf(format, args...) }

// VersionNote returns the note about the attribute that every change increments.
func VersionNote(attribute string) string { return CheckNote("every change increments %s", attribute) }

// UpdatedNote returns the note about the attribute that every change sets to the current time.
func UpdatedNote(attribute string) string { return CheckNote("every change sets %s", attribute) }

// CountChecks returns the number of Check notes in the text of a schema.
func CountChecks(text []byte) int { return strings.Count(string(text), checkMark) }

// WithoutChecks returns the note without its Check notes.
func WithoutChecks(note string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(note, noteMark), func(part string) bool {
		return strings.HasPrefix(part, checkMark)
	}), noteMark)
}

// WithoutCheckMark returns the note without check marks, for a screen.
func WithoutCheckMark(note string) string { return strings.ReplaceAll(note, checkMark, "") }

// JoinNotes joins two notes about the same part.
func JoinNotes(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + noteMark + b
}

// A Profile is a schema to write. Text writes its parts in the order in which the program added them, and does not
// validate them: the caller loads the text like any other schema, and lint reports problems.
type Profile struct {
	Name        string   `yaml:"name"`
	Title       string   `yaml:"title"`
	Description string   `yaml:"description"`
	Source      string   `yaml:"source"`
	Notes       []string // lines at the top of the file
	Variables   []Variable
	Tables      []*Table
	Entities    []*Entity
	Patterns    []*Pattern

	sampled    []*sampledEntity // entities inferred from items
	lifecycles []Lifecycle
}

// A Variable is a value that table names contain as {name}.
type Variable struct {
	Name        string
	Default     string `yaml:"default"`
	Description string `yaml:"description"`
}

// A Table is a table with notes for the reader. Its name may contain variables.
type Table struct {
	models.Table
	Notes []string
}

// An Entity is a type of item.
type Entity struct {
	Name         string
	Table        string `yaml:"table"` // ID of the table
	Description  string `yaml:"description"`
	Source       string `yaml:"source"`
	Undocumented bool   `yaml:"undocumented"` // the attributes are unknown
	// Text writes Keys in this order. Keys does not contain plain attributes that are key attributes; see Template.
	Keys       []Key        `yaml:"keys"`
	Equals     Map          `yaml:"when,equals"` // values that distinguish its items, by attribute
	Version    string       `yaml:"version"`     // attribute that counts changes, "" for none
	Updated    string       `yaml:"updated"`     // attribute with the time of the last change, "" for none
	Attributes []*Attribute `yaml:"attributes"`
	Notes      []string
}

// A Key is the template of a key attribute.
type Key struct {
	Attribute, Template string
	When                Map    // condition for having the key: values by attribute, or attributes in has and lacks
	Note                string // evidence, or an open question for a person
}

func (k Key) tree() any {
	if len(k.When) == 0 {
		return k.Template
	}
	return Map{{Key: "template", Value: k.Template}, {Key: "when", Value: k.When}}
}

func (k Key) condition() string {
	var list []string
	for _, f := range k.When {
		word := f.Key
		if word != "has" && word != "lacks" {
			word += " is"
		}
		list = append(list, word+" "+strings.Join(f.Value.([]string), ", "))
	}
	return strings.Join(list, " and ")
}

// Template returns the template of a key attribute. The template of a plain attribute is {name}. Template returns "" if
// the entity does not have the key.
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

// Attribute returns the attribute with the given name, or nil.
func (e *Entity) Attribute(name string) *Attribute {
	return models.First(e.Attributes, func(a *Attribute) bool { return a.Name == name })
}

// Has reports whether an item has the values that distinguish the entity's items. It returns false if the entity has no
// such values. It compares values as text.
func (e *Entity) Has(it models.Item) bool {
	for _, f := range e.Equals {
		if text, ok := it.Text(f.Key); !ok || text != f.Value {
			return false
		}
	}
	return len(e.Equals) > 0
}

// An Attribute is an attribute with its evidence. Nested contains its nested attributes; the field Attributes of the
// embedded type is unused. Note becomes a comment and must not contain a value of an item.
type Attribute struct {
	models.Attribute
	Examples []string     `yaml:"examples"`
	Nested   []*Attribute `yaml:"attributes"`
	Note     string
}

// A Pattern is an access pattern. Text writes Key, Parameters and each filter unchanged.
type Pattern struct {
	ID               string
	Title            string   `yaml:"title"`
	Operation        string   `yaml:"operation"` // get, query, scan or write
	Writes           string   `yaml:"writes"`    // DynamoDB operation of a write
	Table            string   `yaml:"table"`
	Index            string   `yaml:"index"`
	Key              Map      `yaml:"key"`
	FanOut           Map      `yaml:"fan_out"`
	Filter           []Map    `yaml:"filter"`
	Set              []string `yaml:"set"`
	Condition        string   `yaml:"condition"`
	Returns          []string `yaml:"returns"`
	Order            string   `yaml:"order"`
	Consistent       bool     `yaml:"consistent"`
	Limit            int      `yaml:"limit"`
	Parameters       Map      `yaml:"parameters"`
	Documented       bool     `yaml:"documented,false"`
	Source           []string `yaml:"source"`
	Notes            []string
	NotInTheLanguage []string // parts of the pattern that the schema language cannot express
}

// Map is a YAML mapping in output order. Keys must be unique.
type Map []Field

// A Field is an entry of a mapping. Value is a string, a bool, an int, a list of strings, a Map or a list of Maps.
type Field struct {
	Key   string
	Value any
	Above []string // comment lines above the key
	Note  string   // comment after the value
}

// tree returns the nonempty fields with a yaml tag. The option false writes a field only if it is false. Any other
// option is the key of a nested mapping that contains the value.
func tree(part any) (m Map) {
	v := reflect.ValueOf(part).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		word, option, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		field := v.FieldByIndex(f.Index)
		switch {
		case word == "" || field.IsZero() == (option != "false") || field.Kind() == reflect.Slice && field.Len() == 0:
		case option != "" && option != "false":
			m = append(m, Field{Key: word, Value: Map{{Key: option, Value: field.Interface()}}})
		default:
			m = append(m, Field{Key: word, Value: value(field)})
		}
	}
	return m
}

func value(field reflect.Value) any {
	var m Map
	switch list := field.Interface().(type) {
	case models.Key:
		return keysTree([]models.Key{list})
	case []models.Key:
		return keysTree(list)
	case models.StreamView:
		return list.Word()
	case []*models.Index:
		for _, x := range list {
			m = append(m, Field{Key: x.Name, Value: tree(x)})
		}
		return m
	case []*Attribute:
		for _, a := range list {
			m = append(m, Field{Key: a.Name, Value: tree(a), Note: a.Note})
		}
		return m
	case []Key:
		for _, k := range list {
			m = append(m, Field{Key: k.Attribute, Value: k.tree(), Note: k.Note})
		}
		return m
	}
	if field.Kind() == reflect.String {
		return field.String()
	}
	return field.Interface()
}

func (p *Profile) tree() Map {
	var variables, tables, entities, lifecycles, patterns, queues Map
	for _, v := range p.Variables {
		variables = append(variables, Field{Key: v.Name, Value: tree(&v)})
	}
	for _, t := range p.Tables {
		table := t.Table
		if t.Name == t.ID {
			table.Name = ""
		}
		tables = append(tables, Field{Key: t.ID, Value: tree(&table), Above: t.Notes})
	}
	for _, e := range p.Entities {
		entities = append(entities, Field{Key: e.Name, Value: tree(e), Above: e.Notes})
	}
	for _, q := range p.Patterns {
		above := q.Notes
		if len(q.NotInTheLanguage) > 0 {
			above = append(above, CheckNote("not imported: %s", strings.Join(q.NotInTheLanguage, "; ")))
		}
		patterns = append(patterns, Field{Key: q.ID, Value: tree(q), Above: above})
	}
	for _, l := range p.lifecycles {
		queue := p.queue(l)
		queue.Key = uniqueName(queue.Key, func(key string) bool {
			return slices.ContainsFunc(queues, func(f Field) bool { return f.Key == key })
		})
		lifecycles, queues = append(lifecycles, l.field()), append(queues, queue)
	}
	m := tree(p)
	for _, section := range []Field{
		{Key: "variables", Value: variables},
		{Key: "tables", Value: tables},
		{Key: "entities", Value: entities},
		{Key: "lifecycles", Value: lifecycles},
		{Key: "patterns", Value: patterns},
		{Key: "queues", Value: queues},
	} {
		if len(section.Value.(Map)) > 0 {
			m = append(m, section)
		}
	}
	return m
}

// keysTree writes a type S attribute as its name, and a key with a single attribute without a list.
func keysTree(keys []models.Key) any {
	names, list := make([]string, len(keys)), make([]Map, len(keys))
	plain := true
	for i, k := range keys {
		names[i], list[i] = k.Name, Map{{Key: "name", Value: k.Name}}
		if k.Type != "" && k.Type != models.TypeS {
			plain = false
			list[i] = append(list[i], Field{Key: "type", Value: string(k.Type)})
		}
	}
	switch {
	case plain && len(keys) == 1:
		return names[0]
	case plain:
		return names
	case len(keys) == 1:
		return list[0]
	}
	return list
}

// Table returns the table with the given ID, or nil.
func (p *Profile) Table(id string) *Table {
	return models.First(p.Tables, func(t *Table) bool { return t.ID == id })
}

// Entity returns the entity with the given name, or nil.
func (p *Profile) Entity(name string) *Entity {
	return models.First(p.Entities, func(e *Entity) bool { return e.Name == name })
}

// Define records the attribute that defines a parameter, as Entity.attribute, unless it already has one. A parameter
// with the attribute's name does not need an entry, because the loader finds the attribute by name.
func (q *Pattern) Define(parameter, attribute string) {
	for _, f := range q.Parameters {
		if f.Key == parameter {
			return
		}
	}
	q.Parameters = append(q.Parameters, Field{Key: parameter, Value: Map{{Key: "attribute", Value: attribute}}})
}
