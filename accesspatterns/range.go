package accesspatterns

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
)

// compileRange compiles x <= T for x#id as sk < "T$". Because "$" follows "#", the range includes every id at T.
func (k *keyTerm) compileRange() (string, error) {
	at, prefix, err := k.rangePrefix()
	if err != nil {
		return "", err
	}
	lower, err := k.rangeEnd(at, k.From, false)
	if err != nil {
		return "", err
	}
	upper, err := k.rangeEnd(at, k.To, true)
	if err != nil {
		return "", err
	}
	if err := k.checkOrder(k.From, k.To); err != nil {
		return "", err
	}
	if k.KeyTemplate.Segments()[at].TimeFormat().IsReversed() {
		lower, upper = upper, lower
	}
	if lower != "" && upper != "" && isAfter(k.Attribute.Type, lower, upper) {
		return "", ParamErrorf(k.longestParam(k.From), "later than %s", k.longestParam(k.To))
	}
	if lower == "" && upper == "" {
		return k.compareWith(BeginsWith, prefix)
	}
	open := k.KeyTemplate.AdjoinsPlaceholder(at) || len(k.KeyTemplate.After(at)) > 0 // no key equals the upper bound
	if upper != "" {
		upper = prefix + upper
		last := rune(-1)
		for _, literal := range k.KeyTemplate.After(at) {
			first, _ := utf8.DecodeRuneInString(literal)
			last = max(last, first)
		}
		switch {
		case k.KeyTemplate.AdjoinsPlaceholder(at): // A placeholder follows with no text in between.
			upper = successor(upper)
		case last >= 0:
			upper += successor(string(last))
		}
	}
	if lower != "" {
		lower = prefix + lower
	}
	// Other entities may share the partition, so the range stays within the literal prefix.
	if prefix != "" && lower == "" {
		lower = prefix
	}
	if prefix != "" && upper == "" {
		upper, open = successor(prefix), true
	}
	return k.compileBetween(lower, upper, open)
}

// rangeFilters adds filters if the key has only a part of a value, because the end parts match items beyond the ends.
func (b *binding) rangeFilters() []FilterCondition {
	var list []FilterCondition
	for _, c := range b.read.Key {
		if c.Compare != Range || len(b.pattern.Returns) == 0 || models.KeyPosition(slices.Concat(b.partition, b.sort), c.On) >= 0 {
			continue
		}
		a := b.pattern.Returns[0].Attribute(c.On)
		at := slices.IndexFunc(c.KeyTemplate.Segments(), func(s models.Segment) bool { return s.Name == c.On })
		if a == nil || a.KeyOnly || at < 0 || !c.KeyTemplate.Segments()[at].IsTruncated() {
			continue
		}
		f := FilterCondition{Attribute: c.On, Type: a.Type}
		switch {
		case c.From.IsZero() && c.To.IsZero():
			continue
		case c.From.IsZero():
			f.Compare, f.Values = LessOrEqual, []models.Template{c.To}
		case c.To.IsZero():
			f.Compare, f.Values = GreaterOrEqual, []models.Template{c.From}
		default:
			f.Compare, f.Values = Between, []models.Template{c.From, c.To}
		}
		list = append(list, f)
	}
	return list
}

// successor returns the smallest text after all texts with the prefix s, in DynamoDB's order of UTF-8 bytes.
func successor(s string) string {
	last, n := utf8.DecodeLastRuneInString(s)
	last++
	if last == 0xd800 { // Surrogates are not characters.
		last = 0xe000
	}
	return s[:len(s)-n] + string(last)
}

func isAfter(t models.Type, a, b string) bool {
	x, errX := models.ScalarValue(t, a)
	y, errY := models.ScalarValue(t, b)
	return errX == nil && errY == nil && isOrdered(x, Greater, y)
}

// compileComparison compiles a comparison of the whole key. A day includes all its moments: <= and > use the last one.
func (k *keyTerm) compileComparison() (string, error) {
	lower, err := k.comparisonEnd(k.Template, k.Compare == LessOrEqual || k.Compare == Greater)
	if err != nil {
		return "", err
	}
	if k.Compare != Between {
		return k.term(k.Compare, keyText{k.Attribute.Name, lower, k.Template})
	}
	upper, err := k.comparisonEnd(k.Upper, true)
	if err != nil {
		return "", err
	}
	if isAfter(k.Attribute.Type, lower, upper) {
		return "", ParamErrorf(k.longestParam(k.Template), "later than %s", k.longestParam(k.Upper))
	}
	return k.term(Between, keyText{"from", lower, k.Template}, keyText{"to", upper, k.Upper})
}

