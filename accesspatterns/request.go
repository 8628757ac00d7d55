package accesspatterns

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Request is a pattern with its parameters bound, ready to send. It is immutable, so a form, an explanation, copied
// code and the read itself can share it: its fields and the values that they refer to must not change.
type Request struct {
	Pattern *Pattern
	Read    Read
	Given   map[string]string // the parameters as given, without the page token
	Values  map[string]Value  // every parameter with a value, defaults included
	Now     time.Time         // the time at which Bind resolved relative times

	Legs   []Leg
	Labels []string // the placeholder's value for each leg of a fan-out
	// Sequential is set if the rows of each leg follow those of the previous leg. Unordered is set if the rows have no
	// order. If neither is set, the cursor merges the rows of all legs by their sort key.
	Sequential, Unordered bool

	PageSize   int      // rows per page, from a parameter; 0 for none
	PageToken  string   // the value of a token parameter, "" for none
	TokenParam string   // the name of that parameter
	Warnings   []string // values that do not match their documented format

	binding         binding
	partition, sort []models.Key // keys of the table or index to read, with the names of the live table
}

// IsScan reports whether the request reads a whole table.
func (r *Request) IsScan() bool { return r.Read.Operation == Scan }

// IsCount reports whether the result is a number.
func (r *Request) IsCount() bool { return r.Read.Operation == Count }

// DefaultedParams returns the parameters whose value is a default.
func (r *Request) DefaultedParams() []*Param {
	return models.Filter(r.Pattern.Params, func(q *Param) bool {
		_, given := r.Given[q.Name]
		return !given && r.Values[q.Name].Text != ""
	})
}

func (r *Request) isFiltered() bool {
	return slices.ContainsFunc(r.Legs, func(l Leg) bool {
		return len(l.clientFilter) > 0 || l.Query != nil && l.Query.FilterExpression != nil ||
			l.Scan != nil && l.Scan.FilterExpression != nil
	})
}

// At returns the request with its relative times resolved at now. It drops the page token, which continues a read with
// the former times. It returns the same errors as Bind, because a range may be empty at another time.
func (r *Request) At(now time.Time) (*Request, error) {
	if now.Equal(r.Now) && r.PageToken == "" {
		return r, nil
	}
	return r.Pattern.Bind(r.Given, now)
}

// WithKeys returns the request with the index's key attributes named as in the live table. It is needed because a
// document that writes a key as an expression (createdAt#requestId) does not contain the attribute's name. It panics
// unless partition and sort have as many keys as those of the request.
func (r *Request) WithKeys(partition, sort []models.Key) *Request {
	out := *r
	names := map[string]string{}
	for i, k := range slices.Concat(r.partition, r.sort) {
		names[k.Name] = slices.Concat(partition, sort)[i].Name
	}
	out.partition, out.sort = partition, sort
	out.Legs = models.MapSlice(r.Legs, func(l Leg) Leg { return l.withNames(names) })
	return &out
}

// WithPlaceholders returns the request with the text <name> in place of the value of each named parameter. If a value
// cannot be such a text, for example because it is a number, every value becomes <hidden>. Use the result for display
// and export only, and never send it.
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
	out.Legs, out.Labels = models.MapSlice(r.Legs, Leg.withHiddenValues), r.Labels
	return &out
}

// WholeTable returns a request for every item of a table, in no particular order.
func WholeTable(t *models.Table) *Request {
	p := &Pattern{Table: t, Read: Read{Operation: Scan}}
	partition, sort := t.KeysOf(nil)
	return &Request{Pattern: p, Read: p.Read, Legs: []Leg{ScanLeg(t)}, Labels: []string{""}, partition: partition, sort: sort}
}

// MaxSegments is the maximum number of segments of a scan.
const MaxSegments = 64

// Split returns the scan split into n segments (1 to MaxSegments) that can be read in parallel. The rows have no order.
// It returns a request that is already split or is not a scan unchanged. The segments cost as much as the whole scan,
// but consume the capacity in less time.
func (r *Request) Split(n int) *Request {
	n = min(n, MaxSegments)
	if !r.IsScan() || len(r.Legs) != 1 || n < 2 {
		return r
	}
	out := *r
	out.Legs, out.Labels, out.Unordered = make([]Leg, n), make([]string, n), true
	for i := range out.Legs {
		in := *r.Legs[0].Scan
		in.Segment, in.TotalSegments = aws.Int32(int32(i)), aws.Int32(int32(n))
		out.Legs[i] = r.Legs[0]
		out.Legs[i].Scan = &in
	}
	return &out
}

