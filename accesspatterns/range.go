package accesspatterns

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
)

// checkOrder returns an error for a range of times that ends before it starts.
func (b *binding) checkOrder(from, to models.Template) error {
	start, end := from.Placeholders(), to.Placeholders()
	if len(start) != 1 || len(end) != 1 {
		return nil
	}
	x, okx := b.values[start[0]]
	y, oky := b.values[end[0]]
	if okx && oky && x.IsTime && y.IsTime && x.Time.After(y.Time.End()) {
		return paramErrorf(start[0], "later than %s", end[0])
	}
	return nil
}

// rangeTerm compiles an inclusive range on one placeholder of a composed key. For
// the template x#id, x <= T becomes sk < "T$": "$" is the character after "#", so
// the range includes every id at T.
func (b *binding) rangeTerm(e *Expression, c KeyCondition) (string, error) {
	at, prefix, err := b.rangePrefix(c)
	if err != nil {
		return "", err
	}
	lower, err := b.rangeEnd(c, at, c.From, false)
	if err != nil {
		return "", err
	}
	upper, err := b.rangeEnd(c, at, c.To, true)
	if err != nil {
		return "", err
	}
	if err := b.checkOrder(c.From, c.To); err != nil {
		return "", err
	}
	if lower != "" && upper != "" && after(c.Attribute.Type, lower, upper) {
		return "", paramErrorf(b.blame(c.From), "later than %s", b.blame(c.To))
	}
	if lower == "" && upper == "" {
		return b.prefixTerm(e, c, prefix)
	}
	delimiter := c.KeyTemplate.After(at)
	open := at+1 < len(c.KeyTemplate.Segments()) // no key equals the upper bound
	if upper != "" {
		upper = prefix + upper
		switch first, _ := utf8.DecodeRuneInString(delimiter); {
		case delimiter != "":
			upper += successor(string(first))
		case open: // A placeholder follows with no text between.
			upper = successor(upper)
		}
	}
	if lower != "" {
		lower = prefix + lower
	}
	// Other entities may share the partition: stay within the literal prefix.
	if prefix != "" && lower == "" {
		lower = prefix
	}
	if prefix != "" && upper == "" {
		upper, open = successor(prefix), true
	}
	return b.boundsTerm(e, c, lower, upper, open)
}

// successor returns the smallest text that sorts after every text with the prefix s,
// in the order of UTF-8 bytes that DynamoDB uses: s with its last character replaced
// by the next one.
func successor(s string) string {
	last, n := utf8.DecodeLastRuneInString(s)
	last++
	if last == 0xd800 { // skip the surrogates, which are not characters
		last = 0xe000
	}
	return s[:len(s)-n] + string(last)
}

// after reports whether key value a sorts after b. Text that is no value of the type
// sorts after nothing; keyValue reports it.
func after(t models.Type, a, b string) bool {
	x, errX := models.ScalarValue(t, a)
	y, errY := models.ScalarValue(t, b)
	return errX == nil && errY == nil && ordered(x, Greater, y)
}

// comparisonTerm compiles a comparison of the whole key with <, <=, >, >= or BETWEEN.
// Every placeholder needs a value: without it there is nothing to compare with. A day is
// all of its moments: <= and > compare with the last one.
func (b *binding) comparisonTerm(e *Expression, c KeyCondition) (string, error) {
	lower, err := b.comparisonEnd(c.Template, c.Compare == LessOrEqual || c.Compare == Greater)
	if err != nil {
		return "", err
	}
	name := e.Name(c.Attribute.Name)
	if c.Compare != Between {
		v, err := b.keyValue(c.Attribute, lower, c.Template)
		if err != nil {
			return "", err
		}
		return c.Compare.Expression(name, e.Value(c.Attribute.Name, v)), nil
	}
	upper, err := b.comparisonEnd(c.Upper, true)
	if err != nil {
		return "", err
	}
	if after(c.Attribute.Type, lower, upper) {
		return "", paramErrorf(b.blame(c.Template), "later than %s", b.blame(c.Upper))
	}
	from, err := b.keyValue(c.Attribute, lower, c.Template)
	if err != nil {
		return "", err
	}
	to, err := b.keyValue(c.Attribute, upper, c.Upper)
	if err != nil {
		return "", err
	}
	return Between.Expression(name, e.Value("from", from), e.Value("to", to)), nil
}

