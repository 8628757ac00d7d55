package interchange

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
)

// A term is a condition of an expression on one attribute.
type term struct {
	attribute, operator string
	values              []string
}

var (
	betweenText = lazy(`(?i)^\s*(\S+)\s+BETWEEN\s+(\S+)\s+AND\s+(\S+)\s*$`)
	compareText = lazy(`^\s*([#\w.-]+)\s*(=|<>|<=|>=|<|>)\s*(:\w+)\s*$`)
	beginsText  = lazy(`(?i)^\s*begins_with\s*\(\s*([#\w.-]+)\s*,\s*(:\w+)\s*\)\s*$`)
	existsText  = lazy(`(?i)^\s*(attribute_exists|attribute_not_exists)\s*\(\s*([#\w.-]+)\s*\)\s*$`)
	andText     = lazy(`(?i)\s+AND\s+`)
	betweenAnd  = lazy(`(?i)(BETWEEN\s+\S+)\s+AND\s+`)
)

// terms returns the parts that it could not read in rest: OR, NOT and parentheses end up there, and the caller notes
// them.
func (w commandPattern) terms(flag string) (list []term, rest []string, err error) {
	values, err := w.item("expression-attribute-values")
	if err != nil {
		return nil, nil, err
	}
	names := map[string]string{}
	if text := w.command.flags["expression-attribute-names"]; text != "" {
		if err := decodeJSON([]byte(text), &names); err != nil {
			return nil, nil, fmt.Errorf("--expression-attribute-names: %w", err)
		}
	}
	name := func(s string) string {
		if n, ok := names[s]; ok {
			return n
		}
		return s
	}
	value := func(s string) string {
		text, _ := values.Text(s)
		return text
	}
	expression := betweenAnd().ReplaceAllString(w.command.flags[flag], "$1 \x00 ")
	for _, part := range andText().Split(expression, -1) {
		part = strings.ReplaceAll(part, "\x00", "AND")
		if strings.TrimSpace(part) == "" {
			continue
		}
		if m := betweenText().FindStringSubmatch(part); m != nil {
			list = append(list, term{name(m[1]), "between", []string{value(m[2]), value(m[3])}})
		} else if m := compareText().FindStringSubmatch(part); m != nil {
			list = append(list, term{name(m[1]), m[2], []string{value(m[3])}})
		} else if m := beginsText().FindStringSubmatch(part); m != nil {
			list = append(list, term{name(m[1]), "begins_with", []string{value(m[2])}})
		} else if m := existsText().FindStringSubmatch(part); m != nil {
			list = append(list, term{name(m[2]), strings.ToLower(m[1]), nil})
		} else {
			rest = append(rest, strings.TrimSpace(part))
		}
	}
	return list, rest, nil
}

func (w commandPattern) query() error {
	terms, rest, err := w.terms("key-condition-expression")
	if err != nil || len(rest) > 0 {
		return errors.Join(err, errIf(len(rest) > 0, "its key condition cannot be read"))
	}
	index := w.table.Index(w.command.flags["index-name"])
	if name := w.command.flags["index-name"]; index == nil && name != "" {
		return fmt.Errorf("index %s is not in the profile", name)
	}
	if index != nil {
		w.pattern.Index = index.Name
	}
	var entities []*draft.Entity
	for _, e := range w.profile().Entities {
		if e.Table == w.table.ID && !slices.ContainsFunc(terms, func(t term) bool { return !w.reads(e, t) }) {
			entities = append(entities, e)
		}
	}
	if len(entities) == 0 {
		return errors.New("its key condition fits no item of the file")
	}
	for _, e := range entities {
		w.pattern.Returns = append(w.pattern.Returns, e.Name)
	}
	for _, k := range slices.Concat(w.table.KeysOf(index)) {
		for _, t := range terms {
			if t.attribute == k.Name {
				w.pattern.Key = append(w.pattern.Key, draft.Field{Key: k.Name, Value: w.condition(entities[0], t)})
			}
		}
	}
	if _, ok := w.command.flags["no-scan-index-forward"]; ok {
		w.pattern.Order = "descending"
	}
	w.filter()
	return nil
}

