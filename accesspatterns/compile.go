package accesspatterns

import (
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// leg compiles the request for the values as they stand.
func (r *Request) leg() (Leg, error) {
	table := aws.String(r.Pattern.Table.Name)
	if r.Read.Operation == Get {
		return r.getLeg()
	}
	e := &Expression{}
	var index *string
	if r.Read.Index != nil {
		index = aws.String(r.Read.Index.Name)
	}
	condition, err := allOf(r.Read.Key, func(c KeyCondition) (string, error) { return r.keyTerm(e, c) })
	if err != nil {
		return Leg{}, err
	}
	unfiltered := Expression{maps.Clone(e.names), maps.Clone(e.values)}
	var conditions []Condition
	filter, err := allOf(r.Read.Filter, func(f FilterCondition) (string, error) {
		c, given, err := r.filter(f)
		if err != nil || !given {
			return "", err
		}
		conditions = append(conditions, c)
		return c.Expression(e, e.Path(c.Attribute), c.Attribute), nil
	})
	if err != nil {
		return Leg{}, err
	}
	if r.Read.Operation == Scan {
		in := &dynamodb.ScanInput{TableName: table, IndexName: index, FilterExpression: filter}
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = e.Names(), e.Values()
		return Leg{Scan: in, filter: conditions}, nil
	}
	in := &dynamodb.QueryInput{
		TableName: table, IndexName: index,
		KeyConditionExpression: condition, FilterExpression: filter,
		ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		ScanIndexForward: aws.Bool(!r.Read.Descending),
	}
	if r.IsCount() {
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

// getLeg compiles the request for one item: every part of its key must be given.
func (r *Request) getLeg() (Leg, error) {
	key := models.Item{}
	for _, c := range r.Read.Key {
		text, err := c.Template.Format(r.text)
		if err != nil {
			return Leg{}, r.bindError(err)
		}
		if key[c.Attribute.Name], err = r.keyValue(c.Attribute, text, c.Template); err != nil {
			return Leg{}, err
		}
	}
	return GetLeg(r.Pattern.Table, key), nil
}

// allOf joins the terms of the conditions, nil when none asks for anything.
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

// keyTerm compiles one key condition, "" when it asks for nothing.
func (r *Request) keyTerm(e *Expression, c KeyCondition) (string, error) {
	if c.Compare == Range {
		return r.rangeTerm(e, c)
	}
	text, complete, err := c.Template.Prefix(r.text)
	if err != nil {
		return "", r.bindError(err)
	}
	partition := c.Attribute == r.partition
	if !complete && (partition || c.Compare == Equal) {
		_, err := c.Template.Format(r.text)
		return "", r.bindError(err)
	}
	if text == "" {
		return "", nil
	}
	v, err := r.keyValue(c.Attribute, text, c.Template)
	if err != nil {
		return "", err
	}
	compare := Equal
	if c.Compare == BeginsWith || !complete {
		compare = BeginsWith
	}
	return compare.Expression(e.Name(c.Attribute.Name), e.Value(c.Attribute.Name, v)), nil
}
