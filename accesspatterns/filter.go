package accesspatterns

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// filter binds one condition of the filter; false when its parameter is not
// given.
func (r *Request) filter(f FilterCondition) (c Condition, given bool, err error) {
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
				return c, false, fmt.Errorf("%s: filter on %s: %w", r.Pattern.FullID(), f.Attribute, err)
			}
			c.Values = append(c.Values, v)
		}
		return c, true, nil
	case !f.Equals.IsZero():
		c.Compare = Equal
		return r.filterOne(c, f, f.Equals)
	case !f.Begins.IsZero():
		c.Compare = BeginsWith
		return r.filterOne(c, f, f.Begins)
	}
	return r.filterRange(c, f)
}

// filterOne gives a condition its one value.
func (r *Request) filterOne(c Condition, f FilterCondition, value models.Template) (Condition, bool, error) {
	v, err := r.filterValue(f, value, false)
	c.Values = []types.AttributeValue{v}
	return c, v != nil, err
}

// filterRange binds an inclusive range. A range that ends before it starts is an
// error here: DynamoDB would reject the BETWEEN without naming the parameter.
func (r *Request) filterRange(c Condition, f FilterCondition) (Condition, bool, error) {
	if err := r.checkOrder(f.From, f.To); err != nil {
		return c, false, err
	}
	from, err := r.filterValue(f, f.From, false)
	if err != nil {
		return c, false, err
	}
	to, err := r.filterValue(f, f.To, true)
	if err != nil || from == nil && to == nil {
		return c, false, err
	}
	switch {
	case from == nil:
		c.Compare, c.Values = LessOrEqual, []types.AttributeValue{to}
	case to == nil:
		c.Compare, c.Values = GreaterOrEqual, []types.AttributeValue{from}
	case ordered(from, Greater, to):
		return c, false, paramErrorf(r.blame(f.From), "it is after %s", r.blame(f.To))
	default:
		c.Compare, c.Values = Between, []types.AttributeValue{from, to}
	}
	return c, true, nil
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
