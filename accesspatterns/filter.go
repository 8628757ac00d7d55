package accesspatterns

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// filter returns false if the parameter has no value. A range that ends before it starts is an error here: DynamoDB
// would reject the BETWEEN without naming the parameter.
func (b *binding) filter(f FilterCondition) (c Condition, given bool, err error) {
	c = Condition{Attribute: f.Attribute, Compare: f.Compare, Size: f.Size}
	for _, o := range f.Any {
		alternative, given, err := b.filter(o)
		if err != nil {
			return c, false, err
		}
		if given {
			c.Any = append(c.Any, alternative)
		}
	}
	if f.Any != nil {
		return c, c.Any != nil, nil
	}
	if f.Compare == Between {
		if err := b.checkOrder(f.Values[0], f.Values[1]); err != nil {
			return c, false, err
		}
	}
	for i, t := range f.Values {
		v, err := b.filterValue(f, t, f.Compare == LessOrEqual || f.Compare == Greater || f.Compare == Between && i == 1)
		switch {
		case err != nil:
			return c, false, err
		case v != nil:
			c.Values = append(c.Values, v)
		case f.Compare != Between:
			return c, false, nil
		case i == 0:
			c.Compare = LessOrEqual
		default:
			c.Compare = GreaterOrEqual
		}
	}
	if c.Compare == Between && ordered(c.Values[0], Greater, c.Values[1]) {
		return c, false, paramErrorf(b.blame(f.Values[0]), "later than %s", b.blame(f.Values[1]))
	}
	return c, len(f.Values) == 0 || len(c.Values) > 0, nil
}

func (b *binding) filterValue(f FilterCondition, t models.Template, upper bool) (types.AttributeValue, error) {
	fill := b.fill
	if upper {
		fill = func(t models.Template) (string, bool, error) { return b.fillEnd(t, true) }
	}
	text, complete, err := fill(t)
	if err != nil || !complete {
		return nil, b.bindError(err)
	}
	names := t.Placeholders()
	v, err := models.ScalarValue(f.Type, text)
	switch {
	case err == nil:
		return v, nil
	case len(names) == 0:
		return nil, fmt.Errorf("%s: filter on %s: %w", b.pattern.FullID(), f.Attribute, err)
	default:
		return nil, b.faultOf(b.blame(t), err)
	}
}