func (k *keyTerm) comparisonEnd(t models.Template, upper bool) (string, error) {
	text, err := t.Format(k.endValues(upper))
	return text, k.bindError(err)
}

// compileBetween uses BETWEEN even for an open bound, because no template makes a key that equals the bound.
func (k *keyTerm) compileBetween(lower, upper string, open bool) (string, error) {
	from, to := keyText{"from", lower, k.From}, keyText{"to", upper, k.From}
	switch {
	case lower == "" && open:
		return k.term(Less, to)
	case lower == "":
		return k.term(LessOrEqual, to)
	case upper == "":
		return k.term(GreaterOrEqual, from)
	}
	return k.term(Between, from, to)
}

// keyText is the text of a key value, the hint for its alias, and its template.
type keyText struct {
	hint, text string
	template   models.Template
}

func (k *keyTerm) term(compare Operator, values ...keyText) (string, error) {
	c, name := Condition{Attribute: k.Attribute.Name, Compare: compare}, k.e.Name(k.Attribute.Name)
	aliases := make([]string, len(values))
	for i, value := range values {
		v, err := k.keyValue(k.Attribute, value.text, value.template)
		if err != nil {
			return "", err
		}
		c.Values, aliases[i] = append(c.Values, v), k.e.Value(value.hint, v)
	}
	*k.terms = append(*k.terms, c)
	return compare.Expression(name, aliases...), nil
}

func (k *keyTerm) rangePrefix() (at int, prefix string, err error) {
	before := func(name string) (string, bool) {
		if name == k.On {
			return "", false
		}
		return k.text(name)
	}
	prefix, _, err = k.KeyTemplate.Prefix(before)
	if err != nil {
		return 0, "", k.bindError(err)
	}
	for i, s := range k.KeyTemplate.Segments() {
		if s.Name == k.On {
			return i, prefix, nil
		}
		if _, ok := k.text(s.Name); s.Name != "" && !ok && !s.Optional {
			return 0, "", k.bindError(&models.ValueError{Name: s.Name, Err: models.ErrMissing})
		}
	}
	return 0, "", fmt.Errorf("%s: %s is not a placeholder of %s", k.pattern.FullID(), k.On, k.KeyTemplate)
}

func (k *keyTerm) rangeEnd(at int, end models.Template, upper bool) (string, error) {
	if end.IsZero() {
		return "", nil
	}
	text, complete, err := k.fillEnd(end, upper)
	if err != nil || !complete {
		return "", k.bindError(err)
	}
	if text, err = k.KeyTemplate.Segments()[at].Render(text); err != nil {
		err = &models.ValueError{Name: k.longestParam(end), Err: err}
	}
	return text, k.bindError(err)
}

// A tail determines which keys a leg selects if the sort key template has an optional tail without values.
type tail int

const (
	wholeKey    tail = iota // there is no such tail
	withoutTail             // the key that ends before the tail
	withTail                // every key that continues with a tail
)

// openTail returns the placeholders of the optional part that may extend the keys of a condition, or nil.
func (b *binding) openTail(c KeyCondition) []string {
	t, ok := b.exactTemplate(c)
	if !ok || b.isInPartition(c.Attribute) {
		return nil
	}
	names := t.Open(b.valuesWithout([]string{c.On}))
	if _, err := t.Format(b.valuesWithout(append(names, c.On))); err != nil {
		return nil
	}
	return names
}

// exactTemplate returns the template of a condition on the whole key, which includes a range without ends.
func (b *binding) exactTemplate(c KeyCondition) (models.Template, bool) {
	switch c.Compare {
	case Matches:
		return c.Template, true
	case Range:
		return c.KeyTemplate, !b.hasEnd(c.From) && !b.hasEnd(c.To)
	default:
		return models.Template{}, false
	}
}