// inputMembers lists the members of all operations' inputs in output order.
var inputMembers = []string{
	"Update", "Put", "Delete", "ConditionCheck",
	"TableName", "IndexName", "Key", "Item", "UpdateExpression", "KeyConditionExpression", "ConditionExpression", "FilterExpression",
	"RequestItems", "Keys", "ProjectionExpression",
	"Segment", "TotalSegments", "ConsistentRead", "ExpressionAttributeNames", "ExpressionAttributeValues",
	"Select", "ScanIndexForward", "Limit", "ReturnValuesOnConditionCheckFailure", "ReturnValues",
	"TransactItems", "ClientRequestToken", "ReturnConsumedCapacity",
}

// InputJSON returns the input of an operation, which is a pointer to an AWS SDK struct, in the form of
// --cli-input-json. A nil redact leaves every value unchanged. InputJSON silently omits members that are not in
// inputMembers, and panics if the input is not a struct.
func InputJSON(input any, redact Redact) json.RawMessage {
	v := reflect.Indirect(reflect.ValueOf(input))
	out := []byte{'{'}
	for _, name := range inputMembers {
		member := v.FieldByName(name)
		if !member.IsValid() || member.IsZero() || member.Kind() == reflect.Map && member.Len() == 0 {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, `"`+name+`":`...)
		out = appendMember(out, member.Interface(), redact)
	}
	return append(out, '}')
}

func appendList[T any](dst []byte, list []T, redact Redact) []byte {
	dst = append(dst, '[')
	for i, one := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendMember(dst, one, redact)
	}
	return append(dst, ']')
}

func appendMember(dst []byte, value any, redact Redact) []byte {
	switch v := value.(type) {
	case *string:
		return models.AppendValueJSON(dst, models.StringValue(*v))
	case *bool:
		return strconv.AppendBool(dst, *v)
	case *int32:
		return strconv.AppendInt(dst, int64(*v), 10)
	case map[string]string:
		it := models.Item{}
		for alias, name := range v {
			it[alias] = models.StringValue(name)
		}
		return it.AppendJSON(dst)
	case map[string]types.AttributeValue:
		return redacted(v, redact).AppendDynamoDBJSON(dst)
	case map[string]types.KeysAndAttributes:
		dst = append(dst, '{')
		for _, table := range slices.Sorted(maps.Keys(v)) {
			dst = append(models.AppendValueJSON(dst, models.StringValue(table)), ':')
			dst = append(append(dst, InputJSON(v[table], redact)...), ',')
		}
		return append(dst[:len(dst)-1], '}')
	case []map[string]types.AttributeValue:
		return appendList(dst, v, redact)
	case []types.TransactWriteItem:
		return appendList(dst, v, redact)
	default:
		if r := reflect.ValueOf(v); r.Kind() == reflect.String { // one of the SDK's enums
			return strconv.AppendQuote(dst, r.String())
		}
		return append(dst, InputJSON(v, redact)...)
	}
}

// A Redact returns the displayable form of a value's text.
type Redact func(text string) string

// Redactor returns the Redact for the request's values: it masks the values of secret parameters, and of the parameters
// in hidden, wherever they occur in a text.
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
		texts := append(models.MapSlice(r.Values[q.Name].List, func(v Value) string { return v.Text }), text)
		for _, text := range texts {
			if hide && text != "" {
				for _, spelling := range append(r.spellings(q.Name, text), text) {
					list = append(list, replacement{spelling, masker.MaskText(spelling, s, models.NoFormat)})
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

// spellings returns other forms of a value, such as its digest. It omits shards, which reveal nothing about it.
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
			if rendered, err := s.Render(text); err == nil && rendered != "" {
				list = append(list, rendered)
			}
		}
	}
	return list
}

// HasRedactedValues reports whether Redactor masks a value of the request. If it returns false, the caller can show and
// copy the request unchanged.
func (r *Request) HasRedactedValues(hidden map[string]models.Sensitivity) bool {
	return slices.ContainsFunc(r.Pattern.Params, func(q *Param) bool {
		_, hide := hidden[q.Name]
		return r.Values[q.Name].Text != "" && (hide || q.Sensitive == models.Secret)
	})
}

