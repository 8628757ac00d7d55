// This file compiles the filter: conditions that DynamoDB applies after
// reading. What it drops is paid for all the same, so a filter never stands in
// for a key condition.

package accesspatterns

import (
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// filterTerm compiles one condition, "" when its parameter is not given.
func (r *Request) filterTerm(e *expression, f FilterCondition) (string, error) {
	switch {
	case f.Exists != nil && *f.Exists:
		return fmt.Sprintf("attribute_exists(%s)", e.name(f.Attribute)), nil
	case f.Exists != nil:
		return fmt.Sprintf("attribute_not_exists(%s)", e.name(f.Attribute)), nil
	case len(f.In) > 0:
		var values []string
		for _, text := range f.In {
			v, err := models.ScalarValue(f.Type, text)
			if err != nil {
				return "", fmt.Errorf("%s: filter on %s: %w", r.Pattern.FullID(), f.Attribute, err)
			}
			values = append(values, e.value(f.Attribute, v))
		}
		return fmt.Sprintf("%s IN (%s)", e.name(f.Attribute), strings.Join(values, ", ")), nil
	case !f.Equals.IsZero():
		v, err := r.filterValue(e, f, f.Equals, false)
		if v == "" {
			return "", err
		}
		return e.name(f.Attribute) + " = " + v, nil
	case !f.Begins.IsZero():
		v, err := r.filterValue(e, f, f.Begins, false)
		if v == "" {
			return "", err
		}
		return fmt.Sprintf("begins_with(%s, %s)", e.name(f.Attribute), v), nil
	}
	return r.filterRange(e, f)
}

// filterRange compiles an inclusive range. A crossed one is refused here:
// DynamoDB would refuse a BETWEEN without saying which parameter is wrong.
func (r *Request) filterRange(e *expression, f FilterCondition) (string, error) {
	if err := r.checkOrder(f.From, f.To); err != nil {
		return "", err
	}
	from, err := r.filterValue(e, f, f.From, false)
	if err != nil {
		return "", err
	}
	to, err := r.filterValue(e, f, f.To, true)
	if err != nil || from == "" && to == "" {
		return "", err
	}
	if from != "" && to != "" && compareValues(e.values[from], e.values[to]) > 0 {
		return "", paramErrorf(r.blame(f.From), "it is after %s", r.blame(f.To))
	}
	name := e.name(f.Attribute)
	switch {
	case from == "":
		return name + " <= " + to, nil
	case to == "":
		return name + " >= " + from, nil
	default:
		return fmt.Sprintf("%s BETWEEN %s AND %s", name, from, to), nil
	}
}

// filterValue returns the alias of a value, "" when its parameter is not given.
// A day as the upper end of a range means its last moment.
func (r *Request) filterValue(e *expression, f FilterCondition, t models.Template, upper bool) (string, error) {
	if t.IsZero() {
		return "", nil
	}
	text, complete, err := t.Prefix(r.text)
	if err != nil {
		return "", r.bindError(err)
	}
	if !complete {
		return "", nil
	}
	if names := t.Placeholders(); upper && len(names) == 1 {
		text = r.timeEnd(names[0], text, upper)
	}
	v, err := models.ScalarValue(f.Type, text)
	if err != nil {
		return "", paramErrorf(r.blame(t), "%v", err)
	}
	return e.value(f.Attribute, v), nil
}
