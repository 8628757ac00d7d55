package embedded

import (
	"errors"
	"slices"
	"strings"
)

// sql reads what only PartiQL statements have in their expressions: literals and parameters.
type sql struct {
	p          *parser
	parameters []value // of the request, for each ? in their order
	used       int     // parameters so far, more than there are if some are missing
	nested     int     // levels of lists and maps around the current literal
}

// fail records an error that is not one of syntax, and skips to the end. nil is no error.
func (p *parser) fail(err error) {
	if err == nil {
		return
	}
	if p.err == nil {
		p.err = err
	}
	p.at = len(p.tokens) - 1
}

// literal reads a value: text, a number, a boolean, null, a list, a map, a set or a
// parameter. ok is false if the current token does not start one.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.data-types.html
func (s *sql) literal() (v value, ok bool) {
	t := s.p.peek()
	switch {
	case t.kind == tokenText:
		s.p.skip()
		return stringValue(t.text), true
	case t.kind == tokenIndex || t.kind == tokenNumber:
		return s.number(""), true
	case s.p.is("-") && slices.Contains([]tokenKind{tokenIndex, tokenNumber}, s.p.tokens[s.p.at+1].kind):
		s.p.skip()
		return s.number("-"), true
	case s.p.is("?"):
		return s.parameter(), true
	case s.p.take("["):
		return s.listLiteral(), true
	case s.p.take("{"):
		return s.mapLiteral(), true
	case s.p.take("<<"):
		return s.setLiteral(), true
	}
	return s.word()
}

// word reads a literal that is a keyword. Before a period or a bracket, it is a name.
func (s *sql) word() (v value, ok bool) {
	if next := s.p.tokens[min(s.p.at+1, len(s.p.tokens)-1)]; next.is(".") || next.is("[") || next.is("(") {
		return value{}, false
	}
	switch {
	case s.p.take("TRUE"):
		return value{kind: kindBOOL, truth: true}, true
	case s.p.take("FALSE"):
		return value{kind: kindBOOL}, true
	case s.p.take("NULL"):
		return value{kind: kindNULL}, true
	}
	return value{}, false
}

// value reads a literal where nothing else is allowed.
func (s *sql) value() value {
	v, ok := s.literal()
	if !ok {
		s.p.unexpected()
	}
	return v
}

func (s *sql) number(sign string) value {
	t := s.p.peek()
	s.p.skip()
	n, err := normalNumber(sign + t.text)
	if err != nil { // a nil *apiError is no nil error
		s.p.fail(err)
	}
	return value{kind: kindN, str: n}
}

// parameter is the value of the next ?. Missing ones are reported at the end.
func (s *sql) parameter() value {
	s.p.skip()
	s.used++
	if s.used > len(s.parameters) {
		return value{kind: kindNULL}
	}
	return s.parameters[s.used-1]
}

// until reads elements with commas between them up to the end symbol.
func (s *sql) until(end string, element func()) {
	if s.p.take(end) {
		return
	}
	if s.nested++; s.nested > maxNesting {
		s.p.fail(tooDeep())
	}
	element()
	for s.p.take(",") {
		element()
	}
	s.p.expect(end)
	s.nested--
}

func (s *sql) listLiteral() value {
	v := value{kind: kindL, list: []value{}}
	s.until("]", func() { v.list = append(v.list, s.value()) })
	return v
}

// mapLiteral reads the members of a map, whose names are text.
func (s *sql) mapLiteral() value {
	v := value{kind: kindM, fields: item{}}
	s.until("}", func() {
		name := s.p.peek()
		if name.kind != tokenText {
			s.p.unexpected()
			return
		}
		s.p.skip()
		s.p.expect(":")
		field := s.value()
		if _, again := v.fields[name.text]; again {
			s.p.fail(complain("Duplicate keys in tuple; key: %s", name.text))
			return
		}
		s.p.fail(checkName(name.text))
		v.fields[name.text] = field
	})
	return v
}

// setLiteral reads a set, whose members have one type.
func (s *sql) setLiteral() value {
	var members []value
	s.until(">>", func() { members = append(members, s.value()) })
	if s.p.err != nil {
		return value{}
	}
	v, err := literalSet(members)
	s.p.fail(err)
	return v
}

// literalSet returns the set of the members.
func literalSet(members []value) (value, error) {
	if len(members) == 0 {
		return value{}, complain("Empty bags are not supported")
	}
	k := members[0].kind
	var texts []string
	for _, m := range members {
		if m.kind != k || !slices.Contains(scalars, k) {
			return value{}, complain("Unsupported data type in bag; all members must be strings, numbers or binary values")
		}
		texts = append(texts, m.str)
	}
	v := setOf(k.set(), texts)
	if len(v.set) < len(texts) {
		return value{}, invalid("Input collection contains duplicates")
	}
	return v, nil
}

// listMembers reads the list on the right side of IN, which may be a parameter.
func (s *sql) listMembers() []*expr {
	v := s.value()
	if s.p.err == nil && (v.kind != kindL || len(v.list) == 0) {
		s.p.fail(complain("IN operator must have a list with at least one member"))
	}
	var members []*expr
	for _, member := range v.list {
		members = append(members, &expr{op: opValue, value: member})
	}
	return members
}

// presence reads what follows IS: MISSING, NULL, or NOT before either.
func (s *sql) presence(left *expr) *expr {
	negated := s.p.take("NOT")
	var e *expr
	switch {
	case s.p.take("MISSING"):
		e = &expr{op: opCall, name: "attribute_not_exists", args: []*expr{left}}
	case s.p.take("NULL"):
		e = &expr{op: opCall, name: "attribute_type", args: []*expr{left, {op: opValue, value: stringValue(kindNULL.String())}}}
	default:
		s.p.unexpected()
		return left
	}
	if negated {
		e = &expr{op: opNot, args: []*expr{e}}
	}
	return e
}

// notWellFormed is the error of a statement that cannot be parsed. Other errors keep their
// message.
func notWellFormed(err error) error {
	var c complaint
	if errors.As(err, &c) {
		return invalid("Statement wasn't well formed, can't be processed: %s", strings.TrimSuffix(c.Error(), ";"))
	}
	return err
}
