package casefile

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/pseudonym"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A replacer makes items without what a masker hides: secrets always, and personal data or not.
type replacer struct {
	s      *session.Viewer
	masker *models.Masker
	m      *pseudonym.Maker
	keep   []string
	report Report
}

func newReplacer(s *session.Viewer, masker *models.Masker, m *pseudonym.Maker, keep []string) *replacer {
	return &replacer{s: s, masker: masker, m: m, keep: keep}
}

// item returns the item of an entity as a case has it.
func (r *replacer) item(e *models.Entity, it models.Item) (models.Item, error) {
	out := models.Item{}
	named, shown := r.s.FullMasker().Item(e.Table, it), r.masker.Item(e.Table, it)
	for _, name := range it.Names() {
		a := e.Attribute(name)
		t, key := e.KeyTemplate(name)
		switch {
		case key && (a == nil || t.String() != "{"+name+"}"):
			v, err := r.key(e, name, t, it)
			if err != nil {
				return nil, err
			}
			out[name] = v
		case a == nil:
			if _, ok := named[name]; !ok { // The name may be data itself.
				r.report.Unnamed++
				continue
			}
			r.unknown(e, name, it[name], shown, out)
		default:
			if v := r.attribute(e, a, it[name]); v != nil {
				out[name] = v
			}
		}
	}
	return out, nil
}

// unknown keeps an attribute that the profile does not declare if the user named it. What the masker hides is replaced.
func (r *replacer) unknown(e *models.Entity, name string, v types.AttributeValue, shown, out models.Item) {
	_, hidden := shown[name].(*models.Masked)
	place := e.Name + "." + name
	switch {
	case !slices.Contains(r.keep, name) && !slices.Contains(r.keep, place):
		count(&r.report.Dropped, place)
	case !hidden:
		count(&r.report.Kept, place)
		out[name] = v
	default:
		count(&r.report.Replaced, place)
		out[name] = r.value(&models.Attribute{Name: name, Path: name, Sensitive: models.PII}, v)
	}
}

// attribute returns the value of a declared attribute, nil if it is dropped.
func (r *replacer) attribute(e *models.Entity, a *models.Attribute, v types.AttributeValue) types.AttributeValue {
	place := e.Name + "." + a.Path
	_, null := v.(*types.AttributeValueMemberNULL)
	switch {
	case null:
		return v
	case a.Sensitive == models.Secret && !inKey(e, a.Path):
		count(&r.report.Dropped, place)
		return nil
	case len(a.Attributes) == 0 && r.masker.Hides(a.Sensitive):
		count(&r.report.Replaced, place)
		return r.value(a, v)
	case len(a.Attributes) == 0 && !r.hidesInside(a):
		if a.Sensitive != models.Open {
			count(&r.report.Real, place)
		}
		return v
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		return r.document(e, a, v.Value)
	case *types.AttributeValueMemberL:
		list := []types.AttributeValue{}
		for _, element := range v.Value {
			if inner := r.attribute(e, a, element); inner != nil {
				list = append(list, inner)
			}
		}
		return &types.AttributeValueMemberL{Value: list}
	}
	if !r.hidesInside(a) {
		return v
	}
	// The profile declares a document, and this value has no parts.
	count(&r.report.Replaced, place)
	return r.value(a, v)
}

// hidesInside reports whether an attribute may have parts that are hidden.
func (r *replacer) hidesInside(a *models.Attribute) bool {
	return a.Undocumented && r.masker.Hides(models.PII) || r.masker.Hides(a.Sensitive) || slices.ContainsFunc(a.Attributes, r.hidesInside)
}

// document returns the declared parts of a map.
func (r *replacer) document(e *models.Entity, a *models.Attribute, doc map[string]types.AttributeValue) types.AttributeValue {
	out := map[string]types.AttributeValue{}
	declared := 0
	for _, n := range a.Attributes {
		part, ok := doc[n.Name]
		if !ok {
			continue
		}
		declared++
		if v := r.attribute(e, n, part); v != nil {
			out[n.Name] = v
		}
	}
	for range len(doc) - declared {
		count(&r.report.Dropped, e.Name+"."+a.Path+".(undeclared)")
	}
	return &types.AttributeValueMemberM{Value: out}
}

// value replaces a value. Of maps only the type stays, because the names in them may be data.
func (r *replacer) value(a *models.Attribute, v types.AttributeValue) types.AttributeValue {
	each := func(list []string, replace func(string) string) []string {
		out := make([]string, len(list))
		for i, text := range list {
			out[i] = replace(text)
		}
		return out
	}
	text := func(s string) string { return r.text(a, s) }
	number := func(s string) string { return r.m.Number(s, a.Format) }
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return models.StringValue(text(v.Value))
	case *types.AttributeValueMemberN:
		return &types.AttributeValueMemberN{Value: number(v.Value)}
	case *types.AttributeValueMemberB:
		return &types.AttributeValueMemberB{Value: r.m.Bytes(v.Value)}
	case *types.AttributeValueMemberSS:
		return &types.AttributeValueMemberSS{Value: each(v.Value, text)}
	case *types.AttributeValueMemberNS:
		return &types.AttributeValueMemberNS{Value: each(v.Value, number)}
	case *types.AttributeValueMemberBS:
		out := &types.AttributeValueMemberBS{}
		for _, b := range v.Value {
			out.Value = append(out.Value, r.m.Bytes(b))
		}
		return out
	case *types.AttributeValueMemberL:
		out := &types.AttributeValueMemberL{Value: []types.AttributeValue{}}
		for _, element := range v.Value {
			out.Value = append(out.Value, r.value(a, element))
		}
		return out
	case *types.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{}}
	case *types.AttributeValueMemberBOOL:
		return &types.AttributeValueMemberBOOL{} // Two values leave nothing to choose.
	}
	return v
}

// text replaces the text of a sensitive attribute, or of one with sensitive parts.
func (r *replacer) text(a *models.Attribute, value string) string {
	switch {
	case a.Sensitive == models.Secret:
		return r.m.Opaque(value)
	case len(a.Enum) > 0 && !a.OpenEnum:
		return r.m.One(value, a.Enum)
	case a.Type == models.TypeN:
		return r.m.Number(value, a.Format)
	}
	return r.m.Text(value, a.Format)
}

// parameter returns the pseudonym of an argument of a pattern, or the argument if the masker shows it.
func (r *replacer) parameter(q *accesspatterns.Param, value string) string {
	worst := r.s.Sensitivity(q)
	switch {
	case !r.masker.Hides(worst):
		return value
	case q.Attribute != nil:
		a := *q.Attribute
		a.Sensitive = worst
		return r.text(&a, value)
	}
	return r.text(&models.Attribute{Sensitive: worst, Format: q.Format}, value)
}
