// This file compiles the filter: conditions that DynamoDB applies after
// reading. What it drops is paid for all the same, so a filter never stands in
// for a key condition.

package accesspatterns

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A test is one condition of a filter with its values, as DynamoDB applies it or
// as it is applied here.
type test struct {
	path    string // of the attribute
	compare comparison
	values  []types.AttributeValue
}

// A comparison is what a test compares.
type comparison uint8

const (
	exists comparison = iota
	missing
	oneOf
	equal
	begins
	atMost
	atLeast
	between
)

// term spells the test in the language of expressions.
func (t test) term(e *expression) string {
	aliases := make([]string, len(t.values))
	for i, v := range t.values {
		aliases[i] = e.value(t.path, v)
	}
	name := e.name(t.path)
	switch t.compare {
	case exists:
		return fmt.Sprintf("attribute_exists(%s)", name)
	case missing:
		return fmt.Sprintf("attribute_not_exists(%s)", name)
	case oneOf:
		return fmt.Sprintf("%s IN (%s)", name, strings.Join(aliases, ", "))
	case begins:
		return fmt.Sprintf("begins_with(%s, %s)", name, aliases[0])
	case atMost:
		return name + " <= " + aliases[0]
	case atLeast:
		return name + " >= " + aliases[0]
	case between:
		return fmt.Sprintf("%s BETWEEN %s AND %s", name, aliases[0], aliases[1])
	case equal:
	}
	return name + " = " + aliases[0]
}

// keeps applies the test to an item as DynamoDB does: values of different types
// are neither equal nor in any order.
func (t test) keeps(it models.Item) bool {
	v, there := it.At(t.path)
	switch t.compare {
	case exists:
		return there
	case missing:
		return !there
	default:
	}
	like := func(i int) bool { return there && models.ValueType(v) == models.ValueType(t.values[i]) }
	switch t.compare {
	case begins:
		text, _ := models.ValueText(v)
		start, _ := models.ValueText(t.values[0])
		return like(0) && strings.HasPrefix(text, start)
	case atMost:
		return like(0) && compareValues(v, t.values[0]) <= 0
	case atLeast:
		return like(0) && compareValues(v, t.values[0]) >= 0
	case between:
		return like(0) && compareValues(v, t.values[0]) >= 0 && compareValues(v, t.values[1]) <= 0
	default:
		for i := range t.values {
			if like(i) && compareValues(v, t.values[i]) == 0 {
				return true
			}
		}
		return false
	}
}

// filterTest compiles one condition; false when its parameter is not given.
func (r *Request) filterTest(f FilterCondition) (test, bool, error) {
	t := test{path: f.Attribute}
	switch {
	case f.Exists != nil && *f.Exists:
		t.compare = exists
		return t, true, nil
	case f.Exists != nil:
		t.compare = missing
		return t, true, nil
	case len(f.In) > 0:
		t.compare = oneOf
		for _, text := range f.In {
			v, err := models.ScalarValue(f.Type, text)
			if err != nil {
				return t, false, fmt.Errorf("%s: filter on %s: %w", r.Pattern.FullID(), f.Attribute, err)
			}
			t.values = append(t.values, v)
		}
		return t, true, nil
	case !f.Equals.IsZero():
		t.compare = equal
		return r.filterOne(t, f, f.Equals)
	case !f.Begins.IsZero():
		t.compare = begins
		return r.filterOne(t, f, f.Begins)
	}
	return r.filterRange(t, f)
}

// filterOne gives a test its one value.
func (r *Request) filterOne(t test, f FilterCondition, value models.Template) (test, bool, error) {
	v, err := r.filterValue(f, value, false)
	t.values = []types.AttributeValue{v}
	return t, v != nil, err
}

// filterRange compiles an inclusive range. A crossed one is refused here:
// DynamoDB would refuse a BETWEEN without saying which parameter is wrong.
func (r *Request) filterRange(t test, f FilterCondition) (test, bool, error) {
	if err := r.checkOrder(f.From, f.To); err != nil {
		return t, false, err
	}
	from, err := r.filterValue(f, f.From, false)
	if err != nil {
		return t, false, err
	}
	to, err := r.filterValue(f, f.To, true)
	if err != nil || from == nil && to == nil {
		return t, false, err
	}
	switch {
	case from == nil:
		t.compare, t.values = atMost, []types.AttributeValue{to}
	case to == nil:
		t.compare, t.values = atLeast, []types.AttributeValue{from}
	case compareValues(from, to) > 0:
		return t, false, paramErrorf(r.blame(f.From), "it is after %s", r.blame(f.To))
	default:
		t.compare, t.values = between, []types.AttributeValue{from, to}
	}
	return t, true, nil
}

// filterValue returns a value, nil when its parameter is not given. A day as the
// upper end of a range means its last moment.
func (r *Request) filterValue(f FilterCondition, t models.Template, upper bool) (types.AttributeValue, error) {
	if t.IsZero() {
		return nil, nil
	}
	text, complete, err := t.Prefix(r.text)
	if err != nil {
		return nil, r.bindError(err)
	}
	if !complete {
		return nil, nil
	}
	if names := t.Placeholders(); upper && len(names) == 1 {
		text = r.timeEnd(names[0], text, upper)
	}
	v, err := models.ScalarValue(f.Type, text)
	if err != nil {
		return nil, paramErrorf(r.blame(t), "%v", err)
	}
	return v, nil
}
