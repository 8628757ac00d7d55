package cases

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A replacer copies items with pseudonyms for personal data and without secrets.
type replacer struct {
	s      *session.Viewer
	m      *pseudonymizer
	keep   []string
	named  map[string]bool // undeclared attributes, in both forms of keep
	report Report
}

func (r *replacer) item(e *models.Entity, it models.Item) (models.Item, error) {
	out, shown := models.Item{}, r.s.RoleMasker().Item(e.Table, it)
	for _, name := range it.Names() {
		a := e.Attribute(name)
		t, key := e.KeyTemplate(name)
		_, hidden := shown[name].(*models.Masked)
		switch {
		case key && (a == nil || t.String() != "{"+name+"}"):
			v, err := r.key(e, name, t, it, hidden)
			if err != nil {
				return nil, err
			}
			out[name] = v
		case a == nil && shown[name] == nil: // The attribute name itself may be personal data.
			r.report.Unnamed++
		case a == nil:
			r.undeclared(e, name, it[name], hidden, out)
		default:
			if v := r.attribute(e, a, it[name]); v != nil {
				out[name] = v
			}
		}
	}
	return out, nil
}

func (r *replacer) undeclared(e *models.Entity, name string, v types.AttributeValue, hidden bool, out models.Item) {
	place := e.Name + "." + name
	r.named[name], r.named[place] = true, true
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

func (r *replacer) attribute(e *models.Entity, a *models.Attribute, v types.AttributeValue) types.AttributeValue {
	place, whole := e.Name+"."+a.Path, len(a.Attributes) == 0
	_, null := v.(*types.AttributeValueMemberNULL)
	switch {
	case null || whole && a.Strictest() == models.NotSensitive:
		return v
	case a.Sensitive == models.Secret && !isInKey(e, a.Path):
		count(&r.report.Dropped, place)
		return nil
	case whole && a.Sensitive != models.NotSensitive:
		count(&r.report.Replaced, place)
		return r.value(a, v)
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
	if a.Strictest() == models.NotSensitive {
		return v
	}
	// The schema declares a document, but this value is not one.
	count(&r.report.Replaced, place)
	return r.value(a, v)
}

func (r *replacer) document(e *models.Entity, a *models.Attribute, doc map[string]types.AttributeValue) types.AttributeValue {
	out := map[string]types.AttributeValue{}
	undeclared := len(doc)
	for _, n := range a.Attributes {
		part, ok := doc[n.Name]
		if !ok {
			continue
		}
		undeclared--
		if v := r.attribute(e, n, part); v != nil {
			out[n.Name] = v
		}
	}
	for range undeclared {
		count(&r.report.Dropped, e.Name+"."+a.Path+".(undeclared)")
	}
	return &types.AttributeValueMemberM{Value: out}
}

// value replaces a value with a pseudonym of the same type. A map becomes empty, because its member names may be data.
func (r *replacer) value(a *models.Attribute, v types.AttributeValue) types.AttributeValue {
	text := func(s string) string { return r.text(a, s) }
	number := func(s string) string { return r.m.number(s, a.Format) }
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return models.StringValue(text(v.Value))
	case *types.AttributeValueMemberN:
		return &types.AttributeValueMemberN{Value: number(v.Value)}
	case *types.AttributeValueMemberB:
		return &types.AttributeValueMemberB{Value: r.m.bytes(v.Value)}
	case *types.AttributeValueMemberSS:
		return &types.AttributeValueMemberSS{Value: members(models.MapSlice(v.Value, text), strings.Compare)}
	case *types.AttributeValueMemberNS:
		return &types.AttributeValueMemberNS{Value: members(models.MapSlice(v.Value, number), strings.Compare)}
	case *types.AttributeValueMemberBS:
		return &types.AttributeValueMemberBS{Value: members(models.MapSlice(v.Value, r.m.bytes), bytes.Compare)}
	case *types.AttributeValueMemberL:
		return &types.AttributeValueMemberL{Value: models.MapSlice(v.Value,
			func(inner types.AttributeValue) types.AttributeValue { return r.value(a, inner) })}
	case *types.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{}}
	case *types.AttributeValueMemberBOOL:
		return &types.AttributeValueMemberBOOL{} // With only two values, a pseudonym would hide nothing.
	}
	return v
}

// members sorts the elements of a set and removes equal ones: pseudonyms ignore the letter case of an email address.
func members[V any](list []V, compare func(a, b V) int) []V {
	slices.SortFunc(list, compare)
	return slices.CompactFunc(list, func(a, b V) bool { return compare(a, b) == 0 })
}

func (r *replacer) text(a *models.Attribute, value string) string {
	switch {
	case a.Sensitive == models.Secret:
		return r.m.opaque(value)
	case len(a.Enum) > 0 && !a.OpenEnum:
		return r.m.choice(value, a.Enum)
	case a.Type == models.TypeN:
		return r.m.number(value, a.Format)
	}
	return r.m.text(value, a.Format)
}

func (r *replacer) parameter(q *accesspatterns.Param, value string) string {
	sensitivity := r.s.Sensitivity(q)
	if sensitivity == models.NotSensitive {
		return value
	}
	a := models.Attribute{Format: q.Format}
	if q.Attribute != nil {
		a = *q.Attribute
	}
	a.Sensitive = sensitivity
	return r.text(&a, value)
}

func isInKey(e *models.Entity, path string) bool {
	return slices.ContainsFunc(e.KeyNames(), func(name string) bool {
		t, _ := e.KeyTemplate(name)
		return t.Has(path)
	})
}

// hashesSensitive reports whether a key has a digest or shard of replaced data, which pseudonyms cannot reproduce.
func hashesSensitive(e *models.Entity, t models.Template) bool {
	return slices.ContainsFunc(t.Segments(), func(s models.Segment) bool {
		return s.IsComputed() && e.Attribute(s.Name) != nil && e.Attribute(s.Name).Sensitive != models.NotSensitive
	})
}

// key replaces the parts of a stored key. A key that did not match its attributes before still does not match.
func (r *replacer) key(e *models.Entity, name string, t models.Template, it models.Item, hidden bool) (types.AttributeValue, error) {
	stored, ok := it.Text(name)
	if !ok || e.TemplateSensitivity(t) == models.NotSensitive && !hidden {
		return it[name], nil
	}
	formatReplaced := func(values models.Values) (string, error) {
		return t.Format(func(name string) (string, bool) {
			v, ok := values(name)
			if a := e.Attribute(name); a != nil && a.Sensitive != models.NotSensitive {
				v = r.text(a, v)
			}
			return v, ok
		})
	}
	count(&r.report.Replaced, e.Name+"."+name)
	values := e.Values(it)
	text, err := "", error(nil)
	if formatted, formatErr := t.Format(values); formatErr == nil && formatted == stored {
		text, err = formatReplaced(values)
	} else if m, parseErr := t.ParseItem(stored, it.Text); parseErr == nil && !m.Ambiguous && !hashesSensitive(e, t) {
		text, err = formatReplaced(models.MapValues(m.Values))
	} else {
		// If the form of a key is unknown, only its literal prefix is known not to be data.
		prefix := t.LiteralPrefix()
		if !strings.HasPrefix(stored, prefix) {
			prefix = ""
		}
		text = prefix + r.m.text(stored[len(prefix):], models.NoFormat)
	}
	if err != nil {
		return nil, err
	}
	return models.ScalarValue(models.ValueType(it[name]), text)
}
