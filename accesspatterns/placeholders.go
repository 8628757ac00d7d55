package accesspatterns

import (
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// WithPlaceholders returns the request with the text <name> in place of the
// value of each named parameter. Where an attribute does not take such a text, a
// number for instance, the whole value becomes <hidden>. The result is for
// display and export; it must not be sent. The receiver is unchanged.
func (r *Request) WithPlaceholders(names []string) *Request {
	values, hidden := maps.Clone(r.Values), false
	for _, n := range names {
		if _, ok := values[n]; ok {
			values[n], hidden = Value{Text: "<" + n + ">"}, true
		}
	}
	if !hidden {
		return r
	}
	out := *r
	out.Values, out.binding.values = values, values
	var err error
	if out.Legs, out.Labels, err = out.binding.legs(); err == nil && len(out.Legs) == len(r.Legs) {
		out.partition, out.sort = out.binding.partition, out.binding.sort
		return out.WithKeys(r.partition, r.sort)
	}
	out.Legs, out.Labels = nil, r.Labels
	for _, l := range r.Legs {
		out.Legs = append(out.Legs, l.hidden())
	}
	return &out
}

// hidden returns the leg without any of its values.
func (l Leg) hidden() Leg {
	hide := func(values map[string]types.AttributeValue) models.Item {
		out := make(models.Item, len(values))
		for name, v := range values {
			out[name] = models.StringValue("<hidden>")
			if models.ValueType(v) == models.TypeN {
				out[name] = &types.AttributeValueMemberN{Value: "<hidden>"}
			}
		}
		return out
	}
	switch {
	case l.Get != nil:
		in := *l.Get
		in.Key = hide(in.Key)
		return Leg{Get: &in}
	case l.Query != nil:
		in := *l.Query
		in.ExpressionAttributeValues = hide(in.ExpressionAttributeValues)
		return Leg{Query: &in}
	default:
		in := *l.Scan
		in.ExpressionAttributeValues = hide(in.ExpressionAttributeValues)
		return Leg{Scan: &in}
	}
}
