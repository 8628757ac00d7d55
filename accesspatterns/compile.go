package accesspatterns

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A binding compiles a read of a pattern and the values of its parameters into the
// legs of a request.
type binding struct {
	pattern         *Pattern
	read            Read
	values          map[string]Value
	partition, sort models.Key // of the table or index that is read
}

// text returns the value of a parameter for a template.
func (b *binding) text(name string) (string, bool) {
	v, ok := b.values[name]
	return v.Text, ok
}

// with returns the binding with another value of one placeholder.
func (b *binding) with(name string, v Value) *binding {
	out := *b
	out.values = maps.Clone(b.values)
	out.values[name] = v
	return &out
}

// legs compiles one leg, or one for each partition of a fan-out. The labels are the
// values of the placeholder of the fan-out.
func (b *binding) legs() (legs []Leg, labels []string, err error) {
	f := b.read.FanOut
	if f == nil {
		leg, err := b.leg()
		return []Leg{leg}, []string{""}, err
	}
	values, err := b.fanOutValues(f)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range values {
		leg, err := b.with(f.Placeholder, v).leg()
		if err != nil {
			return nil, nil, err
		}
		legs, labels = append(legs, leg), append(labels, v.Text)
	}
	return legs, labels, nil
}

// byDay reports whether each leg reads one day, in the order of the result.
func (b *binding) byDay() bool {
	f := b.read.FanOut
	if f == nil || len(f.Values) > 0 {
		return false
	}
	_, given := b.values[f.Placeholder]
	return !given
}

// leg compiles one leg.
func (b *binding) leg() (Leg, error) {
	table := aws.String(b.pattern.Table.Name)
	if b.read.Operation == Get {
		return b.getLeg()
	}
	e := &Expression{}
	var index *string
	if b.read.Index != nil {
		index = aws.String(b.read.Index.Name)
	}
	condition, err := allOf(b.read.Key, func(c KeyCondition) (string, error) { return b.keyTerm(e, c) })
	if err != nil {
		return Leg{}, err
	}
	unfiltered := Expression{maps.Clone(e.names), maps.Clone(e.values)}
	var conditions []Condition
	filter, err := allOf(b.read.Filter, func(f FilterCondition) (string, error) {
		c, given, err := b.filter(f)
		if err != nil || !given {
			return "", err
		}
		conditions = append(conditions, c)
		return c.Expression(e, e.Path(c.Attribute), c.Attribute), nil
	})
	if err != nil {
		return Leg{}, err
	}
	if b.read.Operation == Scan {
		in := &dynamodb.ScanInput{TableName: table, IndexName: index, FilterExpression: filter}
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = e.Names(), e.Values()
		return Leg{Scan: in, filter: conditions}, nil
	}
	in := &dynamodb.QueryInput{
		TableName: table, IndexName: index,
		KeyConditionExpression: condition, FilterExpression: filter,
		ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		ScanIndexForward: aws.Bool(!b.read.Descending),
	}
	if b.read.Operation == Count {
		in.Select = types.SelectCount
	}
	leg := Leg{Query: in, filter: conditions}
	if len(conditions) > 0 {
		all := *in
		all.FilterExpression, all.Select = nil, ""
		all.ExpressionAttributeNames, all.ExpressionAttributeValues = unfiltered.Names(), unfiltered.Values()
		leg.unfiltered = &all
	}
	return leg, nil
}

// getLeg compiles the read of one item. Every part of its key must have a value.
func (b *binding) getLeg() (Leg, error) {
	key := models.Item{}
	for _, c := range b.read.Key {
		text, err := c.Template.Format(b.text)
		if err != nil {
			return Leg{}, b.bindError(err)
		}
		if key[c.Attribute.Name], err = b.keyValue(c.Attribute, text, c.Template); err != nil {
			return Leg{}, err
		}
	}
	return GetLeg(b.pattern.Table, key), nil
}

// allOf joins the terms of the conditions, nil when all terms are empty.
func allOf[C any](conditions []C, compile func(C) (string, error)) (*string, error) {
	var terms []string
	for _, c := range conditions {
		term, err := compile(c)
		if err != nil {
			return nil, err
		}
		if term != "" {
			terms = append(terms, term)
		}
	}
	if len(terms) == 0 {
		return nil, nil
	}
	return aws.String(strings.Join(terms, " AND ")), nil
}