func (b *binding) isInPartition(k models.Key) bool { return slices.Contains(b.partition, k) }

func (b *binding) keyExpression(e *Expression, part tail) (expression *string, terms []Condition, err error) {
	restricts := map[string]bool{}
	expression, err = joinTerms(b.read.Key, func(c KeyCondition) (string, error) {
		term, err := (&keyTerm{b, c, e, &terms}).compile(part)
		restricts[c.Attribute.Name] = term != ""
		return term, err
	})
	if err != nil {
		return nil, nil, err
	}
	return expression, terms, b.checkSortOrder(restricts)
}

// checkSortOrder rejects a sort key after a gap. Source: DynamoDB Developer Guide, "Multi-attribute keys pattern".
func (b *binding) checkSortOrder(restricts map[string]bool) error {
	before := ""
	for _, k := range b.sort {
		i := slices.IndexFunc(b.read.Key, func(c KeyCondition) bool { return c.Attribute == k })
		switch {
		case i >= 0 && restricts[k.Name] && before != "":
			reason := fmt.Sprintf("follows %s in the key of %s, but %[1]s has no single value; also give %[1]s", before, b.read.Index.Name)
			return &unusedError{ParamError{
				Param: b.longestParam(b.read.Key[i].templates()...), Reason: reason,
				plain: fmt.Sprintf("requires a single value for %s; add %[1]s=VALUE", before),
			}}
		case before == "" && (i < 0 || !b.isExact(b.read.Key[i])):
			before = k.Name
		}
	}
	return nil
}

func (b *binding) isExact(c KeyCondition) bool {
	if b.openTail(c) != nil {
		return false
	}
	_, err := c.Template.Format(b.text)
	return err == nil && (c.Compare == Equal || c.Compare == Matches)
}

// A keyTerm compiles one condition on a key attribute into the key condition expression of a leg.
type keyTerm struct {
	*binding
	KeyCondition
	e     *Expression
	terms *[]Condition // the compiled terms
}

func (k *keyTerm) compile(part tail) (string, error) {
	if t, ok := k.exactTemplate(k.KeyCondition); ok {
		if missing, _ := t.SkippedPlaceholder(k.valuesWithout([]string{k.On})); missing != "" { // The key would omit a given value.
			return "", k.bindError(&models.ValueError{Name: missing, Err: models.ErrMissing})
		}
	}
	if names := k.openTail(k.KeyCondition); part != wholeKey && names != nil {
		return k.compileTail(part, names)
	}
	switch k.Compare {
	case Range:
		return k.compileRange()
	case Less, LessOrEqual, Greater, GreaterOrEqual, Between:
		return k.compileComparison()
	default:
	}
	usesPrefix := k.Compare == Matches && !k.isInPartition(k.Attribute)
	fill := k.fill
	if usesPrefix {
		fill = func(t models.Template) (string, bool, error) { return t.Prefix(k.text) }
	}
	text, complete, err := fill(k.Template)
	if err != nil {
		return "", k.bindError(err)
	}
	if !complete && !usesPrefix && k.Compare != BeginsWith {
		_, err := k.Template.Format(k.text)
		return "", k.bindError(err)
	}
	compare := Equal
	if k.Compare == BeginsWith || !complete {
		compare = BeginsWith
		if err := k.Template.CheckPrefixDelimiters(k.text); err != nil {
			return "", k.bindError(err)
		}
	}
	return k.compareWith(compare, text)
}

func (k *keyTerm) compileTail(part tail, names []string) (string, error) {
	t, _ := k.exactTemplate(k.KeyCondition)
	values := func(name string) (string, bool) {
		if slices.Contains(names, name) {
			return "", false
		}
		return k.text(name)
	}
	if part == withoutTail {
		text, err := t.Format(values)
		if err != nil {
			return "", k.bindError(err)
		}
		return k.compareWith(Equal, text)
	}
	text, _, err := t.Prefix(values)
	if err != nil {
		return "", k.bindError(err)
	}
	return k.compareWith(BeginsWith, text)
}

func (k *keyTerm) compareWith(compare Operator, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	t, ok := k.exactTemplate(k.KeyCondition)
	if !ok {
		t = k.Template
	}
	return k.term(compare, keyText{k.Attribute.Name, text, t})
}
