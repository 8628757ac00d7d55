package accesspatterns

import (
	"cmp"
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

// A binding compiles a pattern's read and its arguments into the legs of a request.
type binding struct {
	arguments
	read            Read
	now             time.Time
	partition, sort []models.Key // keys of the table or index to read
}

func (b *binding) with(name string, v Value) *binding {
	out := *b
	out.values = maps.Clone(b.values)
	out.values[name] = v
	return &out
}

// legs also returns the values of a fan-out as labels. It reads values that make the same partition once.
func (b *binding) legs() (legs []Leg, labels []string, err error) {
	name, values := "", []Value(nil)
	switch f, q := b.read.FanOut, b.listParam(); {
	case q != nil:
		name, values = q.Name, b.values[q.Name].List
	case f == nil:
		legs, err := b.partitionLegs()
		return legs, make([]string, len(legs)), err
	default:
		if name, values, err = b.fanOutValues(f); err != nil {
			return nil, nil, err
		}
	}
	previous := map[string]bool{}
	for _, v := range values {
		more, err := b.with(name, v).partitionLegs()
		if err != nil {
			return nil, nil, err
		}
		for _, leg := range more {
			if fingerprint := leg.fingerprint(); !previous[fingerprint] {
				previous[fingerprint] = true
				legs, labels = append(legs, leg), append(labels, cmp.Or(v.label, v.Text))
			}
		}
	}
	legs, labels = combineGets(legs, labels)
	return legs, labels, nil
}

// partitionLegs returns two legs for an optional tail without values, because one condition cannot select these keys.
func (b *binding) partitionLegs() ([]Leg, error) {
	if b.read.Operation == Get || !slices.ContainsFunc(b.read.Key, func(c KeyCondition) bool { return b.openTail(c) != nil }) {
		leg, err := b.leg(wholeKey)
		return []Leg{leg}, err
	}
	var legs []Leg
	for _, t := range []tail{withoutTail, withTail} {
		leg, err := b.leg(t)
		if err != nil {
			return nil, err
		}
		legs = append(legs, leg)
	}
	if b.read.Descending {
		slices.Reverse(legs)
	}
	return legs, nil
}

func (b *binding) leg(part tail) (Leg, error) {
	table := aws.String(b.pattern.Table.Name)
	if b.read.Operation == Get {
		return b.getLeg()
	}
	e := &Expression{}
	var index *string
	if b.read.Index != nil {
		index = aws.String(b.read.Index.Name)
	}
	condition, keys, err := b.keyExpression(e, part)
	if err != nil {
		return Leg{}, err
	}
	leg := Leg{key: keys, keyAliases: Expression{names: maps.Clone(e.names), values: maps.Clone(e.values)}}
	filter, err := joinTerms(append(slices.Clone(b.read.Filter), b.rangeFilters()...), func(f FilterCondition) (string, error) {
		c, isSet, err := b.filter(f)
		if err != nil || !isSet {
			return "", err
		}
		if f.ClientSide {
			leg.clientFilter = append(leg.clientFilter, c)
			return "", nil
		}
		leg.filter = append(leg.filter, c)
		return c.Expression(e, func(path string) string { return e.Path(b.pattern.pathNames(path)) }, ""), nil
	})
	if err != nil {
		return Leg{}, err
	}
	leg.namesWithoutProjection = maps.Clone(e.names)
	projection := b.pattern.projection(b.read, e)
	if b.read.Operation == Scan {
		leg.Scan = &dynamodb.ScanInput{
			TableName: table, IndexName: index, FilterExpression: filter, ProjectionExpression: projection,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(), ConsistentRead: b.consistent(),
		}
		return leg, nil
	}
	leg.Query = &dynamodb.QueryInput{
		TableName: table, IndexName: index,
		KeyConditionExpression: condition, FilterExpression: filter, ProjectionExpression: projection,
		ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		ConsistentRead: b.consistent(),
	}
	if b.read.Descending { // Ascending is the default.
		leg.Query.ScanIndexForward = aws.Bool(false)
	}
	if b.read.Operation == Count {
		leg.Query.Select = types.SelectCount
	}
	return leg, nil
}

// consistent returns nil to use the operation's default. Source: DynamoDB Developer Guide, "DynamoDB read consistency".
func (b *binding) consistent() *bool {
	if !b.read.Consistent {
		return nil
	}
	return aws.Bool(true)
}

func (p *Pattern) pathNames(path string) []string {
	for _, e := range p.Returns {
		if e.Attribute(path) != nil {
			return e.PathNames(path)
		}
	}
	return strings.Split(path, ".")
}

func (b *binding) getLeg() (Leg, error) {
	key := models.Item{}
	for _, c := range b.read.Key {
		text, complete, err := b.fill(c.Template)
		if err == nil && !complete {
			_, err = c.Template.Format(b.text)
		}
		if err != nil {
			return Leg{}, b.bindError(err)
		}
		if key[c.Attribute.Name], err = b.keyValue(c.Attribute, text, c.Template); err != nil {
			return Leg{}, err
		}
	}
	leg := GetLeg(b.pattern.Table, key)
	e := &Expression{}
	leg.Get.ProjectionExpression = b.pattern.projection(b.read, e)
	leg.Get.ExpressionAttributeNames = e.Names()
	return leg, nil
}

func joinTerms[C any](conditions []C, compile func(C) (string, error)) (*string, error) {
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

// bindError turns a template error into an error about the parameter that caused it. It returns nil if err is nil.
func (b *binding) bindError(err error) error {
	if v, ok := errors.AsType[*models.ValueError](err); ok {
		if errors.Is(err, models.ErrMissing) {
			return ParamErrorf(v.Name, "missing; %s requires it", b.pattern.Term())
		}
		if q := b.pattern.Param(v.Name); q != nil && q.Sensitive != models.NotSensitive {
			return ParamErrorf(v.Name, "the value does not fit the key")
		}
		return ParamErrorf(v.Name, "%v", v.Err)
	}
	return err
}

func (b *binding) keyValue(k models.Key, text string, t models.Template) (types.AttributeValue, error) {
	limit, kind := MaxSortKey, "sort"
	if b.isInPartition(k) {
		limit, kind = MaxPartitionKey, "partition"
	}
	if len(text) > limit {
		return nil, ParamErrorf(b.longestParam(t), "%s key %s would be %d bytes; DynamoDB allows %d", kind, k.Name, len(text), limit)
	}
	v, err := models.ScalarValue(k.Type, text)
	if err != nil {
		return nil, b.paramError(b.longestParam(t), err)
	}
	return v, nil
}
