package accesspatterns

import (
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// A tail says which keys a leg selects when the template of the sort key has an
// optional tail without values.
type tail int

const (
	wholeKey    tail = iota // the question does not arise
	withoutTail             // the key that ends before the tail
	withTail                // every key that continues with a tail
)

// openTail reports whether the condition selects keys with and without an optional
// tail.
func (b *binding) openTail(c KeyCondition) bool {
	t, ok := b.matched(c)
	if !ok || b.inPartition(c.Attribute) || len(t.Tail()) == 0 {
		return false
	}
	for _, name := range t.Tail() {
		if _, given := b.values[name]; given && name != c.On {
			return false
		}
	}
	_, err := t.Format(b.without(t.Tail()))
	return err == nil
}

// matched returns the template of a condition on the whole key; a range without ends
// is one. It is false for any other condition.
func (b *binding) matched(c KeyCondition) (models.Template, bool) {
	switch c.Compare {
	case Matches:
		return c.Template, true
	case Range:
		return c.KeyTemplate, !b.hasEnd(c.From) && !b.hasEnd(c.To)
	default:
		return models.Template{}, false
	}
}

// hasEnd reports whether an end of a range has a value.
func (b *binding) hasEnd(end models.Template) bool {
	if end.IsZero() {
		return false
	}
	_, complete, err := end.Prefix(func(name string) (string, bool) {
		v, ok := b.values[name]
		return v.Text, ok
	})
	return complete || err != nil
}

// without returns the values of all parameters except some.
func (b *binding) without(names []string) models.Values {
	return func(name string) (string, bool) {
		if slices.Contains(names, name) {
			return "", false
		}
		v, ok := b.values[name]
		return v.Text, ok
	}
}

// fill returns the text of a template. complete is false when a placeholder outside
// of its optional tail has no value; the text then ends before it. A tail with values
// for some of its placeholders is an error.
func (b *binding) fill(t models.Template) (text string, complete bool, err error) {
	return b.fillWith(t, b.text)
}

// fillEnd is fill for one end of a range.
func (b *binding) fillEnd(t models.Template, upper bool) (text string, complete bool, err error) {
	return b.fillWith(t, b.ends(upper))
}

func (b *binding) fillWith(t models.Template, values models.Values) (text string, complete bool, err error) {
	given, missing := 0, ""
	for _, name := range t.Tail() {
		if _, ok := b.values[name]; ok {
			given++
		} else if missing == "" {
			missing = name
		}
	}
	text, complete, err = t.Prefix(values)
	if complete || err != nil || len(t.Tail()) == 0 {
		return text, complete, err
	}
	whole, err := t.Format(b.without(t.Tail()))
	switch {
	case err != nil:
		return text, false, nil //nolint:nilerr // A placeholder before the tail has no value.
	case given > 0:
		return text, false, &models.ValueError{Name: missing, Err: models.ErrMissing}
	}
	return whole, true, nil
}

// inPartition reports whether k is a partition key attribute of what is read.
func (b *binding) inPartition(k models.Key) bool { return slices.Contains(b.partition, k) }

// keyExpression returns the key conditions, nil without one.
func (b *binding) keyExpression(e *Expression, part tail) (*string, error) {
	restricts := map[string]bool{}
	expression, err := allOf(b.read.Key, func(c KeyCondition) (string, error) {
		term, err := b.keyTerm(e, c, part)
		restricts[c.Attribute.Name] = term != ""
		return term, err
	})
	if err != nil {
		return nil, err
	}
	return expression, b.checkSortOrder(restricts, part)
}

// checkSortOrder returns an error for a condition on a sort key attribute that follows one
// without a single value. DynamoDB accepts conditions on the first attributes of a sort key
// only, and all but the last must be equalities.
// Source: Amazon DynamoDB Developer Guide, "Multi-attribute keys pattern".
func (b *binding) checkSortOrder(restricts map[string]bool, part tail) error {
	before := ""
	for _, k := range b.sort {
		i := slices.IndexFunc(b.read.Key, func(c KeyCondition) bool { return c.Attribute == k })
		switch {
		case i >= 0 && restricts[k.Name] && before != "":
			reason := fmt.Sprintf("follows %s in the key of %s, which has no single value; give %[1]s too", before, b.read.Index.Name)
			return &unusedError{ParamError{b.blame(b.read.Key[i].templates()...), reason}}
		case before == "" && (i < 0 || !b.exact(b.read.Key[i], part)):
			before = k.Name
		}
	}
	return nil
}

// exact reports whether a condition selects a single value of its attribute.
func (b *binding) exact(c KeyCondition, part tail) bool {
	if part == withTail && b.openTail(c) {
		return false
	}
	_, err := c.Template.Format(b.text)
	return err == nil && (c.Compare == Equal || c.Compare == Matches)
}

// keyTerm compiles one key condition, "" when it does not restrict the key.
func (b *binding) keyTerm(e *Expression, c KeyCondition, part tail) (string, error) {
	if part != wholeKey && b.openTail(c) {
		return b.tailTerm(e, c, part)
	}
	switch c.Compare {
	case Range:
		return b.rangeTerm(e, c)
	case Less, LessOrEqual, Greater, GreaterOrEqual, Between:
		return b.comparisonTerm(e, c)
	default:
	}
	prefixes := c.Compare == Matches && !b.inPartition(c.Attribute)
	fill := b.fill
	if prefixes {
		fill = func(t models.Template) (string, bool, error) { return t.Prefix(b.text) }
	}
	text, complete, err := fill(c.Template)
	if err != nil {
		return "", b.bindError(err)
	}
	if !complete && !prefixes && c.Compare != BeginsWith {
		_, err := c.Template.Format(b.text)
		return "", b.bindError(err)
	}
	compare := Equal
	if c.Compare == BeginsWith || !complete {
		compare = BeginsWith
		if err := c.Template.SeparatedPrefix(b.text); err != nil {
			return "", b.bindError(err)
		}
	}
	return b.compareKey(e, c, compare, text)
}

// tailTerm compiles the condition of one of the two legs of an open tail.
func (b *binding) tailTerm(e *Expression, c KeyCondition, part tail) (string, error) {
	t, _ := b.matched(c)
	if part == withoutTail {
		text, err := t.Format(func(name string) (string, bool) {
			if slices.Contains(t.Tail(), name) {
				return "", false
			}
			return b.text(name)
		})
		if err != nil {
			return "", b.bindError(err)
		}
		return b.compareKey(e, c, Equal, text)
	}
	text, _, err := t.Prefix(b.without(t.Tail()))
	if err != nil {
		return "", b.bindError(err)
	}
	return b.compareKey(e, c, BeginsWith, text)
}

// compareKey compares a key attribute with a text, "" for an empty one.
func (b *binding) compareKey(e *Expression, c KeyCondition, compare Operator, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	t, ok := b.matched(c)
	if !ok {
		t = c.Template
	}
	v, err := b.keyValue(c.Attribute, text, t)
	if err != nil {
		return "", err
	}
	return compare.Expression(e.Name(c.Attribute.Name), e.Value(c.Attribute.Name, v)), nil
}
