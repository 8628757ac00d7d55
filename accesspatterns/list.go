package accesspatterns

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// maxList is the most values that a parameter takes. A request with them has ten batches of
// MaxBatch keys.
const maxList = 1000

func (p *Param) readList(text string, now time.Time) (Value, error) {
	texts, ok := splitList(text)
	switch {
	case !ok:
		return Value{}, paramErrorf(p.Name, "not a JSON array of strings and numbers; use [\"a\", \"b\"] or a, b")
	case len(texts) == 0:
		return Value{}, paramErrorf(p.Name, "empty; give one value or more, separated by commas")
	case len(texts) > maxList:
		return Value{}, paramErrorf(p.Name, "%d values; the maximum is %d", len(texts), maxList)
	}
	var list []Value
	for _, one := range texts {
		v, err := p.readOne(one, now)
		if err != nil {
			return Value{}, err
		}
		if !slices.ContainsFunc(list, func(o Value) bool { return o.Text == v.Text }) {
			list = append(list, v)
		}
	}
	all := list[0]
	all.List = list
	return all, nil
}

// splitList splits a JSON array, or text with commas or line breaks. It is false for text that begins like an array
// and is not one.
func splitList(text string) ([]string, bool) {
	var list []string
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		var values []any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if d.Decode(&values) != nil || d.More() {
			return nil, false
		}
		for _, v := range values {
			switch v := v.(type) {
			case string:
				list = append(list, v)
			case json.Number:
				list = append(list, v.String())
			default:
				return nil, false
			}
		}
		return list, true
	}
	for one := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		if one = strings.TrimSpace(one); one != "" {
			list = append(list, one)
		}
	}
	return list, true
}

// Argument returns a value of an item as the parameter takes it: as an array if it would be
// split otherwise. Use it wherever a value becomes an argument, so that a name with a comma
// stays one value.
func (p *Param) Argument(value string) string {
	if list, ok := splitList(value); !p.List || ok && len(list) == 1 && list[0] == value {
		return value
	}
	return string(models.AppendValueJSON([]byte{'['}, models.StringValue(value))) + "]"
}

func (b *binding) list() *Param {
	return first(b.pattern.Params, func(q *Param) bool { return q.List && len(b.values[q.Name].List) > 0 && b.read.Has(q.Name) })
}
