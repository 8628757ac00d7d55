package accesspatterns

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Redact returns the text of a value as it may be displayed.
type Redact func(text string) string

// Redactor returns the Redact for the request's values: it masks the values of
// secret parameters, and of the parameters in hidden, wherever they occur in a
// text.
func (r *Request) Redactor(hidden map[string]models.Sensitivity) Redact {
	masker := models.NewMasker(nil, false)
	type replacement struct{ text, mask string }
	var list []replacement
	for _, q := range r.Pattern.Params {
		text := r.Values[q.Name].Text
		s, hide := hidden[q.Name]
		if q.Sensitive == models.Secret {
			s, hide = models.Secret, true
		}
		texts := append(models.NamesOf(r.Values[q.Name].List, func(v Value) string { return v.Text }), text)
		for _, text := range texts {
			if hide && text != "" {
				for _, form := range append(r.spellings(q.Name, text), text) {
					list = append(list, replacement{form, masker.MaskText(form, s, models.NoFormat)})
				}
			}
		}
	}
	// A value may contain another one.
	slices.SortStableFunc(list, func(a, b replacement) int { return len(b.text) - len(a.text) })
	return func(text string) string {
		for _, x := range list {
			text = strings.ReplaceAll(text, x.text, x.mask)
		}
		return text
	}
}

// spellings returns the other forms of the value in the request, such as its digest. A shard says nothing about the
// value and is omitted.
func (r *Request) spellings(name, text string) []string {
	var list []string
	for _, t := range r.Read.Templates() {
		if text, err := t.Format(r.binding.text); err == nil && t.IsOneWay() && t.Has(name) {
			list = append(list, text)
		}
		for _, s := range t.Segments() {
			if s.Name != name || s.Format == models.NoFormat || s.Format.Shards() != nil {
				continue
			}
			if spelled, err := s.Render(text); err == nil && spelled != "" {
				list = append(list, spelled)
			}
		}
	}
	return list
}

// Redacts reports whether Redactor masks a value of the request. Without any, a caller can show
// and copy the request as it is.
func (r *Request) Redacts(hidden map[string]models.Sensitivity) bool {
	return slices.ContainsFunc(r.Pattern.Params, func(q *Param) bool {
		_, hide := hidden[q.Name]
		return r.Values[q.Name].Text != "" && (hide || q.Sensitive == models.Secret)
	})
}

// GivenKeys returns the values of the partition key that the request reads, by attribute. It is nil if one of them contains
// the value of a secret parameter or of one in hidden.
func (r *Request) GivenKeys(hidden map[string]models.Sensitivity) map[string][]string {
	if r.Redacts(hidden) {
		return nil
	}
	given := map[string][]string{}
	add := func(name string, v types.AttributeValue) {
		if text, ok := models.ValueText(v); ok && !slices.Contains(given[name], text) {
			given[name] = append(given[name], text)
		}
	}
	for _, k := range r.partition {
		for _, l := range r.Legs {
			switch _, of := l.Keys(); {
			case l.Get != nil:
				add(k.Name, l.Get.Key[k.Name])
			case l.Query != nil:
				for alias, name := range l.Query.ExpressionAttributeNames {
					if v, ok := l.Query.ExpressionAttributeValues[":"+alias[1:]]; ok && name == k.Name {
						add(name, v)
					}
				}
			default:
				for _, key := range of.Keys {
					add(k.Name, key[k.Name])
				}
			}
		}
	}
	return given
}
