package rows

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A fieldKind determines how to compare the values of a field.
type fieldKind uint8

const (
	textField   fieldKind = iota
	numberField           // by exact value
	timeField             // by instant, regardless of the notation
	boolField
)

// A field is an attribute that a condition can name.
type field struct {
	path   string
	kind   fieldKind
	format models.Format
	values []string // states or documented values
	closed bool     // other values are invalid
	// entities contains the entities with the attribute in this form. It is nil for an undocumented attribute.
	entities []*models.Entity
	// otherForms contains the forms of the attribute in other entities, with another type or unit.
	otherForms []*field
}

// Fields contains the attributes that a filter can name. It is immutable.
type Fields struct {
	list   []*field
	byPath map[string]*field
	byName map[string]*field // by lower-case name; the first of several
}

// entityField is the name of the field for a row's entity.
const entityField = "is"

// NewFields returns the fields of the entities' items. extra lists undocumented attributes in the rows.
func NewFields(table *models.Table, entities []*models.Entity, extra ...string) *Fields {
	s := &Fields{byPath: map[string]*field{}, byName: map[string]*field{}}
	var names []string
	for _, e := range entities {
		names = append(names, e.Name)
		s.addAttributes(e, e.Attributes)
	}
	if table != nil {
		for _, k := range table.KeyAttributes() {
			s.add(&field{path: k.Name, kind: kindOf(k.Type, "")})
		}
		if table.TTL != "" {
			s.add(&field{path: table.TTL, kind: timeField, format: models.EpochSeconds})
		}
	}
	for _, name := range extra {
		s.add(&field{path: name})
	}
	if len(names) > 1 {
		s.add(&field{path: entityField, values: names})
	}
	s.addLastParts()
	return s
}

func (s *Fields) addAttributes(e *models.Entity, list []*models.Attribute) {
	for _, a := range list {
		f := &field{
			path: a.Path, entities: []*models.Entity{e}, format: formatOf(e, a.Path), values: a.Enum,
			closed: len(a.Enum) > 0 && !a.OpenEnum,
		}
		f.kind = kindOf(a.Type, f.format)
		if l := e.Lifecycle(a.Path); l != nil {
			f.values, f.closed = nil, true
			for _, st := range l.States {
				f.values = append(f.values, st.Name)
			}
		}
		if !a.KeyOnly {
			s.add(f)
		}
		s.addAttributes(e, a.Attributes)
	}
}

func (s *Fields) add(f *field) {
	existing := s.byPath[f.path]
	if existing == nil {
		s.list = append(s.list, f)
		s.byPath[f.path] = f
		if name := strings.ToLower(f.path); s.byName[name] == nil {
			s.byName[name] = f
		}
		return
	}
	if len(f.entities) == 0 {
		return // an entity's declaration takes precedence
	}
	for _, form := range existing.forms() {
		if form.kind == f.kind && form.format == f.format {
			form.merge(f)
			return
		}
	}
	existing.otherForms = append(existing.otherForms, f)
}

func (f *field) forms() []*field { return append([]*field{f}, f.otherForms...) }

func (f *field) merge(other *field) {
	f.entities = append(f.entities, other.entities...)
	f.closed = f.closed && other.closed
	for _, v := range other.values {
		if !slices.Contains(f.values, v) {
			f.values = append(slices.Clip(f.values), v)
		}
	}
}

func (s *Fields) addLastParts() {
	short := map[string]*field{}
	for _, f := range s.list {
		dot := strings.LastIndexByte(f.path, '.')
		if dot < 0 {
			continue
		}
		name := strings.ToLower(f.path[dot+1:])
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

func (s *Fields) field(name string) *field {
	if f := s.byPath[name]; f != nil {
		return f
	}
	return s.byName[strings.ToLower(name)]
}

func (s *Fields) names() []string {
	return models.MapSlice(s.list, func(f *field) string { return f.path })
}

func kindOf(t models.Type, f models.Format) fieldKind {
	switch {
	case f.IsTime():
		return timeField
	case t == models.TypeN:
		return numberField
	case t == models.TypeBOOL:
		return boolField
	}
	return textField
}

func formatOf(e *models.Entity, path string) models.Format {
	if e == nil {
		return models.NoFormat
	}
	if a := e.Attribute(path); a != nil && a.Format != models.NoFormat {
		return a.Format
	}
	if path == e.Table.TTL && path != "" {
		return models.EpochSeconds // DynamoDB reads a TTL attribute as epoch seconds
	}
	return models.NoFormat
}
