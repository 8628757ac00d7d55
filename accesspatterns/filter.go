package accesspatterns

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// filter binds one condition of the filter; given is false when its parameter has
// no value.
func (b *binding) filter(f FilterCondition) (c Condition, given bool, err error) {
	c.Attribute = f.Attribute
	switch {
	case f.Exists != nil:
		c.Compare = NotExists
		if *f.Exists {
			c.Compare = Exists
		}
		return c, true, nil
	case len(f.In) > 0:
		c.Compare = In
		for _, text := range f.In {
			v, err := models.ScalarValue(f.Type, text)
			if err != nil {
				return c, false, fmt.Errorf("%s: filter on %s: %w", b.pattern.FullID(), f.Attribute, err)
			}
			c.Values = append(c.Values, v)
		}
		return c, true, nil
	case !f.Equals.IsZero():
		c.Compare = Equal
		return b.filterOne(c, f, f.Equals)
	case !f.Begins.IsZero():
		c.Compare = BeginsWith
		return b.filterOne(c, f, f.Begins)
	}
	return b.filterRange(c, f)
}

// filterOne sets the only value of a condition.
func (b *binding) filterOne(c Condition, f FilterCondition, value models.Template) (Condition, bool, error) {
	v, err := b.filterValue(f, value, false)
	c.Values = []types.AttributeValue{v}
	return c, v != nil, err
}

// filterRange binds an inclusive range. A range that ends before it starts is an
// error here: DynamoDB would reject the BETWEEN without naming the parameter.
func (b *binding) filterRange(c Condition, f FilterCondition) (Condition, bool, error) {
	if err := b.checkOrder(f.From, f.To); err != nil {
		return c, false, err
	}
	from, err := b.filterValue(f, f.From, false)
	if err != nil {
		return c, false, err
	}
	to, err := b.filterValue(f, f.To, true)
	if err != nil || from == nil && to == nil {
		return c, false, err
	}
	switch {
	case from == nil:
		c.Compare, c.Values = LessOrEqual, []types.AttributeValue{to}
	case to == nil:
		c.Compare, c.Values = GreaterOrEqual, []types.AttributeValue{from}
	case ordered(from, Greater, to):
		return c, false, paramErrorf(b.blame(f.From), "later than %s", b.blame(f.To))
	default:
		c.Compare, c.Values = Between, []types.AttributeValue{from, to}
	}
	return c, true, nil
}

// filterValue returns a value, nil when its parameter has none. A day as the upper
// end of a range means its last moment.
func (b *binding) filterValue(f FilterCondition, t models.Template, upper bool) (types.AttributeValue, error) {
	if t.IsZero() {
		return nil, nil
	}
	text, complete, err := t.Prefix(b.text)
	if err != nil {
		return nil, b.bindError(err)
	}
	if !complete {
		return nil, nil
	}
	if names := t.Placeholders(); upper && len(names) == 1 {
		text = b.timeEnd(names[0], text, upper)
	}
	v, err := models.ScalarValue(f.Type, text)
	if err != nil {
		return nil, paramErrorf(b.blame(t), "%v", err)
	}
	return v, nil
}