// comparisonEnd returns the text of one end of a comparison.
func (b *binding) comparisonEnd(t models.Template, upper bool) (string, error) {
	text, err := t.Format(b.ends(upper))
	return text, b.bindError(err)
}

// prefixTerm selects all keys with the prefix when neither end of the range is
// given.
func (b *binding) prefixTerm(e *Expression, c KeyCondition, prefix string) (string, error) {
	if prefix == "" {
		return "", nil
	}
	v, err := b.keyValue(c.Attribute, prefix, c.KeyTemplate)
	if err != nil {
		return "", err
	}
	return BeginsWith.Expression(e.Name(c.Attribute.Name), e.Value(c.Attribute.Name, v)), nil
}

// boundsTerm compares the key with its bounds, "" for none; open excludes the upper
// bound. DynamoDB allows one condition on a sort key, and BETWEEN includes both ends,
// which is correct for an open bound too: no key that a template formats equals it.
func (b *binding) boundsTerm(e *Expression, c KeyCondition, lower, upper string, open bool) (string, error) {
	bound := func(hint, text string) (string, error) {
		v, err := b.keyValue(c.Attribute, text, c.From)
		if err != nil {
			return "", err
		}
		return e.Value(hint, v), nil
	}
	name := e.Name(c.Attribute.Name)
	if lower == "" {
		to, err := bound("to", upper)
		if open {
			return Less.Expression(name, to), err
		}
		return LessOrEqual.Expression(name, to), err
	}
	from, err := bound("from", lower)
	if err != nil || upper == "" {
		return GreaterOrEqual.Expression(name, from), err
	}
	to, err := bound("to", upper)
	return Between.Expression(name, from, to), err
}

// rangePrefix returns the segment of the range in the key's template, and the key
// up to it.
func (b *binding) rangePrefix(c KeyCondition) (at int, prefix string, err error) {
	before := func(name string) (string, bool) {
		if name == c.On {
			return "", false
		}
		return b.text(name)
	}
	prefix, _, err = c.KeyTemplate.Prefix(before)
	if err != nil {
		return 0, "", b.bindError(err)
	}
	for i, s := range c.KeyTemplate.Segments() {
		if s.Name == c.On {
			return i, prefix, nil
		}
		if _, ok := b.text(s.Name); s.Name != "" && !ok {
			return 0, "", b.bindError(&models.ValueError{Name: s.Name, Err: models.ErrMissing})
		}
	}
	return 0, "", fmt.Errorf("%s: %s is not a placeholder of %s", b.pattern.FullID(), c.On, c.KeyTemplate)
}

// rangeEnd formats one end of a range as the key contains it, "" when it is not
// given.
func (b *binding) rangeEnd(c KeyCondition, at int, end models.Template, upper bool) (string, error) {
	if end.IsZero() {
		return "", nil
	}
	text, complete, err := b.fillEnd(end, upper)
	if err != nil || !complete {
		return "", b.bindError(err)
	}
	segment := c.KeyTemplate.Segments()[at]
	if text, err = segment.Render(text); err != nil {
		err = &models.ValueError{Name: segment.Name, Err: err}
	}
	return text, b.bindError(err)
}

// ends returns the values of all parameters as one end of a range.
func (b *binding) ends(upper bool) models.Values {
	return func(name string) (string, bool) {
		text, ok := b.text(name)
		if ok {
			text = b.timeEnd(name, text, upper)
		}
		return text, ok
	}
}

// timeEnd formats an end of a range that the named parameter gives. A day as the
// upper end means its last moment. Where stored times may or may not have
// milliseconds, the range includes both formats of a moment: "." sorts before "Z".
func (b *binding) timeEnd(name, text string, upper bool) string {
	q, v := b.pattern.Param(name), b.values[name]
	if q == nil || !v.IsTime {
		return text
	}
	format, at := q.Format, v.Time.Time
	if !format.IsTime() {
		format = models.ISO8601
	}
	if upper {
		at = v.Time.End()
		if format == models.ISO8601Any && at.Equal(at.Truncate(time.Second)) {
			format = models.ISO8601
		}
	}
	text, _ = format.FormatTime(at)
	return text
}
