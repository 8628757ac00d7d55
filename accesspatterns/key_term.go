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

// matched returns the template of a condition on the whole key; a range without ends is one.
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

func (b *binding) inPartition(k models.Key) bool { return slices.Contains(b.partition, k) }

func (b *binding) keyExpression(e *Expression, part tail) (*string, error) {
	restricts := map[string]bool{}
	expression, err := allOf(b.read.Key, func(c KeyCondition) (string, error) {
		term, err := (&keyTerm{b, c, e}).compile(part)
		restricts[c.Attribute.Name] = term != ""
		return term, err
	})
	if err != nil {
		return nil, err
	}
	return expression, b.checkSortOrder(restricts)
}

// checkSortOrder rejects a condition on a sort key attribute that follows one without a single value. Source: Amazon
// DynamoDB Developer Guide, "Multi-attribute keys pattern".
func (b *binding) checkSortOrder(restricts map[string]bool) error {
	before := ""
	for _, k := range b.sort {
		i := slices.IndexFunc(b.read.Key, func(c KeyCondition) bool { return c.Attribute == k })
		switch {
		case i >= 0 && restricts[k.Name] && before != "":
			reason := fmt.Sprintf("follows %s in the key of %s, which has no single value; give %[1]s too", before, b.read.Index.Name)
			return &unusedError{ParamError{b.blame(b.read.Key[i].templates()...), reason}}
		case before == "" && (i < 0 || !b.exact(b.read.Key[i])):
			before = k.Name
		}
	}
	return nil
}

func (b *binding) exact(c KeyCondition) bool {
	if b.openTail(c) {
		return false
	}
	_, err := c.Template.Format(b.text)
	return err == nil && (c.Compare == Equal || c.Compare == Matches)
}

// A keyTerm compiles one condition on a key attribute into the key condition expression of a leg.
type keyTerm struct {
	*binding
	KeyCondition
	e *Expression
}

func (k *keyTerm) compile(part tail) (string, error) {
	if part != wholeKey && k.openTail(k.KeyCondition) {
		return k.tail(part)
	}
	switch k.Compare {
	case Range:
		return k.inRange()
	case Less, LessOrEqual, Greater, GreaterOrEqual, Between:
		return k.comparison()
	default:
	}
	prefixes := k.Compare == Matches && !k.inPartition(k.Attribute)
	fill := k.fill
	if prefixes {
		fill = func(t models.Template) (string, bool, error) { return t.Prefix(k.text) }
	}
	text, complete, err := fill(k.Template)
	if err != nil {
		return "", k.bindError(err)
	}
	if !complete && !prefixes && k.Compare != BeginsWith {
		_, err := k.Template.Format(k.text)
		return "", k.bindError(err)
	}
	compare := Equal
	if k.Compare == BeginsWith || !complete {
		compare = BeginsWith
		if err := k.Template.SeparatedPrefix(k.text); err != nil {
			return "", k.bindError(err)
		}
	}
	return k.compareWith(compare, text)
}

func (k *keyTerm) tail(part tail) (string, error) {
	t, _ := k.matched(k.KeyCondition)
	if part == withoutTail {
		text, err := t.Format(func(name string) (string, bool) {
			if slices.Contains(t.Tail(), name) {
				return "", false
			}
			return k.text(name)
		})
		if err != nil {
			return "", k.bindError(err)
		}
		return k.compareWith(Equal, text)
	}
	text, _, err := t.Prefix(k.without(t.Tail()))
	if err != nil {
		return "", k.bindError(err)
	}
	return k.compareWith(BeginsWith, text)
}

func (k *keyTerm) compareWith(compare Operator, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	t, ok := k.matched(k.KeyCondition)
	if !ok {
		t = k.Template
	}
	v, err := k.keyValue(k.Attribute, text, t)
	if err != nil {
		return "", err
	}
	return compare.Expression(k.e.Name(k.Attribute.Name), k.e.Value(k.Attribute.Name, v)), nil
}
