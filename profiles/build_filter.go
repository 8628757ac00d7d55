package profiles

import (
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

func (b *patternBuilder) filter(path string, d filterDecl) accesspatterns.FilterCondition {
	forms := b.filterForms(path, d)
	switch len(forms) {
	case 0:
		b.filterType(path, d.Attribute)
		b.Errorf(path, "", "condition is empty")
		return accesspatterns.FilterCondition{}
	case 1:
	default:
		words := models.NamesOf(forms, func(f filterForm) string { return f.word })
		b.Errorf(path, "write one of them, or from: with to:", "expected one comparison, found %s", strings.Join(words, " and "))
		return accesspatterns.FilterCondition{}
	}
	f := forms[0].condition
	if f.Any != nil {
		if d.Attribute != "" {
			b.Errorf(path+".attribute", "write it in every condition under any:",
				"any: has conditions of its own, so it takes no attribute")
		}
		return f
	}
	f.Attribute, f.Type = d.Attribute, b.filterType(path, d.Attribute)
	if _, a := b.paramAttribute("", f.Attribute, paramDecl{}, b.p.Returns); a != nil && f.Compare.Ordered() && !f.Size {
		b.ordered(path, a.Path, a.Format)
	}
	switch {
	case f.Size:
		f.Type = models.TypeN
	case f.Compare == accesspatterns.Contains:
		f.Type = elementType(b.p.Returns, d.Attribute, f.Type)
	}
	return f
}

// A filterForm is a comparison of a filter with the word that declares it.
type filterForm struct {
	word      string
	condition accesspatterns.FilterCondition
}

func (b *patternBuilder) filterForms(path string, d filterDecl) []filterForm {
	forms := b.comparisons(path, d.comparisonDecl)
	add := func(word string, f accesspatterns.FilterCondition) { forms = append(forms, filterForm{word, f}) }
	one := func(word string, o accesspatterns.Operator, text string) {
		if t := b.use(b.template(placed.Join(path, word), text)); text != "" {
			add(word, accesspatterns.FilterCondition{Compare: o, Values: []models.Template{t}})
		}
	}
	one("begins_with", accesspatterns.BeginsWith, d.BeginsWith)
	one("contains", accesspatterns.Contains, d.Contains)
	if len(d.In) > 0 {
		f := accesspatterns.FilterCondition{Compare: accesspatterns.In}
		for i, text := range d.In {
			f.Values = append(f.Values, b.use(b.template(fmt.Sprintf("%s.in.%d", path, i), text)))
		}
		add("in", f)
	}
	if d.Exists != nil {
		f := accesspatterns.FilterCondition{Compare: accesspatterns.NotExists}
		if *d.Exists {
			f.Compare = accesspatterns.Exists
		}
		add("exists", f)
	}
	if d.Size != nil {
		for _, f := range b.comparisons(path+".size", *d.Size) {
			f.condition.Size = true
			add("size", f.condition)
		}
	}
	if len(d.Any) > 0 {
		f := accesspatterns.FilterCondition{}
		for i, o := range d.Any {
			f.Any = append(f.Any, b.filter(fmt.Sprintf("%s.any.%d", path, i), o))
		}
		add("any", f)
	}
	return forms
}

func (b *patternBuilder) comparisons(path string, d comparisonDecl) []filterForm {
	var forms []filterForm
	add := func(word string, o accesspatterns.Operator, values ...models.Template) {
		forms = append(forms, filterForm{word, accesspatterns.FilterCondition{Compare: o, Values: values}})
	}
	for _, c := range comparisons[string](d) {
		add(c.word, c.compare, b.use(b.template(placed.Join(path, c.word), c.value)))
	}
	from, to := b.use(b.template(path+".from", d.From)), b.use(b.template(path+".to", d.To))
	switch {
	case !from.IsZero() && !to.IsZero():
		add("from", accesspatterns.Between, from, to)
	case !from.IsZero():
		add("from", accesspatterns.GreaterOrEqual, from)
	case !to.IsZero():
		add("to", accesspatterns.LessOrEqual, to)
	}
	return forms
}

func (b *patternBuilder) filterType(path, attribute string) models.Type {
	for _, e := range b.p.Returns {
		if a := e.Attribute(attribute); a != nil {
			return a.Type
		}
	}
	for _, k := range b.p.Table.KeyAttributes() {
		if k.Name == attribute {
			return k.Type
		}
	}
	if len(b.p.Returns) > 0 {
		b.noAttribute(path+".attribute", b.p.Returns[0], attribute)
	}
	return models.TypeS
}

func elementType(returns []*models.Entity, attribute string, t models.Type) models.Type {
	for _, e := range returns {
		if m := e.Attribute(attribute).Member(); m != nil {
			return m.Type
		}
	}
	if t == models.TypeL {
		return models.TypeS
	}
	return t
}