// keyTerm compiles one key condition, "" when it does not restrict the key.
func (b *binding) keyTerm(e *Expression, c KeyCondition) (string, error) {
	if c.Compare == Range {
		return b.rangeTerm(e, c)
	}
	text, complete, err := c.Template.Prefix(b.text)
	if err != nil {
		return "", b.bindError(err)
	}
	partition := c.Attribute == b.partition
	if !complete && (partition || c.Compare == Equal) {
		_, err := c.Template.Format(b.text)
		return "", b.bindError(err)
	}
	if text == "" {
		return "", nil
	}
	v, err := b.keyValue(c.Attribute, text, c.Template)
	if err != nil {
		return "", err
	}
	compare := Equal
	if c.Compare == BeginsWith || !complete {
		compare = BeginsWith
	}
	return compare.Expression(e.Name(c.Attribute.Name), e.Value(c.Attribute.Name, v)), nil
}

// fanOutValues returns the values of the placeholder in the order of the legs.
func (b *binding) fanOutValues(f *FanOut) ([]Value, error) {
	if v, ok := b.values[f.Placeholder]; ok {
		return []Value{v}, nil
	}
	var values []Value
	if len(f.Values) > 0 {
		for _, v := range f.Values {
			values = append(values, Value{Text: v})
		}
		return values, nil
	}
	from, to, fromName, err := b.timeRange(f.From, f.To)
	if err != nil {
		return nil, err
	}
	first := from.UTC().Truncate(24 * time.Hour)
	for d := first; !d.After(to); d = d.AddDate(0, 0, 1) {
		if len(values) == f.Max {
			return nil, paramErrorf(fromName, "the range spans more than %d days, and every day is a partition; use a shorter range", f.Max)
		}
		text, _ := models.Date.FormatTime(d)
		values = append(values, Value{Text: text, Time: models.Time{Time: d, Day: true}, IsTime: true})
	}
	if b.read.Descending {
		slices.Reverse(values)
	}
	return values, nil
}

// timeRange returns both ends of a range of days, and the parameter that gives the
// first.
func (b *binding) timeRange(from, to models.Template) (lo, hi time.Time, fromName string, err error) {
	ends := [2]time.Time{}
	for i, t := range []models.Template{from, to} {
		names := t.Placeholders()
		if len(names) != 1 {
			continue
		}
		v, ok := b.values[names[0]]
		if !ok {
			return lo, hi, "", paramErrorf(names[0], "missing; it selects the days to read")
		}
		ends[i] = v.Time.Time
		if i == 1 {
			ends[i] = v.Time.End()
		} else {
			fromName = names[0]
		}
	}
	if ends[0].After(ends[1]) {
		return lo, hi, "", paramErrorf(fromName, "later than %s", to.Placeholders()[0])
	}
	return ends[0], ends[1], fromName, nil
}

// bindError turns an error of a template into one about the parameter that caused
// it. It returns nil for nil.
func (b *binding) bindError(err error) error {
	var v *models.ValueError
	if errors.As(err, &v) {
		if errors.Is(err, models.ErrMissing) {
			return paramErrorf(v.Name, "missing; %s requires it", b.pattern.FullID())
		}
		if q := b.pattern.Param(v.Name); q != nil && q.Sensitive != models.Open {
			return paramErrorf(v.Name, "the value does not fit the key")
		}
		return paramErrorf(v.Name, "%v", v.Err)
	}
	return err
}

// keyValue returns the typed value of a key attribute, which the template t gave.
func (b *binding) keyValue(k models.Key, text string, t models.Template) (types.AttributeValue, error) {
	limit, kind := MaxSortKey, "sort"
	if k == b.partition {
		limit, kind = MaxPartitionKey, "partition"
	}
	if len(text) > limit {
		return nil, paramErrorf(b.blame(t), "%s key %s would be %d bytes; DynamoDB allows %d", kind, k.Name, len(text), limit)
	}
	v, err := models.ScalarValue(k.Type, text)
	if err != nil {
		return nil, paramErrorf(b.blame(t), "%v", err)
	}
	return v, nil
}

// blame returns the parameter to name in an error about a key value: the one with
// the longest value in its template.
func (b *binding) blame(t models.Template) string {
	name, length := "", -1
	for _, n := range t.Placeholders() {
		if v, ok := b.values[n]; ok && len(v.Text) > length {
			name, length = n, len(v.Text)
		}
	}
	if name == "" {
		return t.String()
	}
	return name
}
