package embedded

import (
	"errors"
	"slices"
	"strings"
)

// sql is the state of a parser that only PartiQL statements have.
type sql struct {
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
func (p *parser) literal() (v value, ok bool) {
	t := p.peek()
	switch {
	case t.kind == tokenText:
		p.skip()
		return value{kind: kindS, str: t.text}, true
	case t.kind == tokenIndex || t.kind == tokenNumber:
		return p.number(""), true
	case p.is("-") && slices.Contains([]tokenKind{tokenIndex, tokenNumber}, p.tokens[p.at+1].kind):
		p.skip()
		return p.number("-"), true
	case p.is("?"):
		return p.parameter(), true
	case p.take("["):
		return p.listLiteral(), true
	case p.take("{"):
		return p.mapLiteral(), true
	case p.take("<<"):
		return p.setLiteral(), true
	}
	return p.word()
}

// word reads a literal that is a keyword. Before a period or a bracket, it is a name.
func (p *parser) word() (v value, ok bool) {
	if next := p.tokens[min(p.at+1, len(p.tokens)-1)]; next.is(".") || next.is("[") || next.is("(") {
		return value{}, false
	}
	switch {
	case p.take("TRUE"):
		return value{kind: kindBOOL, truth: true}, true
	case p.take("FALSE"):
		return value{kind: kindBOOL}, true
	case p.take("NULL"):
		return value{kind: kindNULL}, true
	}
	return value{}, false
}

// value reads a literal where nothing else is allowed.
func (p *parser) value() value {
	v, ok := p.literal()
	if !ok {
		p.unexpected()
	}
	return v
}

func (p *parser) number(sign string) value {
	t := p.peek()
	p.skip()
	n, err := normalNumber(sign + t.text)
	if err != nil { // a nil *apiError is no nil error
		p.fail(err)
	}
	return value{kind: kindN, str: n}
}

// parameter is the value of the next ?. Missing ones are reported at the end.
func (p *parser) parameter() value {
	p.skip()
	p.sql.used++
	if p.sql.used > len(p.sql.parameters) {
		return value{kind: kindNULL}
	}
	return p.sql.parameters[p.sql.used-1]
}

// until reads elements with commas between them up to the end symbol.
func (p *parser) until(end string, element func()) {
	if p.take(end) {
		return
	}
	if p.sql.nested++; p.sql.nested > maxNesting {
		p.fail(tooDeep())
	}
	element()
	for p.take(",") {
		element()
	}
	p.expect(end)
	p.sql.nested--
}

func (p *parser) listLiteral() value {
	v := value{kind: kindL, list: []value{}}
	p.until("]", func() { v.list = append(v.list, p.value()) })
	return v
}

// mapLiteral reads the members of a map, whose names are text.
func (p *parser) mapLiteral() value {
	v := value{kind: kindM, fields: item{}}
	p.until("}", func() {
		name := p.peek()
		if name.kind != tokenText {
			p.unexpected()
			return
		}
		p.skip()
		p.expect(":")
		field := p.value()
		if _, again := v.fields[name.text]; again {
			p.fail(complain("Duplicate keys in tuple; key: %s", name.text))
			return
		}
		p.fail(checkName(name.text))
		v.fields[name.text] = field
	})
	return v
}

// setLiteral reads a set, whose members have one type.
func (p *parser) setLiteral() value {
	var members []value
	p.until(">>", func() { members = append(members, p.value()) })
	if p.err != nil {
		return value{}
	}
	v, err := setOf(members)
	p.fail(err)
	return v
}

// setOf returns the set of the members.
func setOf(members []value) (value, error) {
	if len(members) == 0 {
		return value{}, complain("Empty bags are not supported")
	}
	k := members[0].kind
	v := value{kind: k + kindSS - kindS}
	for _, m := range members {
		if m.kind != k || !slices.Contains(scalars, k) {
			return value{}, complain("Unsupported data type in bag; all members must be strings, numbers or binary values")
		}
		v.set = append(v.set, m.str)
	}
	slices.SortFunc(v.set, compareElements(v.kind))
	if len(slices.Compact(slices.Clone(v.set))) < len(v.set) {
		return value{}, invalid("Input collection contains duplicates")
	}
	return v, nil
}

// listMembers reads the list on the right side of IN, which may be a parameter.
func (p *parser) listMembers() []*expr {
	v := p.value()
	if p.err == nil && (v.kind != kindL || len(v.list) == 0) {
		p.fail(complain("IN operator must have a list with at least one member"))
	}
	var members []*expr
	for _, member := range v.list {
		members = append(members, &expr{op: opValue, value: member})
	}
	return members
}

// presence reads what follows IS: MISSING, NULL, or NOT before either.
func (p *parser) presence(left *expr) *expr {
	negated := p.take("NOT")
	var e *expr
	switch {
	case p.take("MISSING"):
		e = &expr{op: opCall, name: "attribute_not_exists", args: []*expr{left}}
	case p.take("NULL"):
		e = &expr{op: opCall, name: "attribute_type", args: []*expr{left, {op: opValue, value: value{kind: kindS, str: kindNULL.String()}}}}
	default:
		p.unexpected()
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
