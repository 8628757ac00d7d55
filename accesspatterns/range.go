// This file compiles ranges: from and to on one placeholder of a composed key,
// whatever stands before and behind it.

package accesspatterns

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
)

// checkOrder refuses a range whose start lies after its end.
func (r *Request) checkOrder(from, to models.Template) error {
	a, b := from.Placeholders(), to.Placeholders()
	if len(a) != 1 || len(b) != 1 {
		return nil
	}
	x, okx := r.Values[a[0]]
	y, oky := r.Values[b[0]]
	if okx && oky && x.IsTime && y.IsTime && x.Time.After(y.Time.End()) {
		return paramErrorf(a[0], "it is after %s", b[0])
	}
	return nil
}

// rangeTerm compiles an inclusive range on one placeholder of a composed key.
// On x#id the end x <= T is sk < "T$": "$" follows "#", so every id counts.
func (r *Request) rangeTerm(e *Expression, c KeyCondition) (string, error) {
	at, prefix, err := r.rangePrefix(c)
	if err != nil {
		return "", err
	}
	lower, err := r.rangeEnd(c, at, c.From, false)
	if err != nil {
		return "", err
	}
	upper, err := r.rangeEnd(c, at, c.To, true)
	if err != nil {
		return "", err
	}
	if err := r.checkOrder(c.From, c.To); err != nil {
		return "", err
	}
	if lower != "" && upper != "" && after(c.Attribute.Type, lower, upper) {
		return "", paramErrorf(r.blame(c.From), "it is after %s", r.blame(c.To))
	}
	if lower == "" && upper == "" {
		return r.prefixTerm(e, c, prefix)
	}
	delimiter := c.KeyTemplate.After(at)
	open := delimiter != "" // the end stands before the delimiter: nothing equals it
	if upper != "" {
		upper = prefix + upper
		if open {
			first, _ := utf8.DecodeRuneInString(delimiter)
			upper += successor(string(first))
		}
	}
	if lower != "" {
		lower = prefix + lower
	}
	// Other families share the partition when the key starts with a literal.
	if prefix != "" && lower == "" {
		lower = prefix
	}
	if prefix != "" && upper == "" {
		upper, open = successor(prefix), true
	}
	return r.boundsTerm(e, c, lower, upper, open)
}

// successor returns the least text that sorts after everything that begins with
// s, by UTF-8 bytes as DynamoDB sorts: its last character is the next one. A
// template's text ends in no character that has none.
func successor(s string) string {
	last, n := utf8.DecodeLastRuneInString(s)
	last++
	if last == 0xd800 { // surrogates are no characters
		last = 0xe000
	}
	return s[:len(s)-n] + string(last)
}

// after reports whether key value a sorts after b.
func after(t models.Type, a, b string) bool {
	if t == models.TypeN {
		return models.CompareNumbers(a, b) > 0
	}
	return a > b
}

// prefixTerm asks for all keys of the family when no end of the range is given.
func (r *Request) prefixTerm(e *Expression, c KeyCondition, prefix string) (string, error) {
	if prefix == "" {
		return "", nil
	}
	v, err := r.keyValue(c.Attribute, prefix, c.KeyTemplate)
	if err != nil {
		return "", err
	}
	return BeginsWith.Expression(e.Name(c.Attribute.Name), e.Value(c.Attribute.Name, v)), nil
}

// boundsTerm compares the key with its bounds; open means that the upper one is
// outside. DynamoDB allows one condition on a sort key, and BETWEEN includes
// both ends: nothing that a template makes equals an open bound.
func (r *Request) boundsTerm(e *Expression, c KeyCondition, lower, upper string, open bool) (string, error) {
	bound := func(hint, text string) (string, error) {
		v, err := r.keyValue(c.Attribute, text, c.From)
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

// rangePrefix finds the placeholder of the range in the key's template and
// builds the key up to it.
func (r *Request) rangePrefix(c KeyCondition) (at int, prefix string, err error) {
	before := func(name string) (string, bool) {
		if name == c.On {
			return "", false
		}
		return r.text(name)
	}
	prefix, _, err = c.KeyTemplate.Prefix(before)
	if err != nil {
		return 0, "", r.bindError(err)
	}
	for i, s := range c.KeyTemplate.Segments() {
		if s.Name == c.On {
			return i, prefix, nil
		}
		if _, ok := r.text(s.Name); s.Name != "" && !ok {
			return 0, "", r.bindError(&models.ValueError{Name: s.Name, Err: models.ErrMissing})
		}
	}
	return 0, "", fmt.Errorf("%s: %s is no placeholder of %s", r.Pattern.FullID(), c.On, c.KeyTemplate)
}

// rangeEnd spells one end of a range as the key holds it, "" when not given.
func (r *Request) rangeEnd(c KeyCondition, at int, end models.Template, upper bool) (string, error) {
	if end.IsZero() {
		return "", nil
	}
	text, complete, err := end.Prefix(r.text)
	if err != nil || !complete {
		return "", r.bindError(err)
	}
	segment := c.KeyTemplate.Segments()[at]
	if names := end.Placeholders(); len(names) == 1 {
		text = r.timeEnd(names[0], text, upper)
	}
	if segment.Format == models.NoFormat {
		return text, nil
	}
	one, err := models.ParseTemplate("{"+segment.Name+":"+string(segment.Format)+"}", nil)
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.Pattern.FullID(), err)
	}
	text, err = one.Format(models.MapValues(map[string]string{segment.Name: text}))
	return text, r.bindError(err)
}

// timeEnd spells the end of a range that parameter name gives. A day as upper
// end means its last moment. Where the precision of stored times is not known,
// the ends take in both spellings of a moment: "." sorts before "Z".
func (r *Request) timeEnd(name, text string, upper bool) string {
	q, v := r.Pattern.Param(name), r.Values[name]
	if q == nil || !v.IsTime || q.Format.IsDay() {
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
