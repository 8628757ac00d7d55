package profiles

import (
	"fmt"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// params makes the parameters: those declared, in their order, then the other
// placeholders in order of appearance. The placeholder of a fan-out is one
// only when it is declared.
func (b *patternBuilder) params() {
	names := b.decl.Parameters.keys()
	for _, n := range b.used {
		if f := b.p.Read.FanOut; f == nil || f.Placeholder != n {
			names = appendOnce(names, n)
		}
	}
	for _, name := range names {
		d, _ := b.decl.Parameters.get(name)
		b.p.Params = append(b.p.Params, b.param(b.path+".parameters."+name, name, d, b.p.Returns))
	}
	for _, v := range b.p.Variants {
		for _, n := range v.When {
			if q := b.p.Param(n); q != nil {
				q.Required = false
			}
		}
	}
}

// param makes a parameter of a pattern, or an input of an action. Without a
// word about it, its values are those of the attribute of the same name of the
// first of the entities.
func (b *builder) param(path, name string, d paramDecl, entities []*models.Entity) *accesspatterns.Param {
	q := &accesspatterns.Param{Name: name, Default: d.Default, From: d.From, Description: d.Description}
	q.Entity, q.Attribute = b.paramAttribute(path, name, d, entities)
	if a := q.Attribute; a != nil {
		q.Enum, q.OpenEnum, q.Format, q.Prefix, q.Sensitive = a.Enum, a.OpenEnum, a.Format, a.Prefix, a.Sensitive
		if q.Description == "" {
			q.Description = a.Description
		}
	}
	b.word(path+".format", d.Format, formatWords())
	b.word(path+".sensitive", d.Sensitive, []string{string(models.PII), string(models.Secret)})
	if d.Format != "" {
		q.Format = models.Format(d.Format)
	}
	if d.Sensitive != "" {
		q.Sensitive = models.Sensitivity(d.Sensitive)
	}
	if len(d.Enum) > 0 {
		q.Enum = d.Enum
	}
	q.Type = b.paramType(path, q, d)
	for i, w := range d.DefaultWhen {
		if len(w.If) != 1 {
			b.errorf(fmt.Sprintf("%s.default_when.%d.if", path, i), "", "expected one parameter with its values")
			continue
		}
		q.DefaultWhen = append(q.DefaultWhen, accesspatterns.DefaultWhen{Param: w.If[0].Key, Values: w.If[0].Value, Value: w.Value})
	}
	q.Required = d.Default == "" && q.Type != accesspatterns.Token
	if d.Required != nil {
		q.Required = *d.Required && d.Default == ""
	}
	return q
}

func (b *builder) paramAttribute(path, name string, d paramDecl, entities []*models.Entity) (*models.Entity, *models.Attribute) {
	if d.Attribute != "" {
		return b.attributeRef(path+".attribute", d.Attribute)
	}
	for _, e := range entities {
		if a := e.Attribute(name); a != nil {
			return e, a
		}
	}
	return nil, nil
}

func (b *builder) paramType(path string, q *accesspatterns.Param, d paramDecl) accesspatterns.ParamType {
	words := make([]string, 0, 8)
	for _, t := range accesspatterns.ParamTypes() {
		words = append(words, string(t))
	}
	b.word(path+".type", d.Type, words)
	switch {
	case d.Type != "":
		return accesspatterns.ParamType(d.Type)
	case q.Format.IsDay():
		return accesspatterns.Day
	case q.Format.IsTime():
		return accesspatterns.Timestamp
	case len(q.Enum) > 0:
		return accesspatterns.Enum
	case q.Attribute != nil && q.Attribute.Type == models.TypeN:
		return accesspatterns.Number
	case q.Attribute != nil && q.Attribute.Type == models.TypeBOOL:
		return accesspatterns.Boolean
	default:
		return accesspatterns.String
	}
}
