package draft

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// CustomQueryYAML returns the YAML of a pattern equivalent to a custom query, for the patterns of a schema. It replaces
// the values in args with parameters. Keys get the templates of the entities that produce such values; if no entity
// does, the whole key becomes a parameter. The text contains no values except the literals of templates.
func CustomQueryYAML(p *accesspatterns.Pattern, args map[string]string) string {
	table := p.Table.ID
	if len(p.Returns) > 0 && p.Returns[0].ByName != nil {
		table = p.Table.Name // The name identifies a drafted table without a schema.
	}
	w := customQueryWriter{p: p, args: args, out: &Pattern{
		Title: "Custom query", Operation: string(p.Read.Operation), Table: table, Documented: true, Limit: p.PageSize,
	}}
	if p.Read.Index != nil {
		w.out.Index = p.Read.Index.Name
	}
	if p.Read.Descending {
		w.out.Order = "descending"
	}
	entities := slices.DeleteFunc(slices.Clone(p.Returns), func(e *models.Entity) bool { return e.ByName != nil || !w.makesKeys(e) })
	for _, e := range entities {
		w.out.Returns = append(w.out.Returns, e.Name)
	}
	for _, c := range p.Read.Key {
		w.addKey(entities, c)
	}
	for _, f := range p.Read.Filter {
		w.addFilter(f)
	}
	id := table
	if len(entities) > 0 {
		id = plural(entities[0].Name)
	}
	if len(entities) == 0 {
		w.out.Notes = append(w.out.Notes, CheckNote("add returns: the entities that this query finds"))
	}
	var text writer
	text.field(Field{Key: strings.Trim("list-"+Kebab(id)+"-"+w.out.Index, "-"), Value: tree(w.out), Above: w.out.Notes}, 2)
	return "patterns:\n" + text.String()
}

type customQueryWriter struct {
	p    *accesspatterns.Pattern
	args map[string]string
	out  *Pattern
}

func (w customQueryWriter) makesKeys(e *models.Entity) bool {
	return !slices.ContainsFunc(w.p.Read.Key, func(c accesspatterns.KeyCondition) bool {
		t, ok := e.KeyTemplate(c.Attribute.Name)
		value, literal := w.value(c.Template), t.LiteralPrefix()
		switch c.Compare {
		case accesspatterns.Equal:
			_, err := t.Parse(value)
			return !ok || err != nil
		case accesspatterns.BeginsWith:
			return !ok || !strings.HasPrefix(value, literal) && !strings.HasPrefix(literal, value)
		default:
			return !ok
		}
	})
}

func (w customQueryWriter) value(t models.Template) string {
	names := t.Placeholders()
	if len(names) != 1 {
		return ""
	}
	return w.args[names[0]]
}

// comparisons contains the words of the schema language for comparisons with one value.
var comparisons = map[accesspatterns.Operator]string{
	accesspatterns.Equal: "equals", accesspatterns.NotEqual: "differs", accesspatterns.Less: "lt", accesspatterns.LessOrEqual: "lte",
	accesspatterns.Greater: "gt", accesspatterns.GreaterOrEqual: "gte", accesspatterns.BeginsWith: "begins_with",
	accesspatterns.Contains: "contains",
}

func (w customQueryWriter) addKey(entities []*models.Entity, c accesspatterns.KeyCondition) {
	name := c.Attribute.Name
	template, literal := "{"+Camel(name)+"}", ""
	if len(entities) > 0 {
		t, _ := entities[0].KeyTemplate(name)
		template, literal = t.String(), t.LiteralPrefix()
	} else {
		w.declare(Camel(name), c.Attribute.Type)
	}
	switch value := w.value(c.Template); {
	case c.Compare == accesspatterns.Equal:
		w.out.Key = append(w.out.Key, Field{Key: name, Value: template})
	case c.Compare == accesspatterns.BeginsWith && value != "" && strings.HasPrefix(literal, value):
		w.out.Key = append(w.out.Key, Field{Key: name, Value: Map{{Key: "begins_with", Value: value}}})
	case c.Compare == accesspatterns.BeginsWith:
		w.out.Key = append(w.out.Key, Field{Key: name, Value: Map{{Key: "begins_with", Value: template}}})
	case c.Compare == accesspatterns.Between:
		from, to := w.declareEnd(name, "From", c.Attribute.Type), w.declareEnd(name, "To", c.Attribute.Type)
		w.out.Key = append(w.out.Key, Field{Key: name, Value: Map{{Key: "between", Value: []string{from, to}}}})
	default:
		w.out.Key = append(w.out.Key, Field{
			Key:   name,
			Value: Map{{Key: comparisons[c.Compare], Value: w.declareEnd(name, "", c.Attribute.Type)}},
		})
	}
}

func (w customQueryWriter) declareEnd(attribute, end string, kind models.Type) string {
	name := Camel(attribute) + end
	w.declare(name, kind)
	return "{" + name + "}"
}

// declare writes the type of a parameter that no attribute defines.
func (w customQueryWriter) declare(name string, kind models.Type) {
	word := map[models.Type]string{models.TypeN: "number", models.TypeBOOL: "boolean"}[kind]
	if word == "" {
		word = "string"
	}
	isParameter := func(f Field) bool { return f.Key == name }
	if !slices.ContainsFunc(w.out.Parameters, isParameter) {
		w.out.Parameters = append(w.out.Parameters, Field{Key: name, Value: Map{{Key: "type", Value: word}}})
	}
}

func (w customQueryWriter) addFilter(f accesspatterns.FilterCondition) {
	if len(f.Any) > 0 {
		f = f.Any[0] // the attribute determines the type in a schema
	}
	if f.Attribute != strings.Join(f.Names, ".") {
		w.out.Notes = append(w.out.Notes, CheckNote("without the condition on %s: a schema has no path to an element of a list", f.Attribute))
		return
	}
	m := Map{{Key: "attribute", Value: f.Attribute}}
	known := slices.ContainsFunc(w.p.Returns, func(e *models.Entity) bool {
		return slices.Contains(w.out.Returns, e.Name) && e.Attribute(f.Attribute) != nil
	})
	if note := CheckNote("declare the attribute %s in entities", f.Attribute); !known && len(w.out.Returns) > 0 &&
		!slices.Contains(w.out.Notes, note) {
		w.out.Notes = append(w.out.Notes, note)
	}
	parameter := func(end string) string {
		name := Camel(f.Names[len(f.Names)-1])
		for n := 2; end == "" && w.uses(name); n++ {
			name = Camel(f.Names[len(f.Names)-1]) + strconv.Itoa(n)
		}
		if name += end; !known || name != f.Attribute {
			w.declare(name, f.Type)
		}
		return "{" + name + "}"
	}
	switch f.Compare {
	case accesspatterns.Exists, accesspatterns.NotExists:
		m = append(m, Field{Key: "exists", Value: f.Compare == accesspatterns.Exists})
	case accesspatterns.Between:
		m = append(m, Field{Key: "from", Value: parameter("From")}, Field{Key: "to", Value: parameter("To")})
	default:
		m = append(m, Field{Key: comparisons[f.Compare], Value: parameter("")})
	}
	w.out.Filter = append(w.out.Filter, m)
}

func (w customQueryWriter) uses(parameter string) bool {
	return slices.ContainsFunc(w.out.Filter, func(m Map) bool {
		return slices.ContainsFunc(m, func(f Field) bool { return f.Value == "{"+parameter+"}" })
	})
}
