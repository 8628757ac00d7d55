// This file is what a filter can name: the attributes of the entities that rows
// can be.

package sieve

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// Kind is how the values of a field are compared.
type Kind uint8

// The kinds.
const (
	Text    Kind = iota
	Number       // by value, exactly
	Moment       // by instant, whatever the spelling
	Boolean      // true or false
)

// A Field is something that a term can name.
type Field struct {
	Path   string
	Kind   Kind
	Format models.Format
	Values []string // names of states, documented values
	Closed bool     // there are no other values
}

// A Schema is the fields of the rows of one answer.
type Schema struct {
	fields []*Field
	byName map[string]*Field // lower case; nil for a last part that several paths share
}

// isField is the field that says what kind of item a row is.
const isField = "is"

// NewSchema returns the fields of rows that are one of these entities. extra are
// names of attributes that rows hold beside the documented ones.
func NewSchema(table *models.Table, entities []*models.Entity, extra ...string) *Schema {
	s := &Schema{byName: map[string]*Field{}}
	var kinds []string
	for _, e := range entities {
		kinds = append(kinds, e.Name)
		s.addAttributes(e, e.Attributes)
	}
	if table != nil {
		for _, k := range table.KeyAttributes() {
			s.add(&Field{Path: k.Name, Kind: kindOf(k.Type, "")})
		}
		if table.TTL != "" {
			s.add(&Field{Path: table.TTL, Kind: Moment, Format: models.EpochSeconds})
		}
	}
	for _, name := range extra {
		s.add(&Field{Path: name})
	}
	if len(kinds) > 1 {
		s.add(&Field{Path: isField, Values: kinds})
	}
	s.addLastParts()
	return s
}

func (s *Schema) addAttributes(e *models.Entity, list []*models.Attribute) {
	for _, a := range list {
		f := &Field{Path: a.Path, Format: formatOf(e, a.Path), Values: a.Enum, Closed: len(a.Enum) > 0 && !a.OpenEnum}
		f.Kind = kindOf(a.Type, f.Format)
		if l := e.Lifecycle(a.Path); l != nil {
			f.Values, f.Closed = nil, true
			for _, st := range l.States {
				f.Values = append(f.Values, st.Name)
			}
		}
		if !a.KeyOnly {
			s.add(f)
		}
		s.addAttributes(e, a.Attributes)
	}
}

// add takes a field in; of one path in several entities all values count.
func (s *Schema) add(f *Field) {
	name := strings.ToLower(f.Path)
	have := s.byName[name]
	if have == nil {
		s.fields = append(s.fields, f)
		s.byName[name] = f
		return
	}
	have.Closed = have.Closed && f.Closed
	for _, v := range f.Values {
		if !slices.Contains(have.Values, v) {
			have.Values = append(slices.Clip(have.Values), v)
		}
	}
}

// addLastParts lets a nested attribute be named by its last part where only one
// has it.
func (s *Schema) addLastParts() {
	short := map[string]*Field{}
	for _, f := range s.fields {
		dot := strings.LastIndexByte(f.Path, '.')
		if dot < 0 {
			continue
		}
		name := strings.ToLower(f.Path[dot+1:])
		if _, taken := short[name]; taken {
			f = nil
		}
		short[name] = f
	}
	for name, f := range short {
		if _, taken := s.byName[name]; !taken && f != nil {
			s.byName[name] = f
		}
	}
}

// Field finds a field by its name, whatever its case; nil for none.
func (s *Schema) Field(name string) *Field { return s.byName[strings.ToLower(name)] }

// Names are the paths of all fields, the documented ones first.
func (s *Schema) Names() []string {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.Path
	}
	return names
}

func kindOf(t models.Type, f models.Format) Kind {
	switch {
	case f.IsTime():
		return Moment
	case t == models.TypeN:
		return Number
	case t == models.TypeBOOL:
		return Boolean
	}
	return Text
}

// formatOf is how the values at a path of an item of e are read.
func formatOf(e *models.Entity, path string) models.Format {
	if e == nil {
		return models.NoFormat
	}
	if a := e.Attribute(path); a != nil && a.Format != models.NoFormat {
		return a.Format
	}
	if path == e.Table.TTL && path != "" {
		return models.EpochSeconds // DynamoDB reads the attribute so.
	}
	return models.NoFormat
}
