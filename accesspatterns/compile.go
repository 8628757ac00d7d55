// This file compiles conditions into DynamoDB's expression language. Every
// attribute name is aliased: many names of real schemas are reserved words.

package accesspatterns

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// An expression collects the names and values of one request.
type expression struct {
	names  map[string]string
	values map[string]types.AttributeValue
}

func newExpression() *expression {
	return &expression{map[string]string{}, map[string]types.AttributeValue{}}
}

// name aliases a path. Aliases say what they stand for, so that a request can
// be read.
func (e *expression) name(path string) string {
	parts := strings.Split(path, ".")
	for i, p := range parts {
		parts[i] = e.attribute(p)
	}
	return strings.Join(parts, ".")
}

// attribute aliases one name, whatever it holds.
func (e *expression) attribute(name string) string {
	alias := "#" + identifier(name)
	for n := 2; e.names[alias] != "" && e.names[alias] != name; n++ {
		alias = fmt.Sprintf("#%s%d", identifier(name), n)
	}
	e.names[alias] = name
	return alias
}

// value aliases a value by what it is compared with, with a number when one
// attribute is compared more than once.
func (e *expression) value(hint string, v types.AttributeValue) string {
	base := ":" + identifier(hint)
	alias := base
	for n := 2; e.values[alias] != nil; n++ {
		alias = fmt.Sprintf("%s%d", base, n)
	}
	e.values[alias] = v
	return alias
}

// identifier keeps what an alias may hold.
func identifier(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "x"
	}
	return s
}

// leg compiles the request for the values as they stand.
func (r *Request) leg() (Leg, error) {
	table := aws.String(r.Pattern.Table.Name)
	if r.Read.Operation == Get {
		return r.getLeg()
	}
	e := newExpression()
	var index *string
	if r.Read.Index != nil {
		index = aws.String(r.Read.Index.Name)
	}
	condition, err := allOf(r.Read.Key, func(c KeyCondition) (string, error) { return r.keyTerm(e, c) })
	if err != nil {
		return Leg{}, err
	}
	var tests []test
	filter, err := allOf(r.Read.Filter, func(f FilterCondition) (string, error) {
		t, asked, err := r.filterTest(f)
		if err != nil || !asked {
			return "", err
		}
		tests = append(tests, t)
		return t.term(e), nil
	})
	if err != nil {
		return Leg{}, err
	}
	if r.Read.Operation == Scan {
		in := &dynamodb.ScanInput{TableName: table, IndexName: index, FilterExpression: filter}
		if len(e.names) > 0 {
			in.ExpressionAttributeNames = e.names
		}
		if len(e.values) > 0 {
			in.ExpressionAttributeValues = e.values
		}
		return Leg{Scan: in, filter: tests}, nil
	}
	in := &dynamodb.QueryInput{
		TableName: table, IndexName: index,
		KeyConditionExpression: condition, FilterExpression: filter,
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
		ScanIndexForward: aws.Bool(!r.Read.Descending),
	}
	if r.IsCount() {
		in.Select = types.SelectCount
	}
	return Leg{Query: in, filter: tests}, nil
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
func (r *Request) keyTerm(e *expression, c KeyCondition) (string, error) {
	if c.Compare == Range {
		return r.rangeTerm(e, c)
	}
	text, complete, err := c.Template.Prefix(r.text)
	if err != nil {
		return "", r.bindError(err)
	}
	partition := c.Attribute == r.partition
	if !complete && (partition || c.Compare == Equals) {
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
	name, value := e.name(c.Attribute.Name), e.value(c.Attribute.Name, v)
	if c.Compare == Begins || !complete {
		return fmt.Sprintf("begins_with(%s, %s)", name, value), nil
	}
	return name + " = " + value, nil
}
