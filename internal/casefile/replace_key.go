package casefile

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// inKey reports whether an attribute is a part of a key of its entity, so that the item cannot be found without it.
func inKey(e *models.Entity, path string) bool {
	for _, name := range e.KeyNames() {
		if t, _ := e.KeyTemplate(name); t.Has(path) {
			return true
		}
	}
	return false
}

// part returns the value of a key placeholder as a case has it.
func (r *replacer) part(e *models.Entity, name, value string) string {
	a := e.Attribute(name)
	if a == nil || !r.masker.Hides(a.Sensitive) {
		return value
	}
	return r.text(a, value)
}

// hashes reports whether a key has a digest or a shard of data that a case replaces: without the data, none can be made of
// the replacement.
func hashes(e *models.Entity, t models.Template) bool {
	return slices.ContainsFunc(t.Segments(), func(s models.Segment) bool {
		return s.Computed() && e.Attribute(s.Name) != nil && e.Attribute(s.Name).Sensitive != models.Open
	})
}

// key makes a key of an item again from its template, with the parts that the other attributes have. A key that does not
// match the attributes, because a write changed only one of them, keeps its own parts, so that a case shows the defect.
func (r *replacer) key(e *models.Entity, name string, t models.Template, it models.Item) (types.AttributeValue, error) {
	stored, ok := it.Text(name)
	_, foreign := r.masker.Item(e.Table, it)[name].(*models.Masked)
	if !ok || !r.masker.Hides(e.TemplateSensitivity(t)) && !foreign {
		return it[name], nil
	}
	replaced := func(values models.Values) (string, error) {
		return t.Format(func(name string) (string, bool) {
			v, ok := values(name)
			return r.part(e, name, v), ok
		})
	}
	count(&r.report.Replaced, e.Name+"."+name)
	values := e.Values(it)
	text, err := "", error(nil)
	if made, formatErr := t.Format(values); formatErr == nil && made == stored {
		text, err = replaced(values)
	} else if m, parseErr := t.ParseItem(stored, it.Text); parseErr == nil && !m.Ambiguous && !hashes(e, t) {
		text, err = replaced(models.MapValues(m.Values))
	} else {
		// A key of an unknown form: only its literal beginning is certainly not data.
		prefix := t.LiteralPrefix()
		if !strings.HasPrefix(stored, prefix) {
			prefix = ""
		}
		text = prefix + r.m.Text(stored[len(prefix):], models.NoFormat)
	}
	if err != nil {
		return nil, err
	}
	return models.ScalarValue(models.ValueType(it[name]), text)
}