// GivenKeys returns the values of the partition key that the request reads, by attribute. It returns nil if one of them
// contains the value of a secret parameter or of a parameter in hidden.
func (r *Request) GivenKeys(hidden map[string]models.Sensitivity) map[string][]string {
	if r.HasRedactedValues(hidden) {
		return nil
	}
	given := map[string][]string{}
	for _, k := range r.partition {
		if texts := r.keyTexts(k.Name); texts != nil {
			given[k.Name] = texts
		}
	}
	return given
}

// keyTexts returns the values with which the request compares a key attribute, without those of ranges.
func (r *Request) keyTexts(name string) (texts []string) {
	add := func(v types.AttributeValue) {
		if text, ok := models.ValueText(v); ok && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	for _, l := range r.Legs {
		switch _, keys := l.Keys(); {
		case l.Get != nil:
			add(l.Get.Key[name])
		case l.Query != nil:
			for alias, attribute := range l.Query.ExpressionAttributeNames {
				if v, ok := l.Query.ExpressionAttributeValues[":"+alias[1:]]; ok && attribute == name {
					add(v)
				}
			}
		default:
			for _, key := range keys.Keys {
				add(key[name])
			}
		}
	}
	return texts
}

// Projected returns the paths that a partial read requests, or nil if it reads whole items. The paths include its
// projection, the keys of the table and the index, which determine where reading continues, and the attributes that
// distinguish the entities. They do not overlap.
func (p *Pattern) Projected(r Read) []string {
	if r.Projection == nil {
		return nil
	}
	paths := slices.Clone(r.Projection)
	partition, sort := p.Table.KeysOf(r.Index)
	for _, k := range slices.Concat(p.Table.PrimaryKeys(), partition, sort) {
		paths = append(paths, k.Name)
	}
	for _, e := range p.Returns {
		paths = slices.Concat(paths, e.Has, e.Lacks, models.MapSlice(e.Is, func(same models.Equality) string { return same.Path }))
	}
	var list []string
	for i, path := range paths {
		covered := func(other string) bool { return strings.HasPrefix(path, other+".") }
		if !slices.Contains(paths[:i], path) && !slices.ContainsFunc(paths, covered) {
			list = append(list, path)
		}
	}
	return list
}

// ReadsAttribute reports whether the rows contain an attribute or a part of it, because a read of the pattern requests
// it or the keys contain it. A grid uses it to omit columns that would be empty because ddbdesk never read the
// attribute.
func (p *Pattern) ReadsAttribute(path string) bool {
	inside := func(a, b string) bool { return a == b || strings.HasPrefix(a, b+".") }
	reads := func(r Read) bool {
		return r.Projection == nil || slices.ContainsFunc(p.Projected(r), func(projected string) bool {
			return inside(projected, path) || inside(path, projected)
		})
	}
	return reads(p.Read) || slices.ContainsFunc(p.Variants, func(v Variant) bool { return reads(v.Read) }) ||
		slices.ContainsFunc(p.Returns, func(e *models.Entity) bool {
			a := e.Attribute(path)
			return a != nil && a.KeyOnly
		})
}

func (p *Pattern) projection(read Read, e *Expression) *string {
	paths := p.Projected(read)
	if paths == nil {
		return nil
	}
	aliases := models.MapSlice(paths, func(path string) string { return e.Path(p.pathNames(path)) })
	return aws.String(strings.Join(aliases, ", "))
}

// BatchOf returns a leg that reads items by their keys. It reads the attributes of the request, and also others that a
// filter needs.
func (r *Request) BatchOf(keys []models.Item, also ...string) Leg {
	leg := BatchLeg(r.Pattern.Table, keys)
	if r.Read.Projection != nil {
		read := r.Read
		read.Projection = append(slices.Clone(read.Projection), also...)
		e := &Expression{}
		items := leg.Batch.RequestItems[r.Pattern.Table.Name]
		items.ProjectionExpression = r.Pattern.projection(read, e)
		items.ExpressionAttributeNames = e.Names()
		leg.Batch.RequestItems[r.Pattern.Table.Name] = items
	}
	return leg
}