func (w commandPattern) reads(e *draft.Entity, t term) bool {
	source := e.Template(t.attribute)
	template, err := models.ParseTemplate(source, nil)
	if err != nil {
		return false
	}
	if t.operator == "=" {
		_, err := template.Parse(t.values[0])
		return err == nil
	}
	literal := template.LiteralPrefix()
	for _, v := range t.values {
		begins := t.operator == "begins_with" && strings.HasPrefix(literal, v)
		if !begins && !strings.HasPrefix(v, literal) {
			return false
		}
	}
	return true
}

// condition takes the template of the first entity that fits; an example value cannot tell two of them apart.
func (w commandPattern) condition(e *draft.Entity, t term) any {
	source := e.Template(t.attribute)
	if t.operator == "=" {
		return source
	}
	prefix, on := upTo(source, nil)
	if t.operator == "begins_with" {
		for value := t.values[0]; on != ""; {
			next, following := upTo(source, append(placeholders(prefix), on))
			template, err := models.ParseTemplate(strings.TrimSuffix(next, literalEnd(next)), nil)
			if err != nil || len(literalEnd(next)) == 0 || !strings.HasSuffix(value, literalEnd(next)) {
				break
			}
			if _, err := template.Parse(strings.TrimSuffix(value, literalEnd(next))); err != nil {
				break
			}
			prefix, on = next, following
		}
		prefix = cmp.Or(prefix, "{"+on+"}")
		return draft.Map{{Key: "begins_with", Value: prefix}}
	}
	if on == "" {
		return source
	}
	m := draft.Map{{Key: "range", Value: on}}
	parameter := func(name string) string {
		if e.Attribute(on) != nil {
			w.pattern.Define(name, e.Name+"."+on)
		}
		return "{" + name + "}"
	}
	if t.operator == "between" || strings.HasPrefix(t.operator, ">") {
		m = append(m, draft.Field{Key: "from", Value: parameter("from")})
	}
	if t.operator == "between" || strings.HasPrefix(t.operator, "<") {
		m = append(m, draft.Field{Key: "to", Value: parameter("to")})
	}
	if t.operator == "<" || t.operator == ">" {
		w.pattern.NotInTheLanguage = append(w.pattern.NotInTheLanguage, "the end of the range is not part of it ("+t.operator+")")
	}
	return m
}

func placeholders(template string) []string {
	t, err := models.ParseTemplate(template, nil)
	if err != nil {
		return nil
	}
	return t.Placeholders()
}

func literalEnd(template string) string {
	return template[strings.LastIndexByte(template, '}')+1:]
}

func (w commandPattern) filter() {
	terms, rest, err := w.terms("filter-expression")
	if err != nil {
		rest = append(rest, err.Error())
	}
	for _, t := range terms {
		m := draft.Map{{Key: "attribute", Value: t.attribute}}
		switch t.operator {
		case "=":
			m = append(m, draft.Field{Key: "equals", Value: "{" + draft.Camel(t.attribute) + "}"})
			w.parameter(draft.Camel(t.attribute), t.attribute)
		case "begins_with":
			m = append(m, draft.Field{Key: "begins_with", Value: "{" + draft.Camel(t.attribute) + "}"})
			w.parameter(draft.Camel(t.attribute), t.attribute)
		case "between":
			m = append(m, draft.Field{Key: "from", Value: "{from}"}, draft.Field{Key: "to", Value: "{to}"})
			w.parameter("from", t.attribute)
			w.parameter("to", t.attribute)
		case ">=", ">":
			m = append(m, draft.Field{Key: "from", Value: "{from}"})
			w.parameter("from", t.attribute)
		case "<=", "<":
			m = append(m, draft.Field{Key: "to", Value: "{to}"})
			w.parameter("to", t.attribute)
		case "attribute_exists", "attribute_not_exists":
			m = append(m, draft.Field{Key: "exists", Value: t.operator == "attribute_exists"})
		default:
			rest = append(rest, t.attribute+" "+t.operator)
			continue
		}
		w.pattern.Filter = append(w.pattern.Filter, m)
	}
	for _, part := range rest {
		w.pattern.NotInTheLanguage = append(w.pattern.NotInTheLanguage, "condition "+models.Printable(part))
	}
}

func (w commandPattern) parameter(name, attribute string) {
	for _, e := range w.profile().Entities {
		if e.Table == w.table.ID && e.Attribute(attribute) != nil && name != attribute {
			w.pattern.Define(name, e.Name+"."+attribute)
			return
		}
	}
}
