package accesspatterns

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// An Operator compares an attribute with values. Key conditions, filters, the
// requirements of actions and the conditions of writes all use it. Its text is
// the operator or function of DynamoDB's expression language.
type Operator string

// The operators of every condition.
const (
	Equal          Operator = "="
	NotEqual       Operator = "<>"
	Less           Operator = "<"
	LessOrEqual    Operator = "<="
	Greater        Operator = ">"
	GreaterOrEqual Operator = ">="
	Between        Operator = "BETWEEN" // both ends included
	In             Operator = "IN"
	BeginsWith     Operator = "begins_with"
	Exists         Operator = "attribute_exists"
	NotExists      Operator = "attribute_not_exists"
)

// The operators that only a KeyCondition has. Binding turns them into others.
const (
	// Matches is Equal; when the last placeholders of the template have no
	// value it is BeginsWith.
	Matches Operator = "matches"
	// Range is an inclusive range on one placeholder of the key's template.
	Range Operator = "range"
)

// Expression returns the comparison in DynamoDB's expression language. Name and
// values are aliases or, in text for people, the name and values themselves.
func (o Operator) Expression(name string, values ...string) string {
	switch o {
	case Exists, NotExists:
		return fmt.Sprintf("%s(%s)", o, name)
	case BeginsWith:
		return fmt.Sprintf("%s(%s, %s)", o, name, values[0])
	case In:
		return fmt.Sprintf("%s IN (%s)", name, strings.Join(values, ", "))
	case Between:
		return fmt.Sprintf("%s BETWEEN %s AND %s", name, values[0], values[1])
	default:
		return fmt.Sprintf("%s %s %s", name, o, values[0])
	}
}

// A Condition compares one attribute of an item: in the filter of a request, or
// as what must hold when a write arrives.
type Condition struct {
	Attribute string // a dotted path
	Compare   Operator
	// Values are what the attribute is compared with: none for Exists and
	// NotExists, two for Between, any number for In, otherwise one.
	Values    []types.AttributeValue
	OrMissing bool   // an item without the attribute meets the condition too
	Because   string // what to show when it does not hold, "" for the condition itself
	// Touched is set when the condition only checks that an attribute that the
	// write changes is still as it was read.
	Touched bool
}

// Expression adds the values of the condition to e and returns its term. Name is
// the alias of its attribute; hint is what the aliases of its values are made
// from.
func (c Condition) Expression(e *Expression, name, hint string) string {
	aliases := make([]string, len(c.Values))
	for i, v := range c.Values {
		aliases[i] = e.Value(hint, v)
	}
	return c.orMissing(name, c.Compare.Expression(name, aliases...))
}

// Text returns the condition in DynamoDB's expression language, with the name
// and the values in place of aliases.
func (c Condition) Text() string {
	values := make([]string, len(c.Values))
	for i, v := range c.Values {
		values[i] = string(models.AppendValueJSON(nil, v))
	}
	return c.orMissing(c.Attribute, c.Compare.Expression(c.Attribute, values...))
}

func (c Condition) orMissing(name, term string) string {
	if !c.OrMissing {
		return term
	}
	return fmt.Sprintf("(%s OR %s)", NotExists.Expression(name), term)
}

// String describes the condition in words.
func (c Condition) String() string {
	switch c.Compare {
	case Exists:
		return c.Attribute + " is set"
	case NotExists:
		return c.Attribute + " is not set"
	default:
	}
	values := make([]string, len(c.Values))
	for i, v := range c.Values {
		text, ok := models.ValueText(v)
		if !ok {
			text = string(models.AppendValueJSON(nil, v))
		}
		values[i] = models.Printable(text)
	}
	text := c.Compare.Expression(c.Attribute, values...)
	if c.OrMissing {
		text += " or not set"
	}
	return text
}

// Holds reports whether the item meets the condition. It decides as DynamoDB
// does: values of different types are neither equal nor ordered.
func (c Condition) Holds(it models.Item) bool {
	v, exists := it.At(c.Attribute)
	switch {
	case c.Compare == Exists:
		return exists
	case c.Compare == NotExists:
		return !exists
	case !exists:
		return c.OrMissing || c.Compare == NotEqual
	}
	equal := func(w types.AttributeValue) bool { return models.EqualValues(v, w) }
	switch c.Compare {
	case Equal:
		return equal(c.Values[0])
	case NotEqual:
		return !equal(c.Values[0])
	case In:
		return slices.ContainsFunc(c.Values, equal)
	case BeginsWith:
		return hasPrefix(v, c.Values[0])
	case Between:
		return ordered(v, GreaterOrEqual, c.Values[0]) && ordered(v, LessOrEqual, c.Values[1])
	default:
		return ordered(v, c.Compare, c.Values[0])
	}
}

// ordered reports whether a stands to b as the operator of an order says.
func ordered(a types.AttributeValue, o Operator, b types.AttributeValue) bool {
	order, ok := compareValues(a, b)
	switch o {
	case Less:
		return ok && order < 0
	case LessOrEqual:
		return ok && order <= 0
	case Greater:
		return ok && order > 0
	default:
		return ok && order >= 0
	}
}

// compareValues orders two values as DynamoDB does: strings by UTF-8 bytes,
// numbers by value, binary by bytes. Other values have no order.
func compareValues(a, b types.AttributeValue) (order int, ok bool) {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		if b, ok := b.(*types.AttributeValueMemberS); ok {
			return strings.Compare(a.Value, b.Value), true
		}
	case *types.AttributeValueMemberN:
		if b, ok := b.(*types.AttributeValueMemberN); ok {
			return models.CompareNumbers(a.Value, b.Value), true
		}
	case *types.AttributeValueMemberB:
		if b, ok := b.(*types.AttributeValueMemberB); ok {
			return bytes.Compare(a.Value, b.Value), true
		}
	}
	return 0, false
}

func hasPrefix(v, prefix types.AttributeValue) bool {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		p, ok := prefix.(*types.AttributeValueMemberS)
		return ok && strings.HasPrefix(v.Value, p.Value)
	case *types.AttributeValueMemberB:
		p, ok := prefix.(*types.AttributeValueMemberB)
		return ok && bytes.HasPrefix(v.Value, p.Value)
	}
	return false
}
