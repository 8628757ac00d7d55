package expression

import (
	"errors"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// sql reads what only PartiQL statements have in their expressions: literals and parameters.
type sql struct {
	p          *parser
	parameters []attribute.Value // of the request, for each ? in their order
	used       int               // parameters so far, more than there are if some are missing
	nested     int               // levels of lists and maps around the current literal
}

func (p *parser) fail(err error) {
	if err == nil {
		return
	}
	if p.err == nil {
		p.err = err
	}
	p.at = len(p.tokens) - 1
}

// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.data-types.html
func (s *sql) literal() (v attribute.Value, ok bool) {
	t := s.p.peek()
	switch {
	case t.kind == tokenText:
		s.p.skip()
		return attribute.String(t.text), true
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

func (s *sql) word() (v attribute.Value, ok bool) {
	if next := s.p.tokens[min(s.p.at+1, len(s.p.tokens)-1)]; next.is(".") || next.is("[") || next.is("(") {
		return attribute.Value{}, false
	}
	switch {
	case s.p.take("TRUE"):
		return attribute.Value{Kind: attribute.BOOL, Truth: true}, true
	case s.p.take("FALSE"):
		return attribute.Value{Kind: attribute.BOOL}, true
	case s.p.take("NULL"):
		return attribute.Value{Kind: attribute.NULL}, true
	}
	return attribute.Value{}, false
}

func (s *sql) value() attribute.Value {
	v, ok := s.literal()
	if !ok {
		s.p.unexpected()
	}
	return v
}

func (s *sql) number(sign string) attribute.Value {
	t := s.p.peek()
	s.p.skip()
	n, err := attribute.NormalNumber(sign + t.text)
	if err != nil { // a nil *apiError is no nil error
		s.p.fail(err)
	}
	return attribute.Value{Kind: attribute.N, Str: n}
}

func (s *sql) parameter() attribute.Value {
	s.p.skip()
	s.used++
	if s.used > len(s.parameters) {
		return attribute.Value{Kind: attribute.NULL}
	}
	return s.parameters[s.used-1]
}

func (s *sql) until(end string, element func()) {
	if s.p.take(end) {
		return
	}
	if s.nested++; s.nested > attribute.MaxNesting {
		s.p.fail(apierror.TooDeep())
	}
	element()
	for s.p.take(",") {
		element()
	}
	s.p.expect(end)
	s.nested--
}

func (s *sql) listLiteral() attribute.Value {
	v := attribute.Value{Kind: attribute.L, List: []attribute.Value{}}
	s.until("]", func() { v.List = append(v.List, s.value()) })
	return v
}

func (s *sql) mapLiteral() attribute.Value {
	v := attribute.Value{Kind: attribute.M, Fields: attribute.Item{}}
	s.until("}", func() {
		name := s.p.peek()
		if name.kind != tokenText {
			s.p.unexpected()
			return
		}
		s.p.skip()
		s.p.expect(":")
		field := s.value()
		if _, again := v.Fields[name.text]; again {
			s.p.fail(complain("Duplicate keys in tuple; key: %s", name.text))
			return
		}
		s.p.fail(attribute.CheckName(name.text))
		v.Fields[name.text] = field
	})
	return v
}

func (s *sql) setLiteral() attribute.Value {
	var members []attribute.Value
	s.until(">>", func() { members = append(members, s.value()) })
	if s.p.err != nil {
		return attribute.Value{}
	}
	v, err := literalSet(members)
	s.p.fail(err)
	return v
}

func literalSet(members []attribute.Value) (attribute.Value, error) {
	if len(members) == 0 {
		return attribute.Value{}, complain("Empty bags are not supported")
	}
	k := members[0].Kind
	var texts []string
	for _, m := range members {
		if m.Kind != k || !slices.Contains(Scalars, k) {
			return attribute.Value{}, complain("Unsupported data type in bag; all members must be strings, numbers or binary values")
		}
		texts = append(texts, m.Str)
	}
	v := attribute.SetOf(k.Set(), texts)
	if len(v.Set) < len(texts) {
		return attribute.Value{}, apierror.Invalid("Input collection contains duplicates")
	}
	return v, nil
}

func (s *sql) listMembers() []*Node {
	v := s.value()
	if s.p.err == nil && (v.Kind != attribute.L || len(v.List) == 0) {
		s.p.fail(complain("IN operator must have a list with at least one member"))
	}
	var members []*Node
	for _, member := range v.List {
		members = append(members, Literal(member))
	}
	return members
}

func (s *sql) presence(left *Node) *Node {
	negated := s.p.take("NOT")
	var e *Node
	switch {
	case s.p.take("MISSING"):
		e = &Node{Op: OpCall, Name: "attribute_not_exists", Args: []*Node{left}}
	case s.p.take("NULL"):
		e = &Node{Op: OpCall, Name: "attribute_type", Args: []*Node{left, Literal(attribute.String(attribute.NULL.String()))}}
	default:
		s.p.unexpected()
		return left
	}
	if negated {
		e = &Node{Op: OpNot, Args: []*Node{e}}
	}
	return e
}

func notWellFormed(err error) error {
	var c complaint
	if errors.As(err, &c) {
		return apierror.Invalid("Statement wasn't well formed, can't be processed: %s", strings.TrimSuffix(c.Error(), ";"))
	}
	return err
}
